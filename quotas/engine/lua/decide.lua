-- Decide one request: judge every limit, then charge all of them or none. One round trip, one script.
-- Why: docs/decisions/0003-all-or-nothing.md; the clock: 0001; what an edit does: 0006.
--
-- KEYS  [owner] cell keys, then keys of logs and slots, in the order in which the policy numbers them [the owner's denials]
-- ARGV  1 policy: '<I7I7I2I2' from, till (us: the span in which it holds), cell keys, limits; then a limit
--         '<BBI2I2c4BI7I7I7I7I7' algorithm, enforced, cell key, extra key, name, tag, n, p, a, b, c (see each algorithm)
--       2 call: '<I7BBc8Bc7' now (us, 0: the server's clock), consume, seeded, slot, flags, version; then a limit
--         '<I6I6' cost, seed; then what is counted for people (usage.lua), which also reads a label behind each limit
-- Out   'D' or 'S' or 'A' (denied, shadow-denied, allowed), '<I7' now, then a limit
--         '<BI7i8I6I6I6' fits, x (us), wait or, when it fits, delay (us; -1 never), y, z, u: its state after this call
--       'T' stale, 'V' other version (then 7 bytes), 'U' unseeded: each with '<I7' now, and nothing charged
--
-- Flags: 1 compare the owner's version, 2 an absent calendar state needs the owner's mark, 4 there is an owner. A cell key holds records of
-- 29 bytes '<c4I6BI6I6I6': name, x below 2^48, 16 times kind and x above, y, z, u; one of the same name and another kind
-- is absent, and overwritten. Invariants: a denied call writes no state; every key written has an expiry;
-- a peek writes nothing at all.
local floor, ceil, max, format = math.floor, math.ceil, math.max, string.format
local spread, unpack, pack, sub, call = unpack, struct.unpack, struct.pack, string.sub, redis.call
local policy, asked = ARGV[1], ARGV[2]

--@arithmetic

local now, consume, seeded, slot, flags, version, ask = unpack('<I7BBc8Bc7', asked)
local given = now > 0
if not given then
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
local from, till, cells, count, at_rule = unpack('<I7I7I2I2', policy)
if now < from or now >= till then return 'T' .. pack('<I7', now) end
local first, marked = 0, true
if flags > 0 then
  local owner = call('HMGET', KEYS[1], 'version', 'mark')
  first, marked = 1, owner[2] or flags % 4 < 2
  local seen = owner[1] or '\0\0\0\0\0\0\0'
  if flags % 2 == 1 and seen ~= version then return 'V' .. pack('<I7', now) .. seen end
end

local texts = cells > 0 and call('MGET', spread(KEYS, first + 1, first + cells)) or {}
local judged, stale, unknown, written, refuses, waits, peaks = {}, {}, {}, {}, {}, {}, {}
local verdict = 'A'
for i = 1, count do
  local algorithm, enforced, cell, extra, name, tag, n, p, a, b, c, cost, seed
  algorithm, enforced, cell, extra, name, tag, n, p, a, b, c, at_rule = unpack('<BBI2I2c4BI7I7I7I7I7', policy, at_rule)
  local kind = tag % 16                             -- the rest is the calendar unit
  cost, seed, ask = unpack('<I6I6', asked, ask)
  extra = extra > 0 and KEYS[first + extra]
  local x, y, z, u, place
  local wait, delay, alive, later, held = 0, 0, 0, 0                 -- held: units taken; nil: y
  --@records
  --@algorithms
  local fits = wait == 0 or cost == 0
  if not fits and enforced == 1 then verdict = 'D' elseif not fits and verdict == 'A' then verdict = 'S' end
  if cost == 0 then delay = 0 end
  if not fits then                                  -- as long as Retry-After tells it: a flight may end any moment
    refuses[i], waits[i] = enforced, wait == -1 and 9007199254740992 or algorithm == CONCURRENCY and 1000000
      or math.min(wait + max(0, x - now), 9007199254740991)
  end
  wait = math.min(fits and delay or wait, 9007199254740991)
  local most = n
  if algorithm == TOKEN_BUCKET or algorithm == LEAKY_BUCKET then most = c end
  judged[i] = { algorithm, cell, extra, name, kind, p, cost, fits, place or false, x, y, z, u, wait, alive, later, held or y, most, tag }
end

--@expiry

local lives, answers = {}, {}
for i = 1, count do
  local algorithm, cell, extra, name, kind, p, cost, fits, place, x, y, z, u, wait, alive, later, held, most, tag = spread(judged[i])
  local live = alive
  if consume == 1 and verdict ~= 'D' and fits and cost > 0 then
    --@charges
    written[cell], live = true, later
    peaks[i] = { held + (algorithm == CONCURRENCY and 1 or cost), most, tag }
  elseif consume == 1 then
    if refuses[i] == 1 then peaks[i] = { held, most, tag } end    -- as full as it was when it denied
    if extra then mend(extra, alive) end
  end
  lives[cell] = max(lives[cell] or 0, live)
  answers[i] = pack('<BI7i8I6I6I6', fits and 1 or 0, x, wait, y, z, u)
end
--@cells
if consume == 1 then
  --@usage
  --@early
  --@hours
  --@denials
end
return verdict .. pack('<I7', now) .. table.concat(answers)
