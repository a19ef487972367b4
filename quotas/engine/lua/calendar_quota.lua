-- Judge one calendar quota. Spliced into decide.lua.
--
-- In    x, y, z, u  instant of the last admitted call (us), units used in its period, us from x to the period's end,
--                  us from the period's start to its end; x nil: none; without the owner's mark as the database last
--                  knew it: `seed`
--       now, cost  server time (us), units asked;   n  amount
--       p, a, b, c  starts of the previous, the current, the next period and end of the next (us)
-- Out   x, y, z, u  the state at x, before this call
--       wait       0 fits, -1 never, else us to the period's end;   alive, later  us to the period's end
--
-- A state keeps the start and the end of its own period: a changed zone or anchor day is in force from the next one on.
if not x and not marked and seeded == 0 then return 'U' .. pack('<I7', now) end
local at = max(now, x or 0)
local stop = x and x + z or 0
if not x then y = marked and 0 or seed end
if at >= stop then
  if x then y = 0 end
  stop, u = c, c - b
  if at < a then stop, u = a, a - p elseif at < b then stop, u = b, b - a end
end
x, z = at, stop - at
alive, later = z, z
if cost > n then wait = -1 elseif y + cost > n then wait = z end
