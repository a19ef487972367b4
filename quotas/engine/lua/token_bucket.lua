-- Judge one token bucket. Spliced into decide.lua, which reads the state and charges it.
--
-- In    x, y, z, u  instant of the last admitted call (us), whole tokens, part of a token in 1/u; x nil: full
--       now, cost   server time (us), tokens asked
--       a, b, c     units refilled per us, units per token, capacity in tokens; a/b = amount/period
--       p           us for which a state is kept at least: under a tenant's cap, until the bucket is full without it
-- Out   x, y, z, u  the state as it is at x, before this call;   held  tokens taken
--       wait        0 fits, -1 never, else us until it fits
--       alive, later  us until full again: as it is; after the charge; p at least
--
-- Level = y + z/b tokens, so that every number is a whole one below 2^53 and nothing is ever rounded
-- (docs/decisions/0002-whole-tokens-and-a-part.md).
local least = x and p or 0
if not x then x, y, z = now, c, 0 elseif u ~= b then z = muldiv(z, b, u) end
local elapsed = max(0, now - x)
x, u = max(now, x), b
if elapsed * a >= 2 * c * b then y = c end                       -- long full; keeps the product small
if y < c then
  local q, r = muldiv(elapsed, a, b)
  y, z = y + q, z + r
  if z >= b then y, z = y + 1, z - b end
end
if y >= c then y, z = c, 0 end
if cost > c then wait = -1 elseif cost > y then
  local q, r = muldiv(cost - y, b, a)
  wait = q + ceil((r - z) / a)
end
local full = ((c - y) * b - z) / a
alive, later = max(full, least), max(full + cost * b / a, p)
held = c - y
