-- Find one limit's record in the text of its cell key. Spliced into decide.lua.
--
-- In    texts, cell, name, kind
-- Out   x, y, z, u  the state; nil when there is none of this kind      place  where its record begins, whatever its kind
--       unknown[cell]  bytes of records that are no limit's of this call
local text = cell > 0 and texts[cell]
if text then
  unknown[cell] = unknown[cell] or #text
  for k = 1, #text, 29 do
    if sub(text, k, k + 3) == name then
      local low, high, level, part, unit = unpack('<I6BI6I6I6', text, k + 4)
      if floor(high / 16) == kind then x, y, z, u = low + high % 16 * 281474976710656, level, part, unit end
      place, unknown[cell] = k, unknown[cell] - 29
      break
    end
  end
end
