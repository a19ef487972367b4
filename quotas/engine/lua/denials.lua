-- Remember a denied call for people. Spliced into decide.lua, after hours.lua.
--
-- In    verdict, scopes, labels, longest, told  as before;   judged[longest][7]  what it was asked for
--       caller, operation  texts, from early.lua
-- Out   the last key: LIST of the 50 latest, the latest first: '<I7I6I5Bc0Bc0Bc0' now (us), cost, Retry-After (s; 0: never),
--       label, operation, caller. It lives for three days after the latest.
if verdict == 'D' and scopes > 0 then
  local label = labels[longest]
  call('LPUSH', KEYS[#KEYS], pack('<I7I6I5Bc0Bc0Bc0', now, judged[longest][7], told, #label, label, #operation, operation, #caller, caller))
  call('LTRIM', KEYS[#KEYS], 0, 49)
  call('PEXPIRE', KEYS[#KEYS], 259200000)
end
