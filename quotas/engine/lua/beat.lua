-- Keep what a worker tells of itself, and let go of workers that have told nothing for an hour.
--
-- KEYS  1 HASH of all workers: by the id of each '<I7I7' seen and started (us), then what it told; under '' when it was swept
-- ARGV  1 id  2 '<I7' now (us, 0: the server's clock)  3 '<I7' its age (us)  4 what it tells  5 most workers
-- Out   1; 0 when it is not known and there are as many as may be
--
-- Swept once a minute by whoever writes, so that one beat costs the same whatever the number of workers.
local unpack, pack, call = struct.unpack, struct.pack, redis.call
local now = unpack('<I7', ARGV[2])
if now == 0 then
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
local swept = call('HGET', KEYS[1], '')
if not swept or math.abs(now - unpack('<I7', swept)) >= 60000000 then
  local all = call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if unpack('<I7', all[i + 1]) < now - 3600000000 then call('HDEL', KEYS[1], all[i]) end
  end
  call('HSET', KEYS[1], '', pack('<I7', now))
end
call('PEXPIRE', KEYS[1], 3600000)
if call('HEXISTS', KEYS[1], ARGV[1]) == 0 and call('HLEN', KEYS[1]) > tonumber(ARGV[5]) then return 0 end
call('HSET', KEYS[1], ARGV[1], pack('<I7I7', now, now - unpack('<I7', ARGV[3])) .. ARGV[4])
return 1
