// SPDX-License-Identifier: Apache-2.0
// Convert: conversions of numbers between types, and comparisons.
#pragma once

#include "harness/device_code/ptx/device/floating.h"

namespace ptx {

// ---- to an integer ------------------------------------------------------------------------------

/// Returns the integer next to the number in the direction that M names; towards zero by default.
template <u64 M>
PTX_OP f64 to_integral(f64 value) {
  if constexpr ((M & (rni | rn)) != 0)
    return __builtin_rint(value);
  else if constexpr ((M & (rmi | rm)) != 0)
    return __builtin_floor(value);
  else if constexpr ((M & (rpi | rp)) != 0)
    return __builtin_ceil(value);
  else
    return __builtin_trunc(value);
}

template <class D>
inline constexpr D kLeast =
    is_signed<D> ? static_cast<D>(Unsigned<D>{1} << (bits_of<D> - 1)) : D{0};
template <class D>
inline constexpr D kMost = static_cast<D>(~static_cast<Unsigned<D>>(kLeast<D>));

/// The integer result for a NaN of type S: 0, or the top bit if either type has 64 bits.
template <class D, class S>
inline constexpr D kNone =
    is_same<S, f64> || sizeof(D) == 8 ? static_cast<D>(Unsigned<D>{1} << (bits_of<D> - 1)) : D{0};

/// Converts to an integer, clamped to the range of D.
template <class D, class S, u64 M>
PTX_OP D float_to_integer(f64 value) {
  if (is_nan(value)) return kNone<D, S>;
  const f64 whole = to_integral<M>(value);
  if (whole <= static_cast<f64>(kLeast<D>)) return kLeast<D>;
  if (whole >= static_cast<f64>(kMost<D>)) return kMost<D>;
  return static_cast<D>(whole);
}

template <class D, u64 M, class S>
PTX_OP D integer_to_integer(S value) {
  if constexpr ((M & sat) != 0) {
    const auto exact = static_cast<__int128>(value);
    if (exact < static_cast<__int128>(kLeast<D>)) return kLeast<D>;
    if (exact > static_cast<__int128>(kMost<D>)) return kMost<D>;
  }
  return static_cast<D>(value);
}

// ---- to a floating-point number -----------------------------------------------------------------

/// A zero becomes +0 in each direction; processors differ here.
template <u64 M, class S>
PTX_OP f64 integer_to_f64(S value) {
  if (value == 0) return 0;
  if constexpr ((M & kDirected) != 0) {
    const RoundingMode<M> mode;
    settle(value);
    f64 result = static_cast<f64>(value);
    settle(result);
    return result;
  }
  return static_cast<f64>(value);
}

/// Between formats of the same size, .rni and similar modifiers round to an integer.
template <class D, class S, u64 M>
PTX_OP D float_to_float(f64 value) {
  if constexpr ((M & (rni | rzi | rmi | rpi)) != 0) value = to_integral<M>(value);
  if constexpr ((M & sat) != 0) value = unit(value);
  if constexpr ((M & relu) != 0) value = value > 0 || is_nan(value) ? value : 0;
  if constexpr (is_same<D, f64>)
    return canonical(value);
  else
    return flush<M>(narrow<D, M>(value));
}

/// Converts a number of any type to D.
template <class D, class S, u64 M, class A>
PTX_OP D cvt(A raw) {
  if constexpr (is_integer<S>) {
    const S value = get<S>(raw);
    if constexpr (is_integer<D>)
      return integer_to_integer<D, M>(value);
    else if constexpr (is_same<D, f64>)
      return integer_to_f64<M>(value);
    else
      return narrow<D, M>((M & sat) != 0 ? unit(from_integer_to_odd(value))
                                         : from_integer_to_odd(value));
  } else {
    const f64 value = widen(flush<M>(get<S>(raw)));
    if constexpr (is_integer<D>)
      return float_to_integer<D, S, M>(value);
    else
      return float_to_float<D, S, M>(value);
  }
}

/// Packs two numbers, the first into the high half.
template <class D, class S, u64 M, class A, class B>
PTX_OP u32 cvt_pack(A high, B low) {
  using Half = decltype([] {
    if constexpr (is_same<D, f16x2>)
      return f16{};
    else
      return bf16{};
  }());
  return u32{cvt<Half, S, M>(low).raw} | u32{cvt<Half, S, M>(high).raw} << 16;
}

/// Packs two integers, each clamped to `count` bits: the first above the second, and above them the
/// low bits of a third.
template <u32 count, bool has_sign>
PTX_OP u32 cvt_integers(s32 high, s32 low, u32 rest) {
  constexpr s64 kOver = s64{1} << (has_sign ? count - 1 : count);
  constexpr s64 kUnder = has_sign ? -kOver : 0;
  const auto clamped = [](s64 value) {
    value = value < kUnder ? kUnder : value >= kOver ? kOver - 1 : value;
    return static_cast<u32>(value) & ((u32{1} << count) - 1);
  };
  const u64 above = u64{rest} << 2 * count;
  return static_cast<u32>(above) | clamped(high) << count | clamped(low);
}

/// Rounds f32 to the digits of tf32, ties away from zero by default. In this mode the digits of a
/// NaN are cut, too, because a GPU only adds and masks.
template <u64 M, class A>
PTX_OP u32 cvt_tf32(A raw) {
  u32 value = get<u32>(raw);
  if constexpr ((M & satfinite) != 0)
    if (is_nan(get<f32>(value))) return 0x7fffffff;
  if constexpr ((M & relu) != 0)
    if (!(get<f32>(value) > 0 || is_nan(get<f32>(value)))) value = 0;
  const bool is_number = (value & 0x7f800000) != 0x7f800000;
  if constexpr ((M & satfinite) != 0)
    if ((value & 0x7fffffff) > 0x7f7fe000) return (value & 0x80000000) | 0x7f7fe000;
  if (!is_number && (M & (rn | rz)) != 0) return (value & 0x7fffff) != 0 ? 0x7fffffff : value;
  if (!is_number) return value & ~u32{0x1fff};
  const u32 half = (M & rn) != 0 ? 0xfff + (value >> 13 & 1) : (M & rz) != 0 ? 0 : 0x1000;
  return (value + half) & ~u32{0x1fff};
}

// ---- comparison ---------------------------------------------------------------------------------

enum class Order : u8 { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

/// Compares numbers. With a NaN, only the comparisons whose name ends in u, and `nan`, are true.
template <Order how, class V>
PTX_OP bool holds(V a, V b) {
  const bool unordered = is_nan(a) || is_nan(b);
  switch (how) {
    case Order::eq:
      return a == b;
    case Order::ne:
      return a != b && !unordered;
    case Order::lt:
      return a < b;
    case Order::le:
      return a <= b;
    case Order::gt:
      return a > b;
    case Order::ge:
      return a >= b;
    case Order::equ:
      return a == b || unordered;
    case Order::neu:
      return a != b;
    case Order::ltu:
      return a < b || unordered;
    case Order::leu:
      return a <= b || unordered;
    case Order::gtu:
      return a > b || unordered;
    case Order::geu:
      return a >= b || unordered;
    case Order::num:
      return !unordered;
    case Order::nan:
      return unordered;
  }
}

template <Order how, class T, u64 M, class A, class B>
PTX_OP bool compare(A left, B right) {
  if constexpr (is_half<T>)
    return holds<how>(widen(flush_half<M>(get<T>(left))), widen(flush_half<M>(get<T>(right))));
  else
    return holds<how>(flush<M>(get<T>(left)), flush<M>(get<T>(right)));
}

/// Compares the low or the high parts of two registers that hold pairs.
template <Order how, class T, u64 M, class A, class B>
PTX_OP bool compare_part(A left, B right, u32 index) {
  const u32 place = index * bits_of<Part<T>>;
  return compare<how, Part<T>, M>(get<u32>(left) >> place, get<u32>(right) >> place);
}

/// The result of `set`: all ones, or 1.0.
template <class D>
PTX_OP D truth(bool value) {
  if constexpr (is_float<D>)
    return value ? D(1) : D(0);
  else if constexpr (is_half<D>)
    return narrow<D, rn>(value);
  else
    return value ? static_cast<D>(~Unsigned<D>{0}) : D{0};
}

/// The result of `set` for pairs: all ones or 1.0 for each part.
template <class D>
PTX_OP u32 truth_of_two(bool low, bool high) {
  if constexpr (is_pair<D>)
    return u32{truth<Part<D>>(low).raw} | u32{truth<Part<D>>(high).raw} << 16;
  else
    return u32{truth<u16>(low)} | u32{truth<u16>(high)} << 16;
}

template <class T, class C, u64 M, class A, class B, class Condition>
PTX_OP T slct(A left, B right, Condition condition) {
  const C value = flush<M>(get<C>(condition));
  return value >= 0 ? get<T>(left) : get<T>(right);
}

enum class Property : u8 { finite, infinite, number, notanumber, normal, subnormal };

/// In the ISA, zeroes are normal numbers.
template <Property what, class T, class A>
PTX_OP bool testp(A raw) {
  const auto magnitude = static_cast<Unsigned<T>>(get<Unsigned<T>>(raw) << 1);
  constexpr auto kInfinity =
      static_cast<Unsigned<T>>(sizeof(T) == 4 ? 0xff000000 : 0xffe0000000000000);
  constexpr auto kNormal = static_cast<Unsigned<T>>(Unsigned<T>{1} << (sizeof(T) == 4 ? 24 : 53));
  switch (what) {
    case Property::finite:
      return magnitude < kInfinity;
    case Property::infinite:
      return magnitude == kInfinity;
    case Property::number:
      return magnitude <= kInfinity;
    case Property::notanumber:
      return magnitude > kInfinity;
    case Property::normal:
      return (magnitude >= kNormal && magnitude < kInfinity) || magnitude == 0;
    case Property::subnormal:
      return magnitude != 0 && magnitude < kNormal;
  }
}

}  // namespace ptx
