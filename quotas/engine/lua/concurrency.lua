-- Judge one limit on calls in flight. Spliced into decide.lua, which adds the slot to the sorted set `extra` on a charge.
--
-- In    x        instant of the last admitted call (us); x nil: none
--       extra    ZSET of slots, scored by the instant at which their lease runs out (us)
--       now      server time (us);   n, p  most in flight, lease (us)
-- Out   x, y, z  calls in flight at x; z: us until the next lease runs out, 0 without any
--       wait     0 fits, else us until enough leases have run out;   alive, later  us until every lease has
--
-- A slot is one whatever the call costs.
local at = max(now, x or 0)
local after = format('(%.0f', at)
y, z = call('ZCOUNT', extra, after, '+inf'), 0
alive, later = x and max(0, x + p - at) or 0, p
if y > 0 then
  local nth = max(0, y - n)
  local ends = call('ZRANGEBYSCORE', extra, after, '+inf', 'WITHSCORES', 'LIMIT', nth, 1)
  z = ends[2] - at
  if y >= n and cost > 0 then wait = z end
end
x, u = at, 0
