-- Give back the places in flight of one call.
--
-- KEYS  the sorted sets of slots        ARGV  1 the slot (8 bytes)
-- Out   how many places were freed: as a number
local freed = 0
for i = 1, #KEYS do freed = freed + redis.call('ZREM', KEYS[i], ARGV[1]) end
return freed
