// SPDX-License-Identifier: Apache-2.0
// Halves: f16 and bf16 by definition of their formats, by a search for the nearest value.
#pragma once

#include <cmath>
#include <map>

#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {

using quad = __float128;

/// Returns the number that a half is; NaN and infinities as those of f64.
inline f64 number(half value) {
  const int exponent = value.raw >> 10 & 31;
  const f64 digits = value.raw & 1023;
  const f64 size = exponent == 31  ? (digits != 0 ? NAN : INFINITY)
                   : exponent == 0 ? std::ldexp(digits, -24)
                                   : std::ldexp(1024 + digits, exponent - 25);
  return (value.raw >> 15) != 0 ? -size : size;
}
inline f64 number(bhalf value) { return std::bit_cast<f32>(u32{value.raw} << 16); }

/// Returns the half nearest to a number, the even one of two, or by another rule: which of two
/// neighbours is taken is `choose(low, high, value)`, of sizes.
template <class H, class Choose>
H rounded_half(quad value, bool negative, Choose choose) {
  const u16 sign = negative ? 0x8000 : 0;
  if (value != value) return {0x7fff};
  const quad size = value < 0 ? -value : value;
  static const std::map<f64, u16> sizes = [] {
    std::map<f64, u16> made;
    for (u32 raw = 0; raw < 0x8000; ++raw)
      if (const f64 one = number(H{static_cast<u16>(raw)}); one == one)
        made[one] = static_cast<u16>(raw);
    return made;
  }();
  auto above = sizes.begin();
  auto end = sizes.end();
  for (std::size_t count = sizes.size(); count > 0;) {  // The first that is not less.
    auto middle = above;
    const std::size_t step = count / 2;
    std::advance(middle, step);
    if (quad{middle->first} < size) {
      above = ++middle;
      count -= step + 1;
    } else {
      count = step;
    }
  }
  if (above == end) above = std::prev(end);
  if (quad{above->first} == size || above == sizes.begin())
    return {static_cast<u16>(above->second | sign)};
  const auto below = std::prev(above);
  // Infinity stands where the next number would be.
  const quad gap = quad{below->first} - std::prev(below)->first;
  const quad top = std::isinf(above->first) ? quad{below->first} + gap : quad{above->first};
  const bool up = choose(size - below->first, top - size, (below->second & 1) != 0);
  return {static_cast<u16>((up ? above->second : below->second) | sign)};
}

template <class H>
H nearest(quad value, bool negative) {
  return rounded_half<H>(value, negative, [](quad low, quad high, bool odd) {
    return low > high || (low == high && odd);
  });
}
template <class H>
H nearest(quad value) {
  return nearest<H>(value, value < 0);
}

template <class H>
bool same_half(u64 a, u64 b) {
  const f64 x = number(H{static_cast<u16>(a)});
  const f64 y = number(H{static_cast<u16>(b)});
  return (x != x && y != y) || a == b;
}

/// A sweep with results in halves; all NaNs are equal.
template <class H, class... S, class Reference>
Sweep half_sweep(std::string text, Reference reference) {
  Sweep made = sweep<H, S...>(std::move(text), reference);
  made.same = same_half<H>;
  return made;
}

}  // namespace harness::testing
