// SPDX-License-Identifier: Apache-2.0
// Matrix: collective operations of a warp: loading matrices, and products of matrices.
//
// A lane holds some registers of each matrix. Four lanes share a row of A and of C, and a column of
// B. Lane 4 * g + t holds the elements of row g from t * packed on, where `packed` is the number of
// elements in a register. Its next register holds those of row g + 8, if there is one, and the one
// after that is 4 * packed elements farther. Source: PTX ISA 9.0, "Warp Level Matrix
// Multiply-Accumulate Instructions", figures of the fragments.
#pragma once

#include "harness/device_code/ptx/device/float8.h"
#include "harness/device_code/ptx/device/thread.h"

namespace ptx {

inline constexpr u32 kLanes = 32;

/// Not inlined, so that the values of the lanes are on the stack only while they are needed.
#define PTX_TOGETHER __attribute__((noinline, nodebug)) inline

/// Exchanges values: waits for all lanes of the warp, and returns the values of each.
template <u32 count>
PTX_OP void gather(const u64 (&given)[count], u64 (&all)[kLanes][count]) {
  driver.gather(~u32{0}, given, count, all[0]);
}

// ---- loads --------------------------------------------------------------------------------------

/// Returns element `index` of a row of eight halves.
PTX_OP u32 half_of(const u64 (&row)[2], u32 index) {
  return static_cast<u16>(row[index / 4] >> 16 * (index % 4));
}

/// Loads matrices of 8 rows of 8 halves. Lane 8 * i + r has the address of row r of matrix i.
template <u32 count, bool is_transposed>
PTX_TOGETHER void load_matrices(const Thread& t, u64 shared_address, u32 (&to)[count]) {
  const u32 self = lane(t);
  u64 given[2] = {};
  if (self < 8 * count) {
    const u64 from = in_shared<16>(t, shared_address);
    given[0] = read<u64>(from);
    given[1] = read<u64>(from + 8);
  }
  u64 rows[kLanes][2];
  gather(given, rows);
  for (u32 i = 0; i < count; ++i) {
    const u32 first = 8 * i, major = self / 4, minor = self % 4 * 2;
    to[i] =
        is_transposed
            ? half_of(rows[first + minor], major) | half_of(rows[first + minor + 1], major) << 16
            : half_of(rows[first + major], minor) | half_of(rows[first + major], minor + 1) << 16;
  }
}

/// Stores matrices, of which each lane holds two elements in a register. Lane 8 * i + r has the
/// address of row r of matrix i, and writes that row.
template <u32 count, bool is_transposed>
PTX_TOGETHER void store_matrices(const Thread& t, u64 shared_address, const u32 (&from)[count]) {
  u64 given[count];
  for (u32 i = 0; i < count; ++i) given[i] = from[i];
  u64 all[kLanes][count];
  gather(given, all);
  const u32 matrix = lane(t) / 8, row = lane(t) % 8;
  if (matrix >= count) return;
  const u64 to = in_shared<16>(t, shared_address);
  for (u32 column = 0; column < 8; ++column) {
    const u32 major = is_transposed ? column : row, minor = is_transposed ? row : column;
    write<u16>(to + 2 * column, all[major * 4 + minor / 2][matrix] >> 16 * (minor % 2));
  }
}

/// Transposes a matrix of 8 by 8 halves, of which each lane holds two.
PTX_TOGETHER u32 transpose(const Thread& t, u32 held) {
  const u64 given[1] = {held};
  u64 all[kLanes][1];
  gather(given, all);
  const u32 row = lane(t) / 4, column = lane(t) % 4 * 2;
  const auto half = [&](u32 from) {
    return static_cast<u32>(static_cast<u16>(all[from * 4 + row / 2][0] >> 16 * (row % 2)));
  };
  return half(column) | half(column + 1) << 16;
}

// ---- products -----------------------------------------------------------------------------------

/// An f32 whose low 13 bits are ignored.
struct tf32 {
  u32 raw;
};
PTX_OP f64 widen(tf32 value) { return static_cast<f64>(get<f32>(value.raw & 0xffffe000)); }

template <class T>
inline constexpr bool is_counted =
    is_integer<T> && !is_same<T, tf32> && !is_same<T, e4m3> && !is_same<T, e5m2>;

/// Integers of 4 bits, and single bits.
struct s4 {
  u8 raw;
};
struct u4 {
  u8 raw;
};
struct b1 {
  u8 raw;
};
template <class T>
inline constexpr u32 kElementBits = bits_of<T>;
template <>
inline constexpr u32 kElementBits<s4> = 4;
template <>
inline constexpr u32 kElementBits<u4> = 4;
template <>
inline constexpr u32 kElementBits<b1> = 1;

/// Returns element `index` of a register.
template <class T>
PTX_OP T element(u64 word, u32 index) {
  constexpr u32 kBits = kElementBits<T>;
  if constexpr (kBits < 8)
    return {static_cast<u8>(word >> kBits * index & ((1 << kBits) - 1))};
  else
    return get<T>(word >> kBits * index);
}

template <class T>
PTX_OP s64 whole(T value) {
  if constexpr (is_same<T, s4>)
    return s64{value.raw ^ 8} - 8;
  else if constexpr (kElementBits<T> < 8)
    return value.raw;
  else
    return value;
}

/// Rounds a floating-point sum of products to its type.
template <class T>
PTX_OP T rounded(f64 total) {
  if constexpr (is_half<T>)
    return narrow<T, rn>(total);
  else
    return canonical(static_cast<T>(total));
}

/// Multiplies. With .xor, for bits, returns whether they differ.
template <u64 M>
PTX_OP s64 counted(s64 left, s64 right) {
  return (M & exclusive) != 0 ? left ^ right : left * right;
}

/// Returns the sum of C and `depth` products; `a` and `b` return the factors. Integers wrap, or are
/// clamped with `sat`. Floating-point products are added to C in the order of k: f64 by fma, other
/// types in f64, which is rounded once at the end.
template <class TA, class TD, u64 M, class TC, class A, class B>
PTX_OP TD sum_of_products(u32 depth, TC c, A a, B b) {
  if constexpr (is_counted<TA>) {
    s64 total = c;
    for (u32 k = 0; k < depth; ++k) total += counted<M>(whole(a(k)), whole(b(k)));
    if constexpr ((M & sat) != 0) {
      constexpr s64 kMost = 0x7fffffff;
      total = total > kMost ? kMost : total < -kMost - 1 ? -kMost - 1 : total;
    }
    return static_cast<TD>(total);
  } else {
    f64 total = widen(c);
    for (u32 k = 0; k < depth; ++k)
      if constexpr (is_same<TA, f64>)
        total = float_fma<f64, M>(a(k), b(k), total);
      else
        total += widen(a(k)) * widen(b(k));
    return rounded<TD>(total);
  }
}

/// A product of a matrix of `rows` by `depth` and one of `depth` by 8.
template <u32 rows, u32 depth, class TA, class TB, class TC, u64 M>
struct Product {
  static constexpr u32 kRegisterBytes = is_same<TA, f64> ? 8 : 4;
  static constexpr u32 kPacked = 8 * kRegisterBytes / kElementBits<TA>;
  static constexpr u32 kDown = rows / 8;
  static constexpr u32 kA = kDown * depth / (4 * kPacked);
  static constexpr u32 kB = depth / (4 * kPacked);
  static constexpr u32 kPackedC = is_half<TC> ? 2 : 1;
  static constexpr u32 kC = 2 * kDown / kPackedC;
  u64 of[kLanes][kA + kB];

