-- Judge one fixed window, cut from the Unix epoch. Spliced into decide.lua.
--
-- In    x, y, u    instant of the last admitted call (us), units used in its window, the period it was of; x nil: none
--       now, cost  server time (us), units asked;   n, p  amount, period (us)
-- Out   x, y, u      the state at x, before this call
--       wait       0 fits, -1 never, else us to the window's end;   alive, later  us to the window's end
if not x or u ~= p then x, y = now, 0 end                        -- another period: a new state
local at = max(now, x)
if floor(at / p) ~= floor(x / p) then y = 0 end
x, z, u = at, 0, p
alive = p - at % p
later = alive
if cost > n then wait = -1 elseif y + cost > n then wait = alive end
