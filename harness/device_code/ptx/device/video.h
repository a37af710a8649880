// SPDX-License-Identifier: Apache-2.0
// Video: arithmetic on the bytes and halves of registers. Source: PTX ISA 9.0, "Video
// Instructions". An exact result is clamped, then combined with a third operand, or inserted into
// it.
#pragma once

#include "harness/device_code/ptx/device/convert.h"

namespace ptx {

enum class Video : u8 { add, sub, absdiff, min, max, avrg, shl, shr, set };

/// A position in a register.
struct Field {
  u32 first;  ///< Lowest bit.
  u32 bits;
};

/// Reads a field, sign-extended if it is signed.
PTX_OP s64 field_of(u64 raw, Field field, bool has_sign) {
  const u64 top = raw << (64 - field.first - field.bits);
  return has_sign ? static_cast<s64>(top) >> (64 - field.bits)
                  : static_cast<s64>(top >> (64 - field.bits));
}
/// Clamps to the range of this many bits.
PTX_OP s64 clamped_to(__int128 value, u32 bits, bool has_sign) {
  const __int128 over = __int128{1} << (has_sign ? bits - 1 : bits);
  const __int128 under = has_sign ? -over : 0;
  return static_cast<s64>(value < under ? under : value >= over ? over - 1 : value);
}

template <Video what, Order how>
PTX_OP __int128 video(s64 a, s64 b) {
  switch (what) {
    case Video::add:
      return a + b;
    case Video::sub:
      return a - b;
    case Video::absdiff:
      return a < b ? b - a : a - b;
    case Video::min:
      return a < b ? a : b;
    case Video::max:
      return a < b ? b : a;
    case Video::avrg:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Video::shl:
      return static_cast<__int128>(a) << b;
    case Video::shr:
      return a >> b;
    case Video::set:
      return holds<how>(a, b) ? 1 : 0;
  }
}

/// Returns the shift amount, at most 32, or modulo 32 with .wrap.
template <Video what, u64 M>
PTX_OP s64 shifted_by(s64 amount) {
  if constexpr (what != Video::shl && what != Video::shr) return amount;
  if constexpr ((M & wrap) != 0) return amount & 31;
  return amount < 32 ? amount : 32;
}

/// Completes a scalar instruction. `second` is add, min or max, or `set` for none. A field narrower
/// than the register is replaced in the third operand.
template <Video second, u64 M, bool has_sign>
PTX_OP u32 video_end(__int128 value, Field to, u32 third) {
  if constexpr ((M & sat) != 0) value = clamped_to(value, to.bits, has_sign);
  const s64 other = has_sign ? s64{static_cast<s32>(third)} : s64{third};
  if constexpr (second == Video::add) value += other;
  if constexpr (second == Video::min) value = value < other ? value : other;
  if constexpr (second == Video::max) value = value < other ? other : value;
  const u32 mask = static_cast<u32>(((u64{1} << to.bits) - 1) << to.first);
  return (static_cast<u32>(value) << to.first & mask) | (third & ~mask);
}
template <Video what, Order how, Video second, u64 M, bool has_sign>
PTX_OP u32 video_scalar(s64 a, s64 b, Field to, u32 third) {
  return video_end<second, M, has_sign>(video<what, how>(a, shifted_by<what, M>(b)), to, third);
}

/// Computes a * b + c, with an optional minus before the product or before c, or with one added.
/// The result is shifted and clamped.
template <u64 M, bool has_sign>
PTX_OP u32 video_mad(s64 a, s64 b, bool minus, u32 more, bool minus_more, bool plus_one, u32 by) {
  const __int128 c = has_sign ? s64{static_cast<s32>(more)} : s64{more};
  __int128 value = static_cast<__int128>(a) * b;
  value = (minus ? -value : value) + (minus_more ? -c : c) + (plus_one ? 1 : 0);
  value >>= by;
  if constexpr ((M & sat) != 0) return static_cast<u32>(clamped_to(value, 32, has_sign));
  return static_cast<u32>(value);
}

/// Selects the parts of a register. Part i of each source is part `a[i]` or `b[i]` of both
/// together, with the second above the first. The result has the parts of `mask`.
template <u32 count>
struct Choice {
  u32 a[count];
  u32 b[count];
  u32 mask;
};

/// Applies an operation to each half or byte. With `sums`, adds the results to the third operand,
/// else inserts each there.
template <Video what, Order how, u64 M, u32 count, bool sign_a, bool sign_b, bool sign, bool sums>
PTX_OP u32 video_parts(u32 left, u32 right, u32 third, Choice<count> choice) {
  constexpr u32 kBits = 32 / count;
  const u64 both = u64{right} << 32 | left;
  u32 made = third;
  for (u32 i = 0; i < count; ++i) {
    if ((choice.mask >> i & 1) == 0) continue;
    __int128 value = video<what, how>(field_of(both, {choice.a[i] * kBits, kBits}, sign_a),
                                      field_of(both, {choice.b[i] * kBits, kBits}, sign_b));
    if constexpr ((M & sat) != 0) value = clamped_to(value, kBits, sign);
    const u32 mask = ((u32{1} << kBits) - 1) << i * kBits;
    made = sums ? made + static_cast<u32>(value)
                : (made & ~mask) | (static_cast<u32>(value) << i * kBits & mask);
  }
  return made;
}

}  // namespace ptx
