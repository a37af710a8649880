// SPDX-License-Identifier: Apache-2.0
// Fragment: a matrix whose elements are held by the lanes of a warp, in an order that the ISA
// leaves unspecified.
//
// The elements are numbered row by row. Lane 0 has the first elements, an equal share for each of
// 32 lanes, lane 1 the next ones. If there are more registers than elements need, they repeat them.
// Source: PTX ISA 9.0, "Matrix multiply-accumulate operation using wmma instructions".
#pragma once

#include "harness/device_code/ptx/device/matrix.h"

namespace ptx {

template <u32 rows, u32 columns, class T>
struct Fragment {
  static constexpr u32 kHeld = rows * columns / kLanes;  ///< Elements per lane.
  static constexpr u32 kPacked = 8 * (is_same<T, f64> ? 8 : 4) / kElementBits<T>;
  static constexpr u32 kRegisters = kHeld / kPacked;
  static constexpr u32 kBytes = kElementBits<T> < 8 ? 1 : kElementBits<T> / 8;

  /// Returns the offset of a lane's element in memory, in elements.
  template <bool by_rows>
  static PTX_OP u64 place(const Thread& t, u32 index, u64 stride) {
    const u32 at = lane(t) * kHeld + index, row = at / columns, column = at % columns;
    return by_rows ? row * stride + column : column * stride + row;
  }
};

/// Returns the address of an element. `may` checks an address outside of shared memory.
template <u32 bytes, bool is_in_shared, class May>
PTX_OP u64 element_address(const Thread& t, u64 address, May may) {
  if constexpr (is_in_shared) return in_shared<bytes>(t, address);
  may(address);
  return address;
}

/// Waits for the lanes of the warp, then loads this lane's elements.
template <u32 rows, u32 columns, class T, bool by_rows, bool is_in_shared, u32 count>
PTX_TOGETHER void load_fragment(const Thread& t, u64 address, u32 stride, Site& site,
                                u64 (&to)[count]) {
  using Matrix = Fragment<rows, columns, T>;
  static_assert(count % Matrix::kRegisters == 0);
  driver.ballot(~u32{0}, 0);
  for (u64& word : to) word = 0;
  for (u32 i = 0; i < Matrix::kHeld; ++i) {
    const u64 bit = Matrix::template place<by_rows>(t, i, stride) * kElementBits<T>;
    const u64 from = element_address<Matrix::kBytes, is_in_shared>(
        t, address + bit / 8, [&](u64 at) { may_load<Matrix::kBytes>(t, at, site); });
    u64 raw = read<Unsigned<T>>(from);
    if constexpr (kElementBits<T> < 8) raw = raw >> bit % 8 & ((1 << kElementBits<T>)-1);
    to[i / Matrix::kPacked] |= raw << kElementBits<T> * (i % Matrix::kPacked);
  }
  for (u32 i = Matrix::kRegisters; i < count; ++i) to[i] = to[i - Matrix::kRegisters];
}

/// Stores this lane's elements, then waits for the other lanes of the warp.
template <u32 rows, u32 columns, class T, bool by_rows, bool is_in_shared, u32 count>
PTX_TOGETHER void store_fragment(const Thread& t, u64 address, u32 stride, Site& site,
                                 const u64 (&from)[count]) {
  using Matrix = Fragment<rows, columns, T>;
  static_assert(count == Matrix::kRegisters);
  for (u32 i = 0; i < Matrix::kHeld; ++i) {
    const u64 at = address + Matrix::template place<by_rows>(t, i, stride) * sizeof(T);
    const u64 to = element_address<sizeof(T), is_in_shared>(
        t, at, [&](u64 place) { may_store<sizeof(T)>(t, place, site); });
    write<Unsigned<T>>(to, from[i / Matrix::kPacked] >> 8 * sizeof(T) * (i % Matrix::kPacked));
  }
  driver.ballot(~u32{0}, 0);
}

/// Computes the lane's elements of A * B + C, for A of `rows` by `depth` and B of `depth` by
/// `columns`.
template <u32 rows, u32 columns, u32 depth, class TA, class TC, class TD, u64 M, u32 count_a,
          u32 count_b, u32 count_c, u32 count_d>
PTX_TOGETHER void multiply_fragments(const Thread& t, const u64 (&a)[count_a],
                                     const u64 (&b)[count_b], const u64 (&c)[count_c],
                                     u64 (&d)[count_d]) {
  using A = Fragment<rows, depth, TA>;
  using B = Fragment<depth, columns, TA>;
  using C = Fragment<rows, columns, TC>;
  using D = Fragment<rows, columns, TD>;
  static_assert(count_a % A::kRegisters == 0 && count_b % B::kRegisters == 0);
  static_assert(count_c == C::kRegisters && count_d == D::kRegisters);
  u64 given[A::kRegisters + B::kRegisters];
  for (u32 i = 0; i < A::kRegisters; ++i) given[i] = a[i];
  for (u32 i = 0; i < B::kRegisters; ++i) given[A::kRegisters + i] = b[i];
  u64 all[kLanes][A::kRegisters + B::kRegisters];
  gather(given, all);
  const auto factor = [&](u32 first, u32 at, u32 held, u32 packed) {
    const u32 place = at % held;
    return element<TA>(all[at / held][first + place / packed], place % packed);
  };
  for (u64& word : d) word = 0;
  for (u32 i = 0; i < D::kHeld; ++i) {
    const u32 at = lane(t) * D::kHeld + i, row = at / columns, column = at % columns;
    const TD made = sum_of_products<TA, TD, M>(
        depth, element<TC>(c[i / C::kPacked], i % C::kPacked),
        [&](u32 k) { return factor(0, row * depth + k, A::kHeld, A::kPacked); },
        [&](u32 k) { return factor(A::kRegisters, k * columns + column, B::kHeld, B::kPacked); });
    d[i / D::kPacked] |= u64{bits(made)} << 8 * sizeof(TD) * (i % D::kPacked);
  }
}

}  // namespace ptx
