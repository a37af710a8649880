// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/model/expect.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Collective;

namespace {

/// Returns whether all ranks send the same, even a "silent" one.
bool even(const Step& step) {
  return step.collective == Collective::alltoall || step.uses_scratch();
}

/// Returns how many elements `from` sends `to`. Shape 0 is two elements for each.
std::uint16_t share(const Step& step, std::uint32_t from, std::uint32_t to) {
  if (even(step)) return static_cast<std::uint16_t>(step.shape == 0 ? 2 : 1 + step.shape % 3);
  if (from == step.silent) return 0;
  if (step.shape == 0) return 2;
  const std::uint64_t draw =
      harness::mix(harness::mix(step.shape + step.slot * std::uint64_t{8}, from), to);
  return static_cast<std::uint16_t>(draw % 4);
}

std::uint16_t gap(const Step& step) { return (step.shape & 1) != 0 && !even(step); }

/// Returns the position of a part in a destination: by rank, or in reverse order.
std::uint32_t place(const Step& step, std::uint32_t i, std::uint32_t rank_count) {
  const bool reversed = (step.shape & 2) != 0 && !even(step);
  return reversed ? rank_count - 1 - i : i;
}

/// Returns where in the source of `from` the part for `to` begins.
std::uint32_t sent_before(const Step& step, std::uint32_t from, std::uint32_t to) {
  if (step.collective == Collective::allgather_ring) return 0;
  if (even(step)) return to * share(step, from, 0);
  std::uint32_t sent = 0;
  for (std::uint32_t i = 0; i < to; ++i) sent += share(step, from, i) + std::uint32_t{gap(step)};
  return sent;
}

}  // namespace

Exchange exchange_of(const Step& step, std::uint32_t rank, std::uint32_t rank_count) {
  Exchange exchange;
  std::uint16_t send_at = 0;
  std::uint16_t receive_at = 0;
  for (std::uint32_t i = 0; i < rank_count; ++i) {
    exchange.send_count[i] = share(step, rank, i);
    exchange.send_displacement[i] =
        step.collective == Collective::allgather_ring ? std::uint16_t{0} : send_at;
    send_at = static_cast<std::uint16_t>(send_at + exchange.send_count[i] + gap(step));
    const std::uint32_t peer = place(step, i, rank_count);
    exchange.receive_count[peer] = share(step, peer, rank);
    exchange.receive_displacement[peer] = receive_at;
    receive_at = static_cast<std::uint16_t>(receive_at + exchange.receive_count[peer] + gap(step));
  }
  return exchange;
}

/// Returns how many copies a rank of a ring submits: two for each step of a fragment, except for
/// the last step with two ranks.
static std::size_t ring_copies(const Step& step, std::uint32_t rank_count) {
  constexpr std::uint32_t kFragment = 2;
  const std::uint32_t fragments = (share(step, 0, 1) + kFragment - 1) / kFragment;
  return fragments * (rank_count == 2 ? std::size_t{3} : 2 * (rank_count - std::size_t{1}));
}

bool has_proxied_share(const Step& step, std::uint32_t rank,
                       targets::alltoallv::Topology topology) {
  return topology != targets::alltoallv::Topology::direct && rank <= 2 &&
         share(step, 0, 2) + share(step, 2, 0) != 0;
}

std::size_t transfer_count(const Step& step, std::uint32_t rank, std::uint32_t rank_count,
                           targets::alltoallv::Topology topology, bool batch) {
  if (step.collective == Collective::reduce_scatter_linear)
    return 2;  // A copy to its scratch, and the kernel.
  if (step.collective == Collective::allgather_ring) return ring_copies(step, rank_count);
  const bool proxied = topology != targets::alltoallv::Topology::direct;
  if (proxied && (rank == 0 || rank == 2)) return 0;
  std::size_t count = 0;
  for (std::uint32_t peer = 0; peer < rank_count; ++peer) count += share(step, peer, rank) != 0;
  if (batch && !proxied) return count != 0;
  if (is_proxy(rank, topology)) count += (share(step, 0, 2) != 0) + (share(step, 2, 0) != 0);
  return count;
}

Rows expected_rows(const Step& step, std::uint32_t rank, std::uint32_t rank_count,
                   const Fills& fills) {
  Rows rows;
  const Exchange own = exchange_of(step, rank, rank_count);
  const bool adds = step.collective == Collective::reduce_scatter_linear;
  for (std::uint32_t peer = 0; peer < rank_count; ++peer) {
    if (own.receive_count[peer] == 0) continue;
    const std::int32_t base =
        targets::alltoallv::element(peer, fills[peer], step.offset + sent_before(step, peer, rank));
    if (!adds || rows.count == 0) {
      rows.rows[rows.count++] = {adds ? 0 : own.receive_displacement[peer], own.receive_count[peer],
                                 base, 1};
    } else {
      rows.rows[0].base += base;
      ++rows.rows[0].slope;
    }
  }
  return rows;
}

int first_mismatch(std::span<const targets::alltoallv::Row> rows,
                   std::span<const std::int32_t> destination, std::int32_t& expected) {
  for (const targets::alltoallv::Row& row : rows)
    for (std::int32_t i = 0; i < row.count; ++i) {
      const std::int32_t at = row.displacement + i;
      expected = row.base + i * row.slope;
      if (destination[static_cast<std::size_t>(at)] != expected) return at;
    }
  return -1;
}

}  // namespace scenarios::alltoallv
