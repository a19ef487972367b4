-- Count one decision by the hour: who called, and how full each limit got. Spliced into decide.lua, after usage.lua.
--
-- In    asked, ask  behind the scopes: '<Bc0Bc0' caller (blank: nobody in particular), operation
--       scopes, labels, longest, spent  from usage.lua: units of all scopes; on a denial which limit counts
--       waits, peaks  per limit its wait; when it was charged { units taken now, most at once }
-- Out   the owner's hash: field 'h', '<I2' the hour's place in a ring of three days. In it '<I4I4I4I6I4B' hour, admitted,
--       denied, units, early, callers; then a caller '<Bc0I4I4I6I4I4I7c4' text, admitted, denied, units, early, base,
--       till (us), limit; then a limit '<Bc0I6I6' label, most units taken, most at once (2^48 - 1: unlimited)
--
-- Of more than 16 callers the one with the least gives way, and the newcomer ranks above it by its base: whoever made more than a
-- sixteenth of the calls is listed. Numbers are exact since a caller is listed. Early: denied by the limit that denied
-- this caller last, before its Retry-After, as far as this hour and the one before know.
local caller, operation = '', ''
if scopes > 0 then
  caller, operation, ask = unpack('<Bc0Bc0', asked, ask)
  local hour = floor(now / 3600000000)
  local field = 'h' .. pack('<I2', hour % 72)
  local record = call('HGET', KEYS[1], field)
  if not record or unpack('<I4', record) ~= hour then record = pack('<I4I4I4I6I4B', hour, 0, 0, 0, 0, 0) end
  local _, admitted, denied, units, early, listed, at = unpack('<I4I4I4I6I4B', record)

  -- Where the caller's entry begins in a record, if it is there; and where the entries end. It is looked for as a text, and
  -- believed where an entry begins: numbers may look like it.
  local key = pack('<Bc0', #caller, caller)
  local function entry(from, many)
    local at, start, found = string.find(from, key, 24, true), 24, nil
    for _ = 1, many do
      if at and at < start then at = string.find(from, key, start, true) end
      if at == start and caller ~= '' then found = at end
      start = start + 34 + string.byte(from, start)
    end
    return found, start
  end

  local from, behind = entry(record, listed)
  local yes, no, sum, soon, base, till, limit, _ = 0, 0, 0, 0, 0, 0, '\0\0\0\0'
  local to = from and from + #caller + 33
  if from then
    _, yes, no, sum, soon, base, till, limit = unpack('<Bc0I4I4I6I4I4I7c4', record, from)
  elseif caller ~= '' and listed < 16 then
    from, to, listed = behind, behind, listed + 1
  elseif caller ~= '' then                                   -- the one with the least gives way
    base = math.huge
    local start = 24
    for _ = 1, listed do
      local _, some, more, _, _, under, _, _, stop = unpack('<Bc0I4I4I6I4I4I7c4', record, start)
      if under + some + more < base then from, to, base = start, stop - 1, under + some + more end
      start = stop
    end
  end
  if verdict == 'D' then
    local by = sub(redis.sha1hex(labels[longest]), 1, 4)
    local before = yes + no == 0 and caller ~= '' and call('HGET', KEYS[1], 'h' .. pack('<I2', (hour - 1) % 72))
    if before and unpack('<I4', before) == hour - 1 then
      local there = entry(before, string.byte(before, 23))
      if there then _, _, _, _, _, _, till, limit = unpack('<Bc0I4I4I6I4I4I7c4', before, there) end
    end
    if now < till and limit == by then soon, early = soon + 1, early + 1 end
    denied, no, limit = denied + 1, no + 1, by
    till = waits[longest] > 9007199254740991 and 0 or math.min(now + waits[longest], 4503599627370495)
  else
    admitted, units, yes, sum = admitted + 1, units + spent, yes + 1, sum + spent
  end
  local callers = sub(record, 24, behind - 1)
  if from then
    callers = sub(record, 24, from - 1) .. pack('<Bc0I4I4I6I4I4I7c4', #caller, caller, yes, no, sum, soon, base, till, limit)
      .. sub(record, to + 1, behind - 1)
  end
  local limits = sub(record, behind)
  for i, peak in pairs(peaks) do
    local used, most = math.min(peak[1], 281474976710655), math.min(peak[2], 281474976710655)
    local at, stop, text, high, full = 1
    repeat
      stop, text, high, full = at, labels[i], 0
      if at <= #limits then text, high, full, at = unpack('<Bc0I6I6', limits, at) end
    until text == labels[i]
    if used > high or most ~= full then
      limits = sub(limits, 1, stop - 1) .. pack('<Bc0I6I6', #text, text, max(used, high), most) .. sub(limits, at)
    end
  end
  news[#news + 1] = field
  news[#news + 1] = pack('<I4I4I4I6I4B', hour, admitted, denied, units, early, listed) .. callers .. limits
  call('HSET', KEYS[1], spread(news))
end
