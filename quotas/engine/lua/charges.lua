-- Charge one limit: its record, and for logs and slots the key of their own. Spliced into decide.lua.
--
-- In    algorithm, extra, p, cost, x, later, stale[i] (entries to drop, -1 all), slot
-- Out   y  the state's count after the charge; the record itself is packed and written by decide.lua
if algorithm == TOKEN_BUCKET then y = y - cost
elseif algorithm == CONCURRENCY then
  y = y + 1
  call('ZREMRANGEBYSCORE', extra, '-inf', x)
  call('ZADD', extra, x + p, slot)
  call('PEXPIRE', extra, max(lasting(later), call('PTTL', extra)))
else
  y = math.min(y + cost, 281474976710655)
  if algorithm == SLIDING_WINDOW_LOG then
    if stale[i] == -1 then call('DEL', extra) elseif stale[i] > 0 then call('LTRIM', extra, stale[i], -1) end
    call('RPUSH', extra, cost < 256 and pack('<I7B', x, cost) or pack('<I7I6', x, cost))
    call('PEXPIRE', extra, lasting(later))
  end
end
