// SPDX-License-Identifier: Apache-2.0
// Float8: 8-bit floating point, e4m3 and e5m2, two in a 16-bit register.
#pragma once

#include "harness/device_code/ptx/device/convert.h"

namespace ptx {

/// Four exponent bits and three digits. All ones is the only NaN, and there is no infinity.
struct e4m3 {
  u8 raw;
};
/// Five exponent bits and two digits: the upper half of an f16.
struct e5m2 {
  u8 raw;
};
struct e4m3x2 {
  u16 raw;
};
struct e5m2x2 {
  u16 raw;
};
template <>
struct PartOf<e4m3x2> {
  using Type = e4m3;
};
template <>
struct PartOf<e5m2x2> {
  using Type = e5m2;
};
template <>
inline constexpr Format kFormat<e4m3>{3, -6, 8};
template <>
inline constexpr Format kFormat<e5m2>{2, -14, 15};

/// The bits of the largest number.
template <class T>
inline constexpr u32 kLargest = is_same<T, e4m3> ? 0x7e : 0x7b;

/// Rounds to the nearest number. Larger numbers become the largest one, and a NaN stays a NaN.
template <class T, u64 M>
PTX_OP T to_byte(f64 value) {
  if (is_nan(value)) return {0x7f};
  if constexpr ((M & relu) != 0) value = value > 0 ? value : 0;
  const u64 raw = bits(value);
  const u64 magnitude = raw & 0x7fffffffffffffff;
  const bool negative = raw >> 63 != 0;
  u32 made = kLargest<T>;
  if (magnitude < 0x7ff0000000000000) made = narrow_magnitude<rn>(magnitude, negative, kFormat<T>);
  made = made < kLargest<T> ? made : kLargest<T>;
  return {static_cast<u8>(made | (negative ? 0x80 : 0))};
}
PTX_OP f64 widen(e5m2 value) { return widen(f16{static_cast<u16>(value.raw << 8)}); }
PTX_OP f64 widen(e4m3 value) {
  if ((value.raw & 0x7f) == 0x7f) return canonical_nan<f64>();
  // The digits of an f16 whose exponent is too small by 8.
  const f64 size = widen(f16{static_cast<u16>((value.raw & 0x7f) << 7)}) * 256;
  return (value.raw & 0x80) != 0 ? -size : size;
}

/// Packs two numbers of type S, the first into the high byte.
template <class D, class S, u64 M, class A, class B>
PTX_OP u16 cvt_bytes(A high, B low) {
  return static_cast<u16>(to_byte<Part<D>, M>(widen(get<S>(low))).raw |
                          to_byte<Part<D>, M>(widen(get<S>(high))).raw << 8);
}
/// Packs the two numbers of an f16x2.
template <class D, u64 M, class A>
PTX_OP u16 cvt_bytes(A raw) {
  return cvt_bytes<D, f16, M>(get<u32>(raw) >> 16, get<u32>(raw));
}
/// Unpacks two bytes to two halves.
template <class S, u64 M, class A>
PTX_OP u32 cvt_from_bytes(A raw) {
  const auto half = [&](u32 place) {
    const auto byte = Part<S>{static_cast<u8>(get<u16>(raw) >> place)};
    return u32{float_to_float<f16, f16, M>(widen(byte)).raw};
  };
  return half(0) | half(8) << 16;
}

}  // namespace ptx
