// SPDX-License-Identifier: Apache-2.0
// Integer: arithmetic, logic, shifts and bit fields on integers.
#pragma once

#include "harness/device_code/ptx/device/types.h"

namespace ptx {

// ---- arithmetic ---------------------------------------------------------------------------------

/// Clamps an exact result to the range of s32, for .sat.
PTX_OP s32 saturated(s64 value) {
  return value < -2147483647 - 1 ? -2147483647 - 1
         : value > 2147483647    ? 2147483647
                                 : static_cast<s32>(value);
}

template <class T, u64 M>
PTX_OP T int_add(T a, T b) {
  if constexpr ((M & sat) != 0)
    return saturated(s64{a} + s64{b});
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}

template <class T, u64 M>
PTX_OP T int_sub(T a, T b) {
  if constexpr ((M & sat) != 0)
    return saturated(s64{a} - s64{b});
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}

template <class T, u64 M>
PTX_OP auto int_mul(T a, T b) {
  const Wide<T> product = static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b);
  if constexpr ((M & wide) != 0)
    return product;
  else if constexpr ((M & hi) != 0)
    return static_cast<T>(product >> bits_of<T>);
  else
    return static_cast<T>(product);
}

template <class T, u64 M, class C>
PTX_OP auto int_mad(T a, T b, C c) {
  const auto product = int_mul<T, M>(a, b);
  if constexpr ((M & sat) != 0)
    return saturated(s64{product} + s64{c});
  else
    return static_cast<C>(bits(product) + bits(c));
}

/// Multiplies the low 24 bits of both, and returns the low or the high 32 of the 48 result bits.
template <class T, u64 M, class A, class B>
PTX_OP T mul24(A left, B right) {
  const auto cut = [](auto raw) {
    return static_cast<s64>(static_cast<T>(get<u32>(raw) << 8) >> 8);
  };
  const s64 product = cut(left) * cut(right);
  return static_cast<T>((M & hi) != 0 ? product >> 16 : product);
}
template <class T, u64 M, class A, class B, class C>
PTX_OP T mad24(A left, B right, C more) {
  const T product = mul24 < T, M & ~u64{sat} > (left, right);
  return int_add<T, M>(product, get<T>(more));
}

template <class T, u64 M, class A, class B, class C>
PTX_OP T sad(A left, B right, C more) {
  const T a = get<T>(left);
  const T b = get<T>(right);
  const T high = a < b ? b : a;
  const T low = a < b ? a : b;
  return static_cast<T>(bits(get<T>(more)) + (bits(high) - bits(low)));
}

/// Division by zero gives all ones, as on a GPU. The ISA leaves it unspecified.
template <class T, u64 M>
PTX_OP T int_div(T a, T b) {
  if (b == 0) return static_cast<T>(~Unsigned<T>{0});
  if constexpr (is_signed<T>)
    if (b == -1) return static_cast<T>(Unsigned<T>{0} - bits(a));
  return static_cast<T>(a / b);
}

