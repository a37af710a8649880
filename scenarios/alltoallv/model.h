// SPDX-License-Identifier: Apache-2.0
// Model: the meaning of a collective: the data that each rank sends to each other, and the content
// of a destination afterwards.
#pragma once

#include "scenarios/alltoallv/plan.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Exchange;
using targets::alltoallv::kRankLimit;

/// Returns the shares that `rank` passes to init().
Exchange exchange_of(const Step& step, std::uint32_t rank, std::uint32_t rank_count);

/// Returns whether `rank` copies for the pair that has no direct connection.
inline bool is_proxy(std::uint32_t rank, targets::alltoallv::Topology topology) {
  return topology != targets::alltoallv::Topology::direct && rank == 1;
}

/// Returns whether `rank` sends, receives or copies data by a proxy.
bool has_proxied_share(const Step& step, std::uint32_t rank, targets::alltoallv::Topology topology);

/// Returns the number of copies and kernels that `rank` submits until it has all its data, and
/// those that it copies as a proxy; 0 if another rank copies for it. `batch`: copies are one call
/// if there is no proxy.
std::size_t transfer_count(const Step& step, std::uint32_t rank, std::uint32_t rank_count,
                           targets::alltoallv::Topology topology, bool batch);

/// Number of the fill of each rank's source.
using Fills = std::array<std::uint32_t, kRankLimit>;

/// Origin of a destination's elements: `count` elements at `displacement`, which are at `first` in
/// the source that `rank` filled as its `fill`-th.
struct Expected {
  std::uint32_t rank;
  std::uint32_t fill;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t displacement;
};

/// At most one `T` for each rank.
template <class T>
struct PerRank {
  std::array<T, kRankLimit> rows;
  std::size_t count = 0;
  operator std::span<const T>() const { return {rows.data(), count}; }
};

/// Origins of a rank's destination.
using ExpectedRows = PerRank<Expected>;
ExpectedRows expected_of(const Step& step, std::uint32_t rank, std::uint32_t rank_count,
                         const Fills& fills);

/// Values of a rank's destination.
using Rows = PerRank<targets::alltoallv::Row>;
/// Returns the values of the elements from these origins. Elements to which several ranks
/// contribute are sums.
Rows rows_of(const ExpectedRows& expected);

/// Returns the index of the first wrong element, or -1, and its expected value in
/// `expected`.
int first_mismatch(const ExpectedRows& rows, bool sums, std::span<const std::int32_t> destination,
                   std::int32_t& expected);

}  // namespace scenarios::alltoallv
