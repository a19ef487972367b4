-- Whether a denied call came before the Retry-After that its caller had been given by the same limit. Spliced into decide.lua,
-- after usage.lua.
--
-- In    asked, ask  behind the scopes: '<Bc0Bc0' caller (blank: nobody in particular), operation
--       verdict, scopes, labels, longest, told  as usage.lua has them
-- Out   caller, operation  texts;   hasty  1 when it came sooner than the whole seconds that it was told, else 0
--       the owner's hash: field 'b', the 32 latest of '<I4I7' digest of caller and limit, till (us)
local caller, operation, hasty = '', '', 0
if scopes > 0 then caller, operation, ask = unpack('<Bc0Bc0', asked, ask) end
if verdict == 'D' and caller ~= '' then
  local waiting = call('HGET', KEYS[1], 'b') or ''
  local who = pack('<I4', tonumber(sub(redis.sha1hex(caller .. '\n' .. labels[longest]), 1, 8), 16))
  for at = 1, #waiting, 11 do
    if sub(waiting, at, at + 3) == who then
      if now < unpack('<I7', waiting, at + 4) then hasty = 1 end
      waiting = sub(waiting, 1, at - 1) .. sub(waiting, at + 11)
      break
    end
  end
  news[#news + 1], news[#news + 2] = 'b', who .. pack('<I7', now + told * 1000000) .. sub(waiting, 1, 341)
end
