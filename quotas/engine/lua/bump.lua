-- Raise a version: of an owner, or of all plans.
--
-- KEYS  1 the hash of the owner (or of the plans)      ARGV  1 expiry (ms), 2 whether only where there is none
-- Out   the version, 7 bytes. It is the server's time in us, or one above the old one: it never repeats, not even
--       after the key was lost.
local clock = redis.call('TIME')
local version = clock[1] * 1000000 + clock[2]
local seen = redis.call('HGET', KEYS[1], 'version')
if seen and ARGV[2] == '1' then return seen end
if seen then version = math.max(version, (struct.unpack('<I7', seen)) + 1) end
local packed = struct.pack('<I7', version)
redis.call('HSET', KEYS[1], 'version', packed)
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[1]))
return packed
