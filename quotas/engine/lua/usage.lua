-- Count one decision for people, scope by scope. Spliced into decide.lua, after the charge.
--
-- In    asked, ask    behind the limits of the call: '<B' how many scopes, each '<I6Bc0' units, scope
--       policy, at_rule  behind its limits: the label '<Bc0' of each
--       verdict, refuses, waits  'A', 'S' or 'D'; per limit that does not fit 1 when enforced, else 0, and its wait
-- Out   the owner's hash: field 'u', '<I2' the quarter's place in a ring of three days, scope. In it '<I4I6I6' quarter of
--       an hour, units, shadow-denied calls; 15 minutes '<I4I4' admitted, denied; then a limit '<Bc0I5I5' label, denied,
--       shadow-denied
--       labels, longest, spent  per limit its label; on a denial the limit with the longest wait; units of all scopes
--       told  what a denied caller is told: the Retry-After in whole seconds, rounded up; 0: never, there is none
--       news  fields and records to be written, in turn
--
-- Of several limits that deny, the one with the longest wait counts, in its scope's record or else in the last. What is not
-- copied within three days is overwritten.
local quarter, place = floor(now / 900000000), 17 + floor(now / 60000000) % 15 * 8
local scopes
scopes, ask = unpack('<B', asked, ask)

-- What counts for one limit each: on a denial the one with the longest wait, else those in shadow.
local counted, labels, longest, told, spent, news = {}, {}, nil, 0, 0, {}
for i = 1, scopes > 0 and count or 0 do
  labels[i], at_rule = unpack('<Bc0', policy, at_rule)
  if refuses[i] and verdict == 'S' then counted[i] = labels[i]
  elseif refuses[i] == 1 and (not longest or waits[i] > waits[longest]) then longest = i end
end
if longest then
  counted[longest] = labels[longest]
  if waits[longest] <= 9007199254740991 then told = max(1, ceil(waits[longest] / 1000000)) end
end

for turn = 1, scopes do
  local units, scope
  units, scope, ask = unpack('<I6Bc0', asked, ask)
  local field = 'u' .. pack('<I2', quarter % 288) .. scope
  local record = call('HGET', KEYS[1], field)
  if not record or unpack('<I4', record) ~= quarter then
    record = pack('<I4I6I6', quarter, 0, 0) .. string.rep('\0', 120)
    call('HSETNX', KEYS[1], 'generation', pack('<I7', now))
    call('PEXPIRE', KEYS[1], 259200000)
  end
  local _, total, shadowed = unpack('<I4I6I6', record)
  local admitted, denied = unpack('<I4I4', record, place)
  spent = spent + units
  if verdict == 'D' then denied = denied + 1 else admitted, total = admitted + 1, math.min(total + units, 281474976710655) end
  if verdict == 'S' then shadowed = shadowed + 1 end
  record = pack('<I4I6I6', quarter, total, shadowed) .. sub(record, 17, place - 1)
    .. pack('<I4I4', admitted, denied) .. sub(record, place + 8)
  for i, label in pairs(counted) do
    if turn == scopes or sub(label, 1, #scope + 1) == scope .. '/' then
      counted[i] = nil
      local at, stop, text, hard, soft = 137
      repeat
        stop, text, hard, soft = at, label, 0, 0
        if at <= #record then text, hard, soft, at = unpack('<Bc0I5I5', record, at) end
      until text == label
      if verdict == 'D' then hard = hard + 1 else soft = soft + 1 end
      record = sub(record, 1, stop - 1) .. pack('<Bc0I5I5', #label, label, hard, soft) .. sub(record, at)
    end
  end
  news[#news + 1], news[#news + 2] = field, record
end
