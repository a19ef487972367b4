-- Write calendar quotas back as the database last knew them, and last of all the mark that says so.
--
-- KEYS  1 the hash of the owner, then the cells of the quotas
-- ARGV  1 expiry of the mark (ms), 2 whether these are the last, 3 now (us, 0: the server's clock), then a quota each
--         the end of its period (us) and its record (29 bytes)
-- Out   how many were written. A state that is there is newer than the database and is kept.
local now, written, least = tonumber(ARGV[3]), 0, 3600000     -- virtual time must not run out in real time
if now == 0 then
  least = 1
  local clock = redis.call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
for i = 2, #KEYS do
  local live = math.ceil((ARGV[2 * i] - now) / 1000) + 1
  if live > 1 and redis.call('SET', KEYS[i], ARGV[2 * i + 1], 'PX', math.max(live, least), 'NX') then
    written = written + 1
  end
end
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'mark', '1')
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[1]))
end
return written
