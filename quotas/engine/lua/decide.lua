-- Decide one request: judge every limit, then charge all of them or none. One round trip, one script.
--
-- KEYS  [owner] cell keys, then keys of logs and slots, in the order in which the policy numbers them
-- ARGV  1 policy: '<I7I7BB' from, till (us: the span in which it holds), cell keys, limits; then a limit
--         '<BBBBc4BI7I7I7I7I7' algorithm, enforced, cell key, extra key, name, kind, n, p, a, b, c (see each algorithm)
--       2 call: '<I7BBc8Bc7' now (us, 0: the server's clock), consume, seeded, slot, flags, version; then a limit
--         '<I6I6' cost, seed
-- Out   'D' or 'S' or 'A' (denied, shadow-denied, allowed), '<I7' now, then a limit
--         '<BI7i8I6I6' fits, x (us), wait or, when it fits, delay (us; -1 never), y, z: its state after this call
--       'T' stale, 'V' other version (then 7 bytes), 'U' unseeded: each with '<I7' now, and nothing charged
--
-- Flags: 1 compare the owner's version, 2 an absent calendar state needs the owner's mark. A cell key holds records of
-- 29 bytes '<c4I6BI6I6I6': name, x below 2^48, 16 times kind and x above, y, z, u; one of the same name and another kind
-- is absent, and overwritten. Invariants: a denied call writes no state; every key written has an expiry;
-- a peek writes nothing at all.
local floor, ceil, max, format = math.floor, math.ceil, math.max, string.format
local spread, unpack, pack, sub, call = unpack, struct.unpack, struct.pack, string.sub, redis.call
local policy, asked = ARGV[1], ARGV[2]

-- x * y / d as quotient and remainder, exactly, for whole numbers below 2^53.
local function muldiv(x, y, d)
  local product = x * y
  if product < 9007199254740992 then
    local q = floor(product / d)
    return q, product - q * d
  end
  local over, q, r = x % d, 0, 0
  local bit = 4503599627370496
  repeat                                            -- long multiplication, bit by bit, reduced as it goes
    q, r = q + q, r + r
    if r >= d then q, r = q + 1, r - d end
    if y >= bit then
      y, r = y - bit, r + over
      q = q + floor(x / d)
      if r >= d then q, r = q + 1, r - d end
    end
    bit = bit / 2
  until bit < 1
  return q, r
end

local now, consume, seeded, slot, flags, version, ask = unpack('<I7BBc8Bc7', asked)
local given = now > 0
if not given then
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
local from, till, cells, count, at_rule = unpack('<I7I7BB', policy)
if now < from or now >= till then return 'T' .. pack('<I7', now) end
local first, marked = 0, true
if flags > 0 then
  local owner = call('HMGET', KEYS[1], 'version', 'mark')
  first, marked = 1, owner[2] or flags < 2
  local seen = owner[1] or '\0\0\0\0\0\0\0'
  if flags % 2 == 1 and seen ~= version then return 'V' .. pack('<I7', now) .. seen end
end

local texts = cells > 0 and call('MGET', spread(KEYS, first + 1, first + cells)) or {}
local judged, stale, unknown, written = {}, {}, {}, {}
local verdict = 'A'
for i = 1, count do
  local algorithm, enforced, cell, extra, name, kind, n, p, a, b, c, cost, seed
  algorithm, enforced, cell, extra, name, kind, n, p, a, b, c, at_rule = unpack('<BBBBc4BI7I7I7I7I7', policy, at_rule)
  cost, seed, ask = unpack('<I6I6', asked, ask)
  extra = extra > 0 and KEYS[first + extra]
  local x, y, z, u, place
  local wait, delay, alive, later = 0, 0, 0, 0
  local text = cell > 0 and texts[cell]
  if text then
    unknown[cell] = unknown[cell] or #text
    for k = 1, #text, 29 do
      if sub(text, k, k + 3) == name then
        local low, high, level, part, unit = unpack('<I6BI6I6I6', text, k + 4)
        if floor(high / 16) == kind then x, y, z, u = low + high % 16 * 281474976710656, level, part, unit end
        place, unknown[cell] = k, unknown[cell] - 29
        break
      end
    end
  end
  --@algorithms
  local fits = wait == 0 or cost == 0
  if not fits and enforced == 1 then verdict = 'D' elseif not fits and verdict == 'A' then verdict = 'S' end
  if cost == 0 then delay = 0 end
  judged[i] = { algorithm, cell, extra, name, kind, p, cost, fits, place or false, x, y, z, u, math.min(fits and delay or wait, 9007199254740991), alive, later }
end

-- Milliseconds of expiry: at most ten years; at least an hour in virtual time, which must not run out in real time.
local function lasting(us)
  return max(math.min(ceil(us / 1000) + 1, 315576000000), given and 3600000 or 1)
end

local function mend(key, us)                        -- a missing or, since an edit, too short expiry
  local left = call('PTTL', key)
  if left == -1 or (left >= 0 and left + 2 < lasting(us)) then call('PEXPIRE', key, lasting(us)) end
end

local lives, answers = {}, {}
for i = 1, count do
  local algorithm, cell, extra, name, kind, p, cost, fits, place, x, y, z, u, wait, alive, later = spread(judged[i])
  local live = alive
  if consume == 1 and verdict ~= 'D' and fits and cost > 0 then
    --@charges
    local high = floor(x / 281474976710656)
    local record = pack('<c4I6BI6I6I6', name, x - high * 281474976710656, kind * 16 + high, y, z, u)
    local text = texts[cell] or ''
    texts[cell] = place and sub(text, 1, place - 1) .. record .. sub(text, place + 29) or text .. record
    written[cell], live = true, later
  elseif consume == 1 and extra then
    mend(extra, alive)
  end
  lives[cell] = max(lives[cell] or 0, live)
  answers[i] = pack('<BI7i8I6I6', fits and 1 or 0, x, wait, y, z)
end
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
return verdict .. pack('<I7', now) .. table.concat(answers)
