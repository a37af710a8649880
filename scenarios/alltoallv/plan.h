// Plan: what all ranks of a job are going to do, decided before any of them runs.
//
// The ranks of a job run one program; what they do when is the schedule's. So the ops are asked for
// up front, one slot after the other, and what is offered depends on the slots before alone: a tape
// means the same program whatever else is on it.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// Everybody, as a rank.
inline constexpr std::uint32_t kAll = 0xffffffff;
inline constexpr std::uint32_t kNobody = 0xfffffffe;

/// One filled slot.
struct Step {
  Op op;
  std::uint32_t slot;        ///< Also its request, and what it fills with.
  std::uint32_t who = kAll;  ///< The rank that does it.
  targets::alltoallv::Buffer buffer = 0;
  std::uint32_t shape = 0;            ///< Shape of the exchange; 0 is even.
  std::uint32_t triggered = kNobody;  ///< The rank that posts it triggered.
  std::uint32_t silent = kNobody;     ///< The rank that sends nothing, and has no buffer.
  std::uint32_t stream = 0;
  std::uint32_t offset = 0;
  std::uint32_t behind = kNobody;  ///< The rank that does not take part, and sleeps.
  std::uint32_t turns = 0;         ///< Turns of a sleep.
  std::uint32_t of = 0;            ///< post_again: the slot of the persistent one.
  targets::alltoallv::Topology topology = targets::alltoallv::Topology::direct;

  bool concerns(std::uint32_t rank) const { return who == kAll || who == rank; }
  bool is_collective() const { return op <= Op::persistent; }
  bool uses_scratch() const { return op == Op::allgather || op == Op::reduce_scatter; }
};

using Plan = std::pmr::vector<Step>;

/// A set of ops, a bit each.
using Ops = std::uint32_t;
template <class... Members>
constexpr Ops ops(Members... members) {
  return (Ops{0} | ... | (Ops{1} << harness::raw(members)));
}

/// The theme of a run: everything (plain), or one family of ops: a run that does a few things
/// often gets where a run that does everything seldom gets.
inline constexpr std::uint32_t kThemeCount = 15;
struct Theme {
  Ops offered;
  Ops favoured;          ///< Listed several times, so that a strategy that draws finds them.
  bool renews = false;   ///< One buffer; and a renewal is favoured after a collective.
  bool quiet = false;    ///< The least job: no call fails, and nobody is held up at a named place.
  bool litters = false;  ///< One buffer, whose tensors become garbage, freed while others collect.
  bool served = false;   ///< Rank 0 is the late one, and has a slow progress thread.
};
const Theme& theme(std::uint32_t index);

/// Asks for all of it, outside of any task.
Plan make_plan(harness::Scene& scene, const Theme& about, const Shape& shape,
               std::uint32_t rank_count);

}  // namespace scenarios::alltoallv
