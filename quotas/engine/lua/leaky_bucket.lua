-- Judge one leaky bucket: a queue drained at a steady rate. Spliced into decide.lua.
--
-- In    x, y, z, u  instant of the last admitted call (us), whole units queued, part of one in 1/u; x nil: empty
--       now, cost   server time (us), units asked
--       a, b, c     units of 1/b drained per us, units per whole, longest queue
-- Out   x, y, z, u  the queue at x, before this call;   held  units queued, rounded up
--       wait        0 fits, -1 never, else us until there is room;   delay  us to the turn of its first unit
--       alive, later  us until empty: as it is; after the charge
--
-- The queue, not the free places, is the state: an edited capacity keeps the turns already promised.
if not x then x, y, z = now, 0, 0 elseif u ~= b then z = muldiv(z, b, u) end
local elapsed = max(0, now - x)
x, u = max(now, x), b
if elapsed * a >= 2 * (y + 1) * b then y, z = 0, 0 else
  local q, r = muldiv(elapsed, a, b)
  y, z = y - q, z - r
  if z < 0 then y, z = y - 1, z + b end
  if y < 0 then y, z = 0, 0 end
end
local over = y + cost - c
if cost > c then wait = -1 elseif over > 0 or (over == 0 and z > 0) then
  local q, r = muldiv(over, b, a)
  wait = q + ceil((r + z) / a)
else
  local q, r = muldiv(y, b, a)
  delay = q + ceil((r + z) / a)
end
alive = (y * b + z) / a
later = alive + cost * b / a
held = z > 0 and y + 1 or y
