// SPDX-License-Identifier: Apache-2.0
// Types: the types of PTX in C++, and conversions between a register's raw bits and each type.
//
// Translated modules are compiled with the headers of this folder. They only include each other, so
// that a module is compiled in a fraction of a second. They are part of the driver, which passes
// their text to the compiler.
#pragma once

#define PTX_OP __attribute__((always_inline, nodebug)) inline

namespace ptx {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;
using s8 = signed char;
using s16 = short;
using s32 = int;
using s64 = long;
using f32 = float;
using f64 = double;
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;
using b128 = unsigned __int128;
using pred = bool;

/// IEEE half precision, and bfloat16, as bits. Arithmetic is done in f64.
struct f16 {
  u16 raw;
};
struct bf16 {
  u16 raw;
};
/// Two of them in a register of 32 bits, the first in the low half.
struct f16x2 {
  u32 raw;
};
struct bf16x2 {
  u32 raw;
};
/// Two numbers of another type, in the same layout.
struct u16x2 {
  u32 raw;
};
struct s16x2 {
  u32 raw;
};
struct f32x2 {
  u64 raw;
};

template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;
template <class T>
inline constexpr bool is_float = is_same<T, f32> || is_same<T, f64>;
template <class T>
inline constexpr bool is_half = is_same<T, f16> || is_same<T, bf16>;

/// The type of each of the two parts.
template <class T>
struct PartOf {
  using Type = void;
};
template <>
struct PartOf<f16x2> {
  using Type = f16;
};
template <>
struct PartOf<bf16x2> {
  using Type = bf16;
};
template <>
struct PartOf<u16x2> {
  using Type = u16;
};
template <>
struct PartOf<s16x2> {
  using Type = s16;
};
template <>
struct PartOf<f32x2> {
  using Type = f32;
};
template <class T>
using Part = typename PartOf<T>::Type;
template <class T>
inline constexpr bool is_pair = !is_same<Part<T>, void>;
template <class T>
inline constexpr bool is_integer = !is_float<T> && !is_half<T> && !is_pair<T>;
template <class T>
inline constexpr bool is_signed = [] {
  if constexpr (is_integer<T>)
    return T(-1) < T(0);
  else
    return false;
}();
template <class T>
inline constexpr u32 bits_of = sizeof(T) * 8;

template <u32 bytes>
struct Sized;
template <>
struct Sized<1> {
  using U = u8;
  using S = s8;
  using Wide = u16;
  using SignedWide = s16;
};
template <>
struct Sized<2> {
  using U = u16;
  using S = s16;
  using Wide = u32;
  using SignedWide = s32;
};
template <>
struct Sized<4> {
  using U = u32;
  using S = s32;
  using Wide = u64;
  using SignedWide = s64;
};
template <>
struct Sized<8> {
  using U = u64;
  using S = s64;
  using Wide = unsigned __int128;
  using SignedWide = __int128;
};
template <>
struct Sized<16> {
  using U = b128;
};
template <class T>
using Unsigned = typename Sized<sizeof(T)>::U;
template <class T>
using Signed = typename Sized<sizeof(T)>::S;

template <class T, bool is_signed>
struct WideOf {
  using Type = typename Sized<sizeof(T)>::Wide;
};
template <class T>
struct WideOf<T, true> {
  using Type = typename Sized<sizeof(T)>::SignedWide;
};
/// The type with twice the bits and the same sign.
template <class T>
using Wide = typename WideOf<T, is_signed<T>>::Type;

/// Reads the low bits of a register, or of a literal, as a T.
template <class T, class Register>
PTX_OP T get(Register raw) {
  if constexpr (is_same<T, bool>)
    return (static_cast<u64>(raw) & 1) != 0;
  else
    return __builtin_bit_cast(T, static_cast<Unsigned<T>>(raw));
}

/// Returns the bits of a value.
template <class T>
PTX_OP Unsigned<T> bits(T value) {
  return __builtin_bit_cast(Unsigned<T>, value);
}

/// Writes a value to a register, which may be wider. Signed values are sign-extended.
template <class Register, class T>
PTX_OP void set(Register& to, T value) {
  if constexpr (is_same<T, bool> || is_signed<T>)
    to = static_cast<Register>(value);
  else
    to = static_cast<Register>(bits(value));
}

/// The modifiers of an instruction, as a set.
enum Modifier : u64 {
  plain = 0,
  ftz = 1 << 0,
  sat = 1 << 1,
  rn = 1 << 2,
  rz = 1 << 3,
  rm = 1 << 4,
  rp = 1 << 5,
  rna = 1 << 6,
  rni = 1 << 7,
  rzi = 1 << 8,
  rmi = 1 << 9,
  rpi = 1 << 10,
  approx = 1 << 11,
  full = 1 << 12,
  hi = 1 << 13,
  lo = 1 << 14,
  wide = 1 << 15,
  nan = 1 << 16,
  abs_xorsign = 1 << 17,
  relu = 1 << 18,
  noftz = 1 << 19,
  left = 1 << 20,
  right = 1 << 21,
  wrap = 1 << 22,
  clamp = 1 << 23,
  shiftamt = 1 << 24,
  f4e = 1 << 25,
  b4e = 1 << 26,
  rc8 = 1 << 27,
  ecl = 1 << 28,
  ecr = 1 << 29,
  rc16 = 1 << 30,
  absolute = u64{1} << 31,
  satfinite = u64{1} << 32,
  exclusive = u64{1} << 33,
};

}  // namespace ptx