  TA a(u32 row, u32 k) const {
    const u64 word = of[row % 8 * 4 + k / kPacked % 4][row / 8 + kDown * (k / (4 * kPacked))];
    return element<TA>(word, k % kPacked);
  }
  TB b(u32 k, u32 column) const {
    const u64 word = of[column * 4 + k / kPacked % 4][kA + k / (4 * kPacked)];
    return element<TB>(word, k % kPacked);
  }
  TC sum(u32 row, u32 column, TC c) const {
    return sum_of_products<TA, TC, M>(
        depth, c, [&](u32 k) { return a(row, k); }, [&](u32 k) { return b(k, column); });
  }
};

/// Fills the lane's registers of D with the sums for its rows and columns, each added to its
/// element of C.
template <class TC, u32 count, class Sum>
PTX_OP void fill_sums(const Thread& t, const u64 (&c)[count], u64 (&d)[count], Sum sum) {
  constexpr u32 kPacked = is_half<TC> ? 2 : 1;
  const u32 row = lane(t) / 4, column = lane(t) % 4 * 2;
  for (u32 i = 0; i < count; ++i) {
    d[i] = 0;
    for (u32 j = 0; j < kPacked; ++j) {
      const u32 place = i * kPacked + j;
      const TC made = sum(row + place / 2 * 8, column + place % 2, element<TC>(c[i], j));
      d[i] |= u64{bits(made)} << 8 * sizeof(TC) * j;
    }
  }
}

/// Computes the lane's registers of A * B + C.
template <u32 rows, u32 depth, class TA, class TB, class TC, u64 M, u32 count_a, u32 count_b,
          u32 count_c>
PTX_TOGETHER void multiply(const Thread& t, const u64 (&a)[count_a], const u64 (&b)[count_b],
                           const u64 (&c)[count_c], u64 (&d)[count_c]) {
  using Made = Product<rows, depth, TA, TB, TC, M>;
  static_assert(count_a == Made::kA && count_b == Made::kB && count_c == Made::kC);
  u64 given[count_a + count_b];
  for (u32 i = 0; i < count_a; ++i) given[i] = a[i];
  for (u32 i = 0; i < count_b; ++i) given[count_a + i] = b[i];
  Made product;
  gather(given, product.of);
  fill_sums<TC>(t, c, d, [&](u32 row, u32 column, TC on) { return product.sum(row, column, on); });
}

/// Computes four products of 8 by 4 and 4 by 8 halves. Each is computed by four lanes, from 4 * q
/// on, which have the upper rows of A and the left columns of B, and by the four lanes 16 higher. A
/// lane has four halves of each matrix: of one row or column of the eight, or of one k.
template <bool has_rows_of_a, bool has_columns_of_b, class TC, class TD, u32 count_c, u32 count_d>
PTX_TOGETHER void multiply_quads(const Thread& t, const u64 (&a)[2], const u64 (&b)[2],
                                 const u64 (&c)[count_c], u64 (&d)[count_d]) {
  constexpr u32 kPackedC = is_half<TC> ? 2 : 1, kPackedD = is_half<TD> ? 2 : 1;
  static_assert(count_c * kPackedC == 8 && count_d * kPackedD == 8);
  u64 given[4 + count_c] = {a[0], a[1], b[0], b[1]};
  for (u32 i = 0; i < count_c; ++i) given[4 + i] = c[i];
  u64 all[kLanes][4 + count_c];
  gather(given, all);
  const u32 self = lane(t), quad = self % 16 / 4 * 4;
  const auto factor = [&](u32 first, bool has_lines, u32 line, u32 k) {
    const u32 from = quad + line / 4 * 16 + (has_lines ? line % 4 : k);
    const u32 index = has_lines ? k : line % 4;
    return widen(element<f16>(all[from][first + index / 2], index % 2));
  };
  for (u64& word : d) word = 0;
  for (u32 i = 0; i < 8; ++i) {
    // For halves, each lane has a row of C and D. For floats, it has pairs in two rows.
    const u32 row = self / 16 * 4 + (is_half<TD> ? self % 4 : (self & 1) + (i & 2));
    const u32 column = is_half<TD> ? i : (i & 4) + (self & 2) + (i & 1);
    const u32 holder = is_half<TC> ? quad + row / 4 * 16 + row % 4 : self;
    const u32 place = is_half<TC> ? column : i;
    f64 total = widen(element<TC>(all[holder][4 + place / kPackedC], place % kPackedC));
    for (u32 k = 0; k < 4; ++k)
      total += factor(0, has_rows_of_a, row, k) * factor(2, has_columns_of_b, column, k);
    d[i / kPackedD] |= u64{bits(rounded<TD>(total))} << 8 * sizeof(TD) * (i % kPackedD);
  }
}

// ---- copies to shared memory --------------------------------------------------------------------

/// Copies the first `count` of these bytes to shared memory, and fills the rest with zeroes.
template <u32 bytes>
PTX_OP void copy_to_shared(const Thread& t, u64 shared_address, u64 from, u32 count, Site& site) {
  aligned<bytes>(from);
  const u64 to = in_shared<bytes>(t, shared_address);
  if (count >= bytes)
    may_load<bytes>(t, from, site);
  else if (count != 0)
    driver.load(from, count);
  for (u32 i = 0; i < bytes; ++i) write<u8>(to + i, i < count ? read<u8>(from + i) : u8{0});
}

}  // namespace ptx
