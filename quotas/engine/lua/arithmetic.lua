-- Exact arithmetic on whole numbers. Spliced into decide.lua.
--
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
