-- How full each limit got that was charged. Spliced into hours.lua.
--
-- In    peaks, labels  per limit { units taken now, most at once }, and its label
--       limits  text: a limit each '<Bc0I6I6' label, most units taken, most at once (2^48 - 1: unlimited)
-- Out   limits  with this call's
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
