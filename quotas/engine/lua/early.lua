-- Whether a denied call came before the Retry-After that its caller had been given by the same limit. Spliced into decide.lua,
-- after usage.lua.
--
-- In    asked, ask  behind the scopes: '<Bc0Bc0' caller (blank: nobody in particular), operation
--       verdict, scopes, labels, longest, waits  as usage.lua has them
-- Out   caller, operation  texts;   hasty  1 when it came early, else 0
--       the owner's hash: field 'b', the 32 latest of '<I4I7' digest of caller and limit, till (us)
local caller, operation, hasty = '', '', 0
if scopes > 0 then caller, operation, ask = unpack('<Bc0Bc0', asked, ask) end
if verdict == 'D' and caller ~= '' then
  local told = call('HGET', KEYS[1], 'b') or ''
  local who = pack('<I4', tonumber(sub(redis.sha1hex(caller .. '\n' .. labels[longest]), 1, 8), 16))
  for at = 1, #told, 11 do
    if sub(told, at, at + 3) == who then
      if now < unpack('<I7', told, at + 4) then hasty = 1 end
      told = sub(told, 1, at - 1) .. sub(told, at + 11)
      break
    end
  end
  local wait = waits[longest] > 9007199254740991 and 0 or waits[longest]      -- never: no Retry-After to wait for
  news[#news + 1], news[#news + 2] = 'b', who .. pack('<I7', now + wait) .. sub(told, 1, 341)
end
