-- Let go of all that is counted of an owner, copied or not, and of its latest denials.
--
-- KEYS  1 the hash of the owner, 2 its denials
-- Out   how many fields went. The version stays: other processes go by it.
local gone = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if field ~= 'version' then gone = gone + redis.call('HDEL', KEYS[1], field) end
end
redis.call('DEL', KEYS[2])
return gone
