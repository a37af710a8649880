// SPDX-License-Identifier: Apache-2.0
// Rounding: conversion to a narrower format or an integer, and arithmetic, in each rounding mode.
//
// A sum or product of narrow numbers is computed in f64, exactly or rounded to odd. A second
// rounding, to at most half of its digits, then gives the correct result (Boldo and Melquiond
// 2008).
#pragma once

#include "harness/device_code/ptx/device/types.h"

namespace ptx {

inline constexpr u64 kDirected = rz | rm | rp;

// ---- the processor's rounding mode --------------------------------------------------------------

/// Sets the processor's rounding mode to M while it exists. Operands and results must pass
/// settle(), so that the compiler does not move arithmetic across either end.
template <u64 M>
struct RoundingMode {
  PTX_OP RoundingMode() {
    asm volatile("stmxcsr %0" : "=m"(before)::"memory");
    constexpr u32 kBits = (M & rz) != 0 ? 0x6000 : (M & rp) != 0 ? 0x4000 : 0x2000;
    const u32 now = (before & ~u32{0x6000}) | kBits;
    asm volatile("ldmxcsr %0" ::"m"(now) : "memory");
  }
  PTX_OP ~RoundingMode() { asm volatile("ldmxcsr %0" ::"m"(before) : "memory"); }
  u32 before;
};

template <class T>
PTX_OP void settle(T& value) {
  if constexpr (is_float<T>)
    asm volatile("" : "+x"(value)::"memory");
  else
    asm volatile("" : "+r"(value)::"memory");
}

// ---- special values -----------------------------------------------------------------------------

template <class T>
PTX_OP bool is_nan(T value) {
  return value != value;
}
/// The NaN that instructions return. Payloads are not kept.
template <class T>
PTX_OP T canonical_nan() {
  if constexpr (is_same<T, f32>)
    return get<f32>(u32{0x7fffffff});
  else
    return get<f64>(u64{0x7ff8000000000000});
}
template <class T>
PTX_OP T canonical(T value) {
  return is_nan(value) ? canonical_nan<T>() : value;
}
/// With .ftz, replaces subnormal numbers by zero with their sign.
template <u64 M, class T>
PTX_OP T flush(T value) {
  if constexpr ((M & ftz) != 0 && is_same<T, f32>) {
    const u32 raw = bits(value);
    return (raw & 0x7f800000) == 0 ? get<f32>(raw & 0x80000000) : value;
  }
  return value;
}
/// Clamps to [0, 1]. NaN becomes 0.
template <class T>
PTX_OP T unit(T value) {
  return value > T(1) ? T(1) : value > T(0) ? value : T(0);
}
template <u64 M, class T>
PTX_OP T finish(T value) {
  value = flush<M>(value);
  if constexpr ((M & sat) != 0) return unit(value);
  return canonical(value);
}

// ---- to a narrower format -----------------------------------------------------------------------

struct Format {
  int digits;    ///< Explicit bits of the significand.
  int exponent;  ///< The smallest exponent of a normal number.
  int most;      ///< The largest exponent.
};
template <class T>
inline constexpr Format kFormat{};
template <>
inline constexpr Format kFormat<f16>{10, -14, 15};
template <>
inline constexpr Format kFormat<bf16>{7, -126, 127};
template <>
inline constexpr Format kFormat<f32>{23, -126, 127};

/// Returns whether a number is rounded up in magnitude, given its sign, its last kept bit, and how
/// the part cut off compares with a half.
template <u64 M>
PTX_OP bool rounds_up(bool negative, bool odd, int cut_against_half, bool inexact) {
  if ((M & rz) != 0) return false;
  if ((M & rm) != 0) return negative && inexact;
  if ((M & rp) != 0) return !negative && inexact;
  if ((M & rna) != 0) return cut_against_half >= 0;
  return cut_against_half > 0 || (cut_against_half == 0 && odd);
}

/// Returns the bits, without the sign, of a finite positive `magnitude` in a format.
template <u64 M>
inline u32 narrow_magnitude(u64 magnitude, bool negative, Format to) {
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (magnitude == 0) return 0;
  const u64 digits = (magnitude & 0xfffffffffffff) | (u64{1} << 52);
  const int below = exponent < to.exponent ? to.exponent - exponent : 0;
  const int cut = 52 - to.digits + below;
  u64 kept = cut > 63 ? 0 : digits >> cut;
  const u64 rest = cut > 63 ? digits : digits & ((u64{1} << cut) - 1);
  const u64 half = cut > 63 ? ~u64{0} : u64{1} << (cut - 1);
  const int against = rest > half ? 1 : rest == half ? 0 : -1;
  kept += rounds_up<M>(negative, (kept & 1) != 0, against, rest != 0) ? 1 : 0;
  // A carry out of the significand increments the exponent, and makes the largest subnormal a
  // normal.
  const u64 base = below != 0 ? 0 : static_cast<u64>(exponent - to.exponent) << to.digits;
  const u64 result = base + kept;
  const u64 infinity = static_cast<u64>(to.most - to.exponent + 2) << to.digits;
  if (result < infinity) return static_cast<u32>(result);
  const bool away = rounds_up<M>(negative, true, 1, true);
  return static_cast<u32>(away ? infinity : infinity - 1);
}

/// Rounds to a narrower format.
template <class T, u64 M>
PTX_OP T narrow(f64 value) {
  constexpr Format to = kFormat<T>;
  constexpr u32 sign_place = bits_of<T> - 1;
  constexpr u32 infinity = static_cast<u32>(to.most - to.exponent + 2) << to.digits;
  const u64 raw = bits(value);
  const bool negative = raw >> 63 != 0;
  const u64 magnitude = raw & 0x7fffffffffffffff;
  u32 result;
  if (is_nan(value))
    return get<T>(static_cast<u32>(0x7fffffff) >> (32 - bits_of<T>));
  else if (magnitude == 0x7ff0000000000000)
    result = infinity;
  else
    result = narrow_magnitude<M>(magnitude, negative, to);
  if constexpr ((M & satfinite) != 0) result = result < infinity ? result : infinity - 1;
  return get<T>(result | static_cast<u32>(negative) << sign_place);
}

PTX_OP f64 widen(f16 half) {
  const u32 digits = half.raw & 0x3ff;
  const u32 exponent = half.raw >> 10 & 31;
  f64 value = exponent == 0 ? digits * 0x1p-24
                            : get<f64>(u64{exponent - 15 + 1023} << 52 | u64{digits} << 42);
  if (exponent == 31) value = digits != 0 ? canonical_nan<f64>() : __builtin_inf();
  return (half.raw & 0x8000) != 0 ? -value : value;
}
PTX_OP f64 widen(bf16 half) { return get<f32>(u32{half.raw} << 16); }
PTX_OP f64 widen(f32 value) { return value; }
PTX_OP f64 widen(f64 value) { return value; }

// ---- rounding to odd ----------------------------------------------------------------------------

/// Adds. If the sum is not exact, returns the neighbour whose last bit is one.
PTX_OP f64 add_to_odd(f64 a, f64 b) {
  const f64 sum = a + b;
  const f64 back = sum - a;
  const f64 error = (a - (sum - back)) + (b - back);
  const u64 raw = bits(sum);
  if (error == 0 || is_nan(error) || (raw & 1) != 0) return sum;
  return get<f64>((error > 0) == (sum > 0) ? raw + 1 : raw - 1);
}

/// Returns the integer as f64. If that is not exact, returns the neighbour whose last bit is one.
template <class T>
PTX_OP f64 from_integer_to_odd(T value) {
  const bool negative = value < 0;
  u64 magnitude = negative ? u64{0} - static_cast<u64>(value) : static_cast<u64>(value);
  if (magnitude >> 53 != 0)
    magnitude = (magnitude & ~u64{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800 : 0);
  const f64 result = static_cast<f64>(magnitude);
  return negative ? -result : result;
}

}  // namespace ptx