/// The remainder of a division by zero is all ones, too.
template <class T, u64 M, class A, class B>
PTX_OP T rem(A left, B right) {
  const T a = get<T>(left);
  const T b = get<T>(right);
  if (b == 0) return static_cast<T>(~Unsigned<T>{0});
  if constexpr (is_signed<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

// ---- extended precision, with a carry flag in the thread ----------------------------------------

template <class T, u64 M, bool in, bool out, class A, class B>
PTX_OP T add_carried(A left, B right, bool& carry) {
  const auto sum = static_cast<Wide<Unsigned<T>>>(get<Unsigned<T>>(left)) +
                   get<Unsigned<T>>(right) + (in && carry ? 1 : 0);
  if (out) carry = (sum >> bits_of<T>) != 0;
  return static_cast<T>(sum);
}

/// The flag holds the borrow.
template <class T, u64 M, bool in, bool out, class A, class B>
PTX_OP T sub_carried(A left, B right, bool& carry) {
  const auto difference = static_cast<Wide<Unsigned<T>>>(get<Unsigned<T>>(left)) -
                          get<Unsigned<T>>(right) - (in && carry ? 1 : 0);
  if (out) carry = (difference >> bits_of<T>) != 0;
  return static_cast<T>(difference);
}

template <class T, u64 M, bool in, bool out, class A, class B, class C>
PTX_OP T mad_carried(A left, B right, C more, bool& carry) {
  return add_carried<T, M, in, out>(int_mul<T, M>(get<T>(left), get<T>(right)), get<T>(more),
                                    carry);
}

// ---- logic and shifts ---------------------------------------------------------------------------

template <class T, u64 M, class A, class B>
PTX_OP T and_(A left, B right) {
  return static_cast<T>(get<T>(left) & get<T>(right));
}
template <class T, u64 M, class A, class B>
PTX_OP T or_(A left, B right) {
  return static_cast<T>(get<T>(left) | get<T>(right));
}
template <class T, u64 M, class A, class B>
PTX_OP T xor_(A left, B right) {
  return static_cast<T>(get<T>(left) ^ get<T>(right));
}
template <class T, u64 M, class A>
PTX_OP T not_(A raw) {
  if constexpr (is_same<T, bool>)
    return !get<bool>(raw);
  else
    return static_cast<T>(~get<T>(raw));
}
template <class T, u64 M, class A>
PTX_OP T cnot(A raw) {
  return get<T>(raw) == 0 ? 1 : 0;
}

/// Amounts beyond the width shift everything out.
template <class T, u64 M, class A, class B>
PTX_OP T shl(A raw, B amount) {
  const u32 by = get<u32>(amount);
  return by >= bits_of<T> ? T{0} : static_cast<T>(get<Unsigned<T>>(raw) << by);
}
template <class T, u64 M, class A, class B>
PTX_OP T shr(A raw, B amount) {
  u32 by = get<u32>(amount);
  if (by >= bits_of<T>) {
    if constexpr (!is_signed<T>) return 0;
    by = bits_of<T> - 1;
  }
  return static_cast<T>(get<T>(raw) >> by);
}

/// Shifts two registers as one of 64 bits.
template <class T, u64 M, class A, class B, class C>
PTX_OP u32 shf(A low, B high, C amount) {
  const u64 both = (u64{get<u32>(high)} << 32) | get<u32>(low);
  const u32 by =
      (M & clamp) != 0 ? (get<u32>(amount) < 32 ? get<u32>(amount) : 32) : get<u32>(amount) & 31;
  return static_cast<u32>((M & left) != 0 ? (both << by) >> 32 : both >> by);
}

/// Looks up each bit of the result in an immediate table of eight bits.
template <class T, u64 M, class A, class B, class C, class D>
PTX_OP u32 lop3(A a, B b, C c, D table) {
  const u32 x = get<u32>(a), y = get<u32>(b), z = get<u32>(c), rows = get<u32>(table);
  u32 result = 0;
  for (u32 row = 0; row < 8; ++row)
    if ((rows >> row & 1) != 0)
      result |= ((row & 4) != 0 ? x : ~x) & ((row & 2) != 0 ? y : ~y) & ((row & 1) != 0 ? z : ~z);
  return result;
}

// ---- bits ---------------------------------------------------------------------------------------

template <class T, u64 M, class A>
PTX_OP u32 popc(A raw) {
  return static_cast<u32>(__builtin_popcountl(get<T>(raw)));
}
template <class T, u64 M, class A>
PTX_OP u32 clz(A raw) {
  const u64 value = get<T>(raw);
  return value == 0 ? bits_of<T> : static_cast<u32>(__builtin_clzl(value)) - (64 - bits_of<T>);
}
template <class T, u64 M, class A>
PTX_OP T brev(A raw) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bitreverse32(get<T>(raw));
  else
    return __builtin_bitreverse64(get<T>(raw));
}

/// Finds the |offset|-th one, counted upwards from bit `base`, or downwards if `offset` is
/// negative. With an offset of 0, only checks bit `base`.
template <class T, u64 M, class A, class B, class C>
PTX_OP u32 fns(A mask, B base, C offset) {
  const u32 ones = get<u32>(mask);
  const s32 wanted = get<s32>(offset);
  s64 at = get<u32>(base);
  if (wanted == 0) return at < 32 && (ones >> at & 1) != 0 ? static_cast<u32>(at) : ~u32{0};
  s64 left = wanted < 0 ? -s64{wanted} : s64{wanted};
  for (; at >= 0 && at < 32; at += wanted < 0 ? -1 : 1)
    if ((ones >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
  return ~u32{0};
}

/// Finds the most significant bit that differs from the sign. Returns its position, or with
/// .shiftamt its distance from the top.
template <class T, u64 M, class A>
PTX_OP u32 bfind(A raw) {
  const T value = get<T>(raw);
  const u64 wanted = bits(static_cast<T>(value < 0 ? ~value : value));
  if (wanted == 0) return 0xffffffff;
  const u32 place = 63 - static_cast<u32>(__builtin_clzl(wanted));
  return (M & shiftamt) != 0 ? bits_of<T> - 1 - place : place;
}

/// Returns the position or length of a field, clamped to the width. The ISA uses only 8 bits of it;
/// a GPU uses all bits for 64-bit shifts.
template <class T>
PTX_OP u32 field_bits(u32 asked) {
  const u32 counted = sizeof(T) == 4 ? asked & 0xff : asked;
  return counted < bits_of<T> ? counted : bits_of<T>;
}

/// Extracts a field. For signed types, a field that ends early is filled with its sign bit.
template <class T, u64 M, class A, class B, class C>
PTX_OP T bfe(A raw, B begin, C length) {
  const u32 place = field_bits<T>(get<u32>(begin));
  const u32 count = field_bits<T>(get<u32>(length));
  const Unsigned<T> value = get<Unsigned<T>>(raw);
  constexpr u32 most = bits_of<T> - 1;
  bool fill = false;
  if constexpr (is_signed<T>) {
    const u32 last = place + count - 1;
    if (count != 0) fill = (value >> (last < most ? last : most) & 1) != 0;
  }
  Unsigned<T> result = place > most ? 0 : static_cast<Unsigned<T>>(value >> place);
  const u32 there = place > most ? 0 : bits_of<T> - place;
  const u32 taken = count < there ? count : there;
  const Unsigned<T> mask = taken == bits_of<T> ? ~Unsigned<T>{0} : (Unsigned<T>{1} << taken) - 1;
  result &= mask;
  if (fill) result |= static_cast<Unsigned<T>>(~mask);
  return static_cast<T>(result);
}

template <class T, u64 M, class A, class B, class C, class D>
PTX_OP T bfi(A field, B into, C begin, D length) {
  const u32 place = field_bits<T>(get<u32>(begin));
  const u32 count = field_bits<T>(get<u32>(length));
  if (place >= bits_of<T>) return get<T>(into);
  const T mask = static_cast<T>((count >= bits_of<T> ? ~T{0} : (T{1} << count) - 1) << place);
  return static_cast<T>((get<T>(into) & ~mask) | ((get<T>(field) << place) & mask));
}

/// Returns a mask of `length` ones, beginning at bit `begin`.
template <class T, u64 M, class A, class B>
PTX_OP u32 bmsk(A begin, B length) {
  u32 place = get<u32>(begin);
  u32 count = get<u32>(length);
  if ((M & wrap) != 0) place &= 31, count &= 31;
  if (place >= 32 || count == 0) return 0;
  return (count >= 32 ? ~u32{0} : (u32{1} << count) - 1) << place;
}

/// Extends the low `width` bits by their sign, or by zeroes.
template <class T, u64 M, class A, class B>
PTX_OP T szext(A raw, B width) {
  u32 count = get<u32>(width);
  if ((M & wrap) != 0) count &= 31;
  if (count >= 32) return get<T>(raw);
  if (count == 0) return 0;
  return static_cast<T>(get<u32>(raw) << (32 - count)) >> (32 - count);
}

/// Selects four of eight bytes; each is copied, or replaced by its sign.
template <class T, u64 M, class A, class B, class C>
PTX_OP u32 prmt(A low, B high, C selector) {
  const u64 all = (u64{get<u32>(high)} << 32) | get<u32>(low);
  const u32 wanted = get<u32>(selector);
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 from = wanted >> 4 * i & 15;
    bool sign = (from & 8) != 0;
    const u32 s = wanted & 3;
    if ((M & (f4e | b4e | rc8 | ecl | ecr | rc16)) != 0) sign = false;
    if ((M & f4e) != 0) from = s + i;
    if ((M & b4e) != 0) from = (s - i) & 7;
    if ((M & rc8) != 0) from = s;
    if ((M & ecl) != 0) from = i < s ? s : i;
    if ((M & ecr) != 0) from = i < s ? i : s;
    if ((M & rc16) != 0) from = (s & 1) * 2 + (i & 1);
    u32 byte = static_cast<u32>(all >> 8 * (from & 7)) & 0xff;
    if (sign) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

/// Adds the products of four pairs of bytes.
template <class T, class U, u64 M, class A, class B, class C>
PTX_OP u32 dp4a(A left, B right, C more) {
  u32 sum = get<u32>(more);
  for (u32 i = 0; i < 4; ++i) {
    const s64 a = is_signed<T> ? s64{static_cast<s8>(get<u32>(left) >> 8 * i)}
                               : s64{static_cast<u8>(get<u32>(left) >> 8 * i)};
    const s64 b = is_signed<U> ? s64{static_cast<s8>(get<u32>(right) >> 8 * i)}
                               : s64{static_cast<u8>(get<u32>(right) >> 8 * i)};
    sum += static_cast<u32>(a * b);
  }
  return sum;
}

/// Adds the products of two halves of `left` with the two low or high bytes of `right`.
template <class T, class U, u64 M, class A, class B, class C>
PTX_OP u32 dp2a(A left, B right, C more) {
  u32 sum = get<u32>(more);
  for (u32 i = 0; i < 2; ++i) {
    const u32 place = 8 * (i + ((M & hi) != 0 ? 2 : 0));
    const s64 a = is_signed<T> ? s64{static_cast<s16>(get<u32>(left) >> 16 * i)}
                               : s64{static_cast<u16>(get<u32>(left) >> 16 * i)};
    const s64 b = is_signed<U> ? s64{static_cast<s8>(get<u32>(right) >> place)}
                               : s64{static_cast<u8>(get<u32>(right) >> place)};
    sum += static_cast<u32>(a * b);
  }
  return sum;
}

}  // namespace ptx
