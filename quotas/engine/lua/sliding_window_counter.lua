-- Judge one sliding window counter: two epoch windows, the older one weighed by its overlap. Spliced into decide.lua.
--
-- In    x, y, z, u  instant of the last admitted call (us), units in its window, in the window before, the period they
--                  were of; x nil: none
--       now, cost  server time (us), units asked;   n, p  amount, period (us)
-- Out   x, y, z, u  the state at x, before this call;   held  units of both windows that count
--       wait       0 fits, -1 never, else us until it fits
--       alive, later  us until nothing of it is overlapped
--
-- held = y + z * left / p, rounded up: a whole cost fits beside the exact sum exactly when it fits beside this.
if not x or u ~= p then x, y, z = now, 0, 0 end                  -- another period: a new state
local at = max(now, x)
local passed = floor(at / p) - floor(x / p)
if passed == 1 then y, z = 0, y elseif passed > 1 then y, z = 0, 0 end
x, u = at, p
local left = p - at % p
local q, r = muldiv(z, left, p)
held = y + q + (r > 0 and 1 or 0)
if cost > n then wait = -1
elseif held + cost > n then
  if y + cost <= n then wait = left - muldiv(n - cost - y, p, z)
  else wait = left + max(0, p - muldiv(n - cost, p, y)) end
end
alive = left + p
later = alive
