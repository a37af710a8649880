// SPDX-License-Identifier: Apache-2.0
// Expect: the values that the ranks must see: the data that each sends to each other in a
// collective, and the content of a destination afterwards.
#pragma once

#include "scenarios/alltoallv/model/state.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Exchange;

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

/// Values of a rank's destination: at most one row for each rank. Elements to which several ranks
/// contribute are sums.
struct Rows {
  std::array<targets::alltoallv::Row, kRankLimit> rows;
  std::size_t count = 0;
  operator std::span<const targets::alltoallv::Row>() const { return {rows.data(), count}; }
};
Rows expected_rows(const Step& step, std::uint32_t rank, std::uint32_t rank_count,
                   const Fills& fills);

/// Returns the index of the first wrong element, or -1, and its expected value in
/// `expected`.
int first_mismatch(std::span<const targets::alltoallv::Row> rows,
                   std::span<const std::int32_t> destination, std::int32_t& expected);

}  // namespace scenarios::alltoallv
