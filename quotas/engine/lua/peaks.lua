-- How full each limit got: the most that was charged of it, and when it was fullest. Spliced into hours.lua.
--
-- In    peaks, labels  per limit { units taken now, most at once, tag }, and its label; on a denial of the limits that denied
--       verdict  'D': nothing was charged
--       limits  text: a limit each '<Bc0I6I6I6I6B' label, most units taken and, at the last charge, most at once; then units
--               taken and most at once when the share was largest, and the tag of the rule. Most at once is 2^48 - 1 without
--               a limit, and units and most are 0 before the first charge
-- Out   limits  with this call's
--
-- Alerts are judged by the second pair: it was true at one instant, whatever the limit was edited to before or after.
-- Under another algorithm or calendar unit it begins anew.
for i, peak in pairs(peaks) do
  local used, most = math.min(peak[1], 281474976710655), math.min(peak[2], 281474976710655)
  local at, stop, text, high, full, taken, room, tag = 1
  repeat
    stop, text, high, full, taken, room, tag = at, labels[i], 0, 0, 0, 1, peak[3]
    if at <= #limits then text, high, full, taken, room, tag, at = unpack('<Bc0I6I6I6I6B', limits, at) end
  until text == labels[i]
  local charged = verdict ~= 'D' and (used > high or most ~= full)
  local fuller = tag ~= peak[3] or most == room and used > taken or most ~= room and used * room > taken * most
  if charged then high, full = max(used, high), most end
  if fuller then taken, room = used, most end
  if charged or fuller then
    limits = sub(limits, 1, stop - 1) .. pack('<Bc0I6I6I6I6B', #text, text, high, full, taken, room, peak[3]) .. sub(limits, at)
  end
end
