-- Give units of one limit, each algorithm in its own way. Spliced into grant.lua.
--
-- In    algorithm, extra, p, a, b, c, x, y, z, held  as its judge left them;   freed  units to give, at least 1 and no more than were taken
--       stale[i]   entries of a log that have left, -1 for the whole list
-- Out   x, y, z    the state afterwards;   alive  us until it equals an absent one
if algorithm == TOKEN_BUCKET then
  y = y + freed
  if y == c then z = 0 end
  alive = max(((c - y) * b - z) / a, p)
elseif algorithm == LEAKY_BUCKET then
  y = y - freed
  if y < 0 then y, z = 0, 0 end
  alive = (y * b + z) / a
elseif algorithm == SLIDING_WINDOW_COUNTER then
  local left, rest = p - x % p, freed - min(y, freed)
  y = y - (freed - rest)
  if rest > 0 then z = min(z, (muldiv(held - freed, p, left))) end    -- the most that count for what is left of them
  alive = y > 0 and left + p or z > 0 and left or 0
elseif algorithm == SLIDING_WINDOW_LOG then
  local rest, at, last = freed, x, -1
  x, y, alive = 0, y - freed, 0                                     -- the state is as old as its newest entry
  if y == 0 then call('DEL', extra) else
    if stale[i] > 0 then call('LTRIM', extra, stale[i], -1) end
    repeat
      local entries = call('LRANGE', extra, last - 63, last)
      for j = #entries, 1, -1 do
        local t, of = unpack(#entries[j] == 8 and '<I7B' or '<I7I6', entries[j])
        if of > rest then
          x, of = t, of - rest
          call('LTRIM', extra, 0, last - #entries + j)
          if rest > 0 then call('LSET', extra, -1, of < 256 and pack('<I7B', t, of) or pack('<I7I6', t, of)) end
          break
        end
        rest = rest - of
      end
      last = last - 64
    until x > 0 or #entries < 64
    alive = x + p - at
    call('PEXPIRE', extra, lasting(alive))
  end
else
  call('ZREMRANGEBYSCORE', extra, '-inf', x)
  call('ZREMRANGEBYRANK', extra, 0, freed - 1)
  y = y - freed
  alive = y > 0 and call('ZRANGE', extra, -1, -1, 'WITHSCORES')[2] - x or 0
end
