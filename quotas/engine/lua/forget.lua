-- Let go of counted records that the database has, unless they have changed since they were copied.
--
-- KEYS  1 the hash of the owner      ARGV  field and record, in turn
-- Out   how many were let go of
local gone = 0
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then gone = gone + redis.call('HDEL', KEYS[1], ARGV[i]) end
end
return gone
