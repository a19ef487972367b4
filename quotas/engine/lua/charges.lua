-- Charge one limit: its record (record.lua), and for logs and slots the key of their own. Spliced into decide.lua.
--
-- In    algorithm, extra, p, cost, later, stale[i] (entries to drop, -1 all), slot
--       name, kind, x, y, z, u, place, texts, cell  the record and where it stands
-- Out   y  the state's count after the charge;   texts[cell]  the cell's text with its record
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
--@record
