-- Count one decision by the hour: who called, and how full each limit got. Spliced into decide.lua, after early.lua.
--
-- In    verdict, scopes, spent, caller, hasty  as before;   limits  the text that peaks.lua makes of its part
-- Out   the owner's hash: field 'h', '<I2' the hour's place in a ring of three days. In it '<I4I4I4I6I4B' hour, admitted,
--       denied, units, early, callers; then a caller '<Bc0I4I4I6I4I4' text, admitted, denied, units, early, base; then
--       the limits (peaks.lua)
--
-- Of more than 16 callers the one with the least gives way, and the newcomer ranks above it by its base: whoever made more than a
-- sixteenth of the calls is listed. Numbers are exact since a caller is listed.
if scopes > 0 then
  local hour = floor(now / 3600000000)
  local field = 'h' .. pack('<I2', hour % 72)
  local record = call('HGET', KEYS[1], field)
  if not record or unpack('<I4', record) ~= hour then record = pack('<I4I4I4I6I4B', hour, 0, 0, 0, 0, 0) end
  local _, admitted, denied, units, early, listed = unpack('<I4I4I4I6I4B', record)

  -- The caller is looked for as a text, and believed where an entry begins: numbers may look like it.
  local from, to, behind
  local key, start = pack('<Bc0', #caller, caller), 24
  local at = string.find(record, key, 24, true)
  for _ = 1, listed do
    if at and at < start then at = string.find(record, key, start, true) end
    if at == start and caller ~= '' then from, to = at, at + #caller + 22 end
    start = start + 23 + string.byte(record, start)
  end
  behind = start

  local yes, no, sum, soon, base, _ = 0, 0, 0, 0, 0
  if from then
    _, yes, no, sum, soon, base = unpack('<Bc0I4I4I6I4I4', record, from)
  elseif caller ~= '' and listed < 16 then
    from, to, listed = behind, behind - 1, listed + 1
  elseif caller ~= '' then                                   -- the one with the least gives way
    base, start = math.huge, 24
    for _ = 1, listed do
      local _, some, more, _, _, under, stop = unpack('<Bc0I4I4I6I4I4', record, start)
      if under + some + more < base then from, to, base = start, stop - 1, under + some + more end
      start = stop
    end
  end
  if verdict == 'D' then denied, no, early, soon = denied + 1, no + 1, early + hasty, soon + hasty
  else
    admitted, yes = admitted + 1, yes + 1
    units, sum = math.min(units + spent, 281474976710655), math.min(sum + spent, 281474976710655)
  end
  local callers, limits = sub(record, 24, behind - 1), sub(record, behind)
  if from then
    callers = sub(record, 24, from - 1) .. pack('<Bc0I4I4I6I4I4', #caller, caller, yes, no, sum, soon, base)
      .. sub(record, to + 1, behind - 1)
  end
  --@peaks
  news[#news + 1] = field
  news[#news + 1] = pack('<I4I4I4I6I4B', hour, admitted, denied, units, early, listed) .. callers .. limits
  call('HSET', KEYS[1], spread(news))
end
