// SPDX-License-Identifier: Apache-2.0
// Sparse: products with a matrix A whose elements are half zeroes, given without these.
//
// A row of A is cut into chunks, of which half of the elements are stored, in order: two of four
// for elements of 16 and 8 bits, two pairs of four for 4 bits, and one of two for tf32. The
// metadata contain their positions, four bits for each chunk. Source: PTX ISA 9.0, "Matrix
// multiply-accumulate operation using mma.sp instruction with sparse matrix A", figures of the
// metadata.
#pragma once

#include "harness/device_code/ptx/device/matrix.h"

namespace ptx {

/// A product of a matrix of 16 by `depth` and one of `depth` by 8. The metadata come from one or
/// two of four threads, selected by `selector`, or from all four.
template <u32 depth, class TA, class TB, class TC, u64 M, u32 selector>
struct SparseProduct {
  static constexpr u32 kPacked = 32 / kElementBits<TA>;
  static constexpr u32 kFactors = depth / 2;  ///< Stored elements of a row.
  static constexpr u32 kA = kFactors / (2 * kPacked);
  static constexpr u32 kB = depth / (4 * kPacked);
  static constexpr u32 kGroup = kElementBits<TA> == 4 ? 2 : 1;  ///< Adjacent elements that share a
                                                                ///< position.
  static constexpr u32 kChunk = is_same<TA, tf32> ? 1 : 2;      ///< Stored groups per chunk.
  static constexpr u32 kRowBits = 4 * kFactors / (kGroup * kChunk);
  u64 of[kLanes][kA + kB + 1];

  TA a(u32 row, u32 index) const {
    const u64 word = of[row % 8 * 4 + index / kPacked % 4][row / 8 + 2 * (index / (4 * kPacked))];
    return element<TA>(word, index % kPacked);
  }
  TB b(u32 k, u32 column) const {
    const u64 word = of[column * 4 + k / kPacked % 4][kA + k / (4 * kPacked)];
    return element<TB>(word, k % kPacked);
  }
  /// Returns four bits of a row's metadata, beginning at bit `bit`. A thread has 16 bits for each
  /// of two rows or, for integers, 32 bits for one.
  u32 metadata(u32 row, u32 bit) const {
    constexpr u32 kPart = is_counted<TA> ? 32 : 16;
    const u32 part = bit / kPart, down = row / 8;
    const u32 thread = is_counted<TA>     ? 2 * (selector + part) + down
                       : kRowBits > kPart ? 2 * selector + part
                                          : selector;
    const u64 word = of[row % 8 * 4 + thread][kA + kB];
    return static_cast<u32>(word >> (bit % kPart + (is_counted<TA> ? 0 : 16 * down)) & 15);
  }
  /// Returns the position in its row of a stored element.
  u32 place(u32 row, u32 index) const {
    const u32 group = index / kGroup, chunk = group / kChunk;
    const u32 bits = metadata(row, 4 * chunk);
    if constexpr (is_same<TA, tf32>) return 2 * chunk + (bits >> 1 & 1);  // 0b0100 or 0b1110.
    return kGroup * (4 * chunk + (bits >> 2 * (group % kChunk) & 3)) + index % kGroup;
  }
  TC sum(u32 row, u32 column, TC c) const {
    return sum_of_products<TA, TC, M>(
        kFactors, c, [&](u32 index) { return a(row, index); },
        [&](u32 index) { return b(place(row, index), column); });
  }
};

/// Computes the lane's registers of A * B + C.
template <u32 depth, class TA, class TB, class TC, u64 M, u32 selector, u32 count, u32 count_c>
PTX_TOGETHER void multiply_sparse(const Thread& t, const u64 (&a)[count], const u64 (&b)[count],
                                  const u64 (&c)[count_c], u32 metadata, u64 (&d)[count_c]) {
  using Made = SparseProduct<depth, TA, TB, TC, M, selector>;
  static_assert(count == Made::kA && count == Made::kB);
  u64 given[2 * count + 1];
  for (u32 i = 0; i < count; ++i) given[i] = a[i];
  for (u32 i = 0; i < count; ++i) given[count + i] = b[i];
  given[2 * count] = metadata;
  Made product;
  gather(given, product.of);
  fill_sums<TC>(t, c, d, [&](u32 row, u32 column, TC on) { return product.sum(row, column, on); });
}

}  // namespace ptx
