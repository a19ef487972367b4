-- How long keys live. Spliced into decide.lua.
--
-- Milliseconds of expiry: at most ten years; at least an hour in virtual time, which must not run out in real time.
local function lasting(us)
  return max(math.min(ceil(us / 1000) + 1, 315576000000), given and 3600000 or 1)
end

local function mend(key, us)                        -- a missing or, since an edit, too short expiry
  local left = call('PTTL', key)
  if left == -1 or (left >= 0 and left + 2 < lasting(us)) then call('PEXPIRE', key, lasting(us)) end
end
