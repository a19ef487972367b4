-- Judge one exact log. Spliced into decide.lua, which appends to the list `extra` and drops its stale entries on a charge.
--
-- In    x, y       instant of the last admitted call (us), units in the list; x nil: none
--       extra      LIST, oldest first, of 8 bytes (7 instant, 1 cost) or 13 (7 instant, 6 cost)
--       now, cost  server time (us), units asked;   n, p  amount, period (us)
-- Out   x, y, z    the state at x: units in (x - p, x]; z: us until one unit more fits, or the oldest leaves
--       stale[i]   entries that have left, -1 for the whole list
--       wait       0 fits, -1 never, else us until it fits;   alive, later  us until the newest has left
--
-- A denied call drops nothing: the clock may step back behind it. Why a log: docs/decisions/0004-exact-log-and-counter.md.
local at = max(now, x or 0)
local edge = at - p
alive, later = x and x + p - at or p, p
if not x or x <= edge then
  x, y, z, stale[i] = at, 0, p, -1
  if cost > n then wait = -1 end
else
  local want = (cost > n or cost < 1) and 1 or cost
  local from, gone, freed, one, settled = 0, 0, 0, nil, false
  repeat
    local entries = call('LRANGE', extra, from, from + 31)
    for j = 1, #entries do
      local t, units = unpack(#entries[j] == 8 and '<I7B' or '<I7I6', entries[j])
      if t <= edge then gone, y = gone + 1, y - units
      else
        if y - freed + want <= n then one, settled = one or t, true break end
        freed = freed + units
        if not one and (y < n or y - freed < n) then one = t end
        if y - freed + want <= n then wait, settled = t + p - at, true break end
      end
    end
    from = from + 32
  until settled or #entries < 32
  if not settled then                                             -- all of the list: what it holds is what there is
    y = freed
    if y + want > n then wait = alive end
  end
  if cost > n then wait = -1 end
  x, z, stale[i] = at, one and one + p - at or p, gone
end
u = 0
