-- Add up what a process has counted itself for callers without a tenant: whole records, as usage.lua writes them.
--
-- KEYS  1 the hash of the owner
-- ARGV  1 '<I7' now (us, 0: the server's clock), then field and record, in turn; a record has at least one call
-- Out   how many were added
--
-- A place of the ring that a later quarter has taken is left to it. Sums stop at the largest number that fits.
local unpack, pack, sub, call, min = struct.unpack, struct.pack, string.sub, redis.call, math.min
local most4, most5, most6 = 4294967295, 1099511627775, 281474976710655

-- The labels of a record in their order, and what each counts.
local function labels(record, found, order)
  local at = 137
  while at <= #record do
    local label, denied, shadowed
    label, denied, shadowed, at = unpack('<Bc0I5I5', record, at)
    if not found[label] then found[label], order[#order + 1] = { 0, 0 }, label end
    found[label] = { min(found[label][1] + denied, most5), min(found[label][2] + shadowed, most5) }
  end
end

local function sum(record, added)
  local quarter, units, shadowed = unpack('<I4I6I6', record)
  local _, more, also = unpack('<I4I6I6', added)
  local parts = { pack('<I4I6I6', quarter, min(units + more, most6), min(shadowed + also, most6)) }
  for place = 17, 133, 4 do
    parts[#parts + 1] = pack('<I4', min(unpack('<I4', record, place) + unpack('<I4', added, place), most4))
  end
  local found, order = {}, {}
  labels(record, found, order)
  labels(added, found, order)
  for _, label in ipairs(order) do
    parts[#parts + 1] = pack('<Bc0I5I5', #label, label, found[label][1], found[label][2])
  end
  return table.concat(parts)
end

local now, done = unpack('<I7', ARGV[1]), 0
if now == 0 then
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
for i = 2, #ARGV, 2 do
  local field, added = ARGV[i], ARGV[i + 1]
  local record = call('HGET', KEYS[1], field)
  local quarter, known = unpack('<I4', added), record and unpack('<I4', record) or -1
  if known <= quarter then
    if known < quarter then
      call('HSETNX', KEYS[1], 'generation', pack('<I7', now))
      call('PEXPIRE', KEYS[1], 259200000)
    else
      added = sum(record, added)
    end
    call('HSET', KEYS[1], field, added)
    done = done + 1
  end
end
return done
