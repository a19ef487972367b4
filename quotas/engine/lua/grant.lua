-- Give back at once what was taken of one limit: tokens, places, or units used. Never more than was taken.
--
-- KEYS  1 the hash of the owner, 2 the cell key, 3 the key of a log or of slots
-- ARGV  1 policy of this one limit, as decide.lua reads it
--       2 '<I7I6c7' now (us, 0: the server's clock), units, the owner's version
-- Out   how many units were given; -1 when the policy does not hold now or under this version: nothing was given
--
-- Units are whole ones as `held` counts them: the part of a token or of a queued unit goes with the last. Of a counter those of
-- this window go first, of a log the newest entries, of calls in flight those whose lease ends first. Invariants: where nothing is
-- given, nothing is written; a key that is written expires when every state in it equals an absent one.
local floor, ceil, max, min, format = math.floor, math.ceil, math.max, math.min, string.format
local unpack, pack, sub, call = struct.unpack, struct.pack, string.sub, redis.call

--@arithmetic

local now, units, version = unpack('<I7I6c7', ARGV[2])
local given = now > 0
if not given then
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
local from, till, _, _, algorithm, _, _, _, name, kind, n, p, a, b, c = unpack('<I7I7I2I2BBI2I2c4BI7I7I7I7I7', ARGV[1])
local seen = call('HGET', KEYS[1], 'version') or '\0\0\0\0\0\0\0'
if now < from or now >= till or seen ~= version then return -1 end

--@expiry

local cell, extra, i, cost = 1, KEYS[3], 1, 0                     -- a call that costs nothing is judged: how it stands now
local texts, unknown, stale = { call('GET', KEYS[2]) }, {}, {}
local x, y, z, u, place
local wait, delay, alive, later, held = 0, 0, 0, 0
--@records
--@algorithms
local freed = min(units, held or y)
if freed <= 0 then return 0 end
--@gifts
--@record
local ms = lasting(alive)
if (unknown[cell] or 0) > 0 then ms = max(ms, call('PTTL', KEYS[2])) end
call('SET', KEYS[2], texts[cell], 'PX', ms)
return freed
