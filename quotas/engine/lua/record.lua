-- Put one limit's record in the text of its cell. Spliced into charges.lua and grant.lua.
--
-- In    name, kind, x, y, z, u, place, texts, cell  the record and where it stands
-- Out   texts[cell]  the cell's text with it
local high = floor(x / 281474976710656)
local record = pack('<c4I6BI6I6I6', name, x - high * 281474976710656, kind * 16 + high, y, z, u)
local text = texts[cell] or ''
texts[cell] = place and sub(text, 1, place - 1) .. record .. sub(text, place + 29) or text .. record
