-- Write the cell keys that were charged, and mend the expiry of the others. Spliced into decide.lua.
--
-- In    consume, cells, first, texts, written, lives (us), unknown
if consume == 1 then
  for cell = 1, cells do
    local key = KEYS[first + cell]
    if written[cell] then
      local ms = lasting(lives[cell])
      if (unknown[cell] or 0) > 0 then ms = max(ms, call('PTTL', key)) end
      call('SET', key, texts[cell], 'PX', ms)
    elseif texts[cell] then
      mend(key, lives[cell] or 0)
    end
  end
end
