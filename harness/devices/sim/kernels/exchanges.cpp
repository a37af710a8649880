// SPDX-License-Identifier: Apache-2.0
// KernelRunner::State: barriers and exchanges between the threads of a block.
//
// A thread that must wait is added to a list of waiting threads, and parks. The last thread to come
// releases all of them in their order, and continues itself. A thread that polls for others lets
// them continue each time.
#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/runner_state.h"

namespace harness::devices {

/// Returns the address for TSan's edges of a barrier. It belongs to this block only. There are two
/// per barrier, so that a thread that is already at the next one is not ordered before a thread
/// that has yet to leave this one.
void* KernelRunner::State::edge(std::uint32_t barrier, std::uint32_t epoch) const {
  const std::uint64_t first = access_state.shared_shift + (shared.low + shared.bytes + 7) / 8 * 8;
  return reinterpret_cast<void*>(first + (2 * barrier + epoch % 2) * 8);
}

/// Enters a barrier. Does not return if the threads at it give different numbers of threads.
static KernelRunner::State::Barrier& come_to(KernelRunner::State& state, std::uint32_t number,
                                             std::uint32_t threads) {
  KernelRunner::State::Barrier& barrier = state.barriers[number];
  if (barrier.came() != 0 && barrier.threads != threads) {
    state.provenance.failed(
        FaultKind::deadlock,
        {"barrier", "threads come to one barrier with different numbers of threads"});
    state.end_block(*state.current, BlockEnding::aborted);
  }
  barrier.threads = threads;
  state.used_barriers |= 1u << number;
  return barrier;
}

static std::uint32_t alive_threads(const KernelRunner::State& state) {
  return state.thread_count - state.finished_count;
}

static void open(KernelRunner::State& state, KernelRunner::State::Barrier& barrier) {
  state.polls_in_vain = 0;
  state.ready.insert(state.ready.end(), barrier.waiting.begin(), barrier.waiting.end());
  for (KernelRunner::State::Carrier* each : barrier.waiting) {
    each->result = static_cast<std::uint64_t>(barrier.predicates);
    state.warps[each->thread / kWarpLanes].at_barrier &= ~(1u << each->thread % kWarpLanes);
  }
  barrier.waiting.clear();
  barrier.arrived = 0;
  barrier.predicates = 0;
  ++barrier.epoch;
}

void open_for_those_left(KernelRunner::State& state) {
  for (std::uint32_t rest = state.used_barriers; rest != 0; rest &= rest - 1) {
    KernelRunner::State::Barrier& barrier =
        state.barriers[static_cast<std::size_t>(__builtin_ctz(rest))];
    if (barrier.threads == 0 && barrier.came() != 0 && barrier.opens(0, alive_threads(state)))
      open(state, barrier);
  }
}

/// Waits until this many threads have come (0: all that have not finished). Returns the number of
/// threads whose predicate was not 0.
int KernelRunner::State::wait_at(std::uint32_t number, std::uint32_t threads, int predicate) {
  Carrier& self = *current;
  Barrier& barrier = come_to(*this, number, threads);
  void* here = edge(number, barrier.epoch);
  device_edge_release(here);
  barrier.predicates += predicate != 0;
  if (barrier.opens(1, alive_threads(*this))) {
    self.result = static_cast<std::uint64_t>(barrier.predicates);
    open(*this, barrier);
  } else {
    barrier.waiting.push_back(&self);
    Warp& warp = warps[self.thread / kWarpLanes];
    warp.at_barrier |= 1u << self.thread % kWarpLanes;
    settle_active(warp);
    park(self);
  }
  device_edge_acquire(here);
  return static_cast<int>(self.result);
}

/// Counts as an arrival, but does not wait.
void KernelRunner::State::arrive_at(std::uint32_t number, std::uint32_t threads) {
  Barrier& barrier = come_to(*this, number, threads);
  device_edge_release(edge(number, barrier.epoch));
  ++barrier.arrived;
  if (barrier.opens(0, alive_threads(*this))) open(*this, barrier);
}

/// Called when a thread polls for others: without news, it continues after the other threads.
/// Threads that have not begun come first, since polling threads would release each other for ever.
static void poll(KernelRunner::State& state, bool has_news) {
  if (has_news) {
    state.polls_in_vain = 0;
    return;
  }
  if (++state.polls_in_vain > kPollLimit * alive_threads(state)) {
    state.provenance.failed(FaultKind::deadlock,
                            {"barrier", "threads of a block wait for arrivals that do not come"});
    state.end_block(*state.current, BlockEnding::aborted);
  }
  KernelRunner::State::Carrier& self = *state.current;
  KernelRunner::State::Warp& warp = state.warps[self.thread / kWarpLanes];
  const std::uint32_t lane = 1u << self.thread % kWarpLanes;
  warp.polled = true;
  warp.at_barrier |= lane;
  state.settle_active(warp);
  KernelRunner::State::Carrier* next = state.fresh_carrier();
  if (next == nullptr) next = state.released_carrier();
  if (next != nullptr) {
    state.ready.push_back(&self);
    state.enter(*next);
    self.fiber.switch_to(next->fiber);
  }
  warp.at_barrier &= ~lane;
}

/// Waits for the lanes of `mask` that have not exited. Returns the value of the wanted lane, or the
/// set of lanes whose value is not 0.
std::uint64_t KernelRunner::State::exchange(std::uint32_t mask, std::uint64_t given,
                                            std::uint32_t lane_wanted) {
  Carrier& self = *current;
  const std::uint32_t number = self.thread / kWarpLanes;
  const std::uint32_t lane = self.thread % kWarpLanes;
  Warp& warp = warps[number];
  void* here = edge(kBarrierCount + number, warp.epoch);
  device_edge_release(here);
  self.given = given;
  self.lane_wanted = lane_wanted;
  warp.masks[lane] = mask;
  warp.lanes[lane] = &self;
  warp.waiting |= 1u << lane;
  if (lane_wanted == kActive) warp.active |= 1u << lane;
  if (lanes_are_here(warp, mask))
    release_lanes(warp, mask);
  else
    settle_active(warp);
  if (warp.waiting >> lane & 1) park(self);
  device_edge_acquire(here);
  return self.result;
}

/// Answers the lanes that ask for the active mask, once no other lane of the warp can come, because
/// all wait for something or have exited. The answer holds the lanes that ask at the same place.
void KernelRunner::State::settle_active(Warp& warp) {
  if (warp.active == 0 || (warp.exited | warp.waiting | warp.at_barrier) != ~0u) return;
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    Carrier& lane = *warp.lanes[__builtin_ctz(rest)];
    lane.result = 0;
    for (std::uint32_t others = warp.active; others != 0; others &= others - 1)
      if (warp.lanes[__builtin_ctz(others)]->given == lane.given)
        lane.result |= 1u << __builtin_ctz(others);
    if (&lane != current) ready.push_back(&lane);
  }
  warp.waiting &= ~warp.active;
  warp.active = 0;
  ++warp.epoch;
}

/// Returns whether all lanes of `mask` wait with the same mask, or have exited.
bool KernelRunner::State::lanes_are_here(const Warp& warp, std::uint32_t mask) const {
  const std::uint32_t needed = mask & ~warp.exited;
  if (mask == 0 || (needed & ~warp.waiting) != 0) return false;
  for (std::uint32_t rest = needed; rest != 0; rest &= rest - 1)
    if (warp.masks[__builtin_ctz(rest)] != mask) return false;
  return true;
}

/// Copies the words of the present lanes to a lane that gathers.
static void gather(const KernelRunner::State::Warp& warp, std::uint32_t here,
                   const KernelRunner::State::Carrier& lane) {
  using Gathering = KernelRunner::State::Gathering;
  const auto& wanted = *reinterpret_cast<const Gathering*>(lane.given);
  for (std::uint32_t rest = here; rest != 0; rest &= rest - 1) {
    const int from = __builtin_ctz(rest);
    const auto& other = *reinterpret_cast<const Gathering*>(warp.lanes[from]->given);
    std::copy_n(other.given, std::min(other.count, wanted.count),
                wanted.all + wanted.count * static_cast<std::uint32_t>(from));
  }
}

/// Gives each lane of `mask` its result, and releases it. The current lane does not park.
void KernelRunner::State::release_lanes(Warp& warp, std::uint32_t mask) {
  if (!warp.polled) polls_in_vain = 0;  // A polling loop may contain exchanges.
  warp.polled = false;
  const std::uint32_t here = mask & warp.waiting;
  std::uint32_t givers = 0;
  for (std::uint32_t rest = here; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (warp.lanes[lane]->given != 0) givers |= 1u << lane;
  }
  for (std::uint32_t rest = here; rest != 0; rest &= rest - 1) {
    Carrier& lane = *warp.lanes[__builtin_ctz(rest)];
    if (lane.lane_wanted == kGather) gather(warp, here, lane);
    const bool given = lane.lane_wanted < kWarpLanes && (here >> lane.lane_wanted & 1);
    lane.result = lane.lane_wanted == kBallot ? givers
                  : given                     ? warp.lanes[lane.lane_wanted]->given
                                              : lane.given;
    if (&lane != current) ready.push_back(&lane);
  }
  warp.waiting &= ~here;
  ++warp.epoch;
}

}  // namespace harness::devices

// ---- functions that kernels call ---------------------------------------------------------------

extern "C" {

int afterlife_sync_threads(int predicate) {
  return harness::devices::running->wait_at(0, 0, predicate);
}

int afterlife_wait_at(std::uint32_t barrier, std::uint32_t threads, int predicate) {
  return harness::devices::running->wait_at(barrier, threads, predicate);
}

void afterlife_arrive_at(std::uint32_t barrier, std::uint32_t threads) {
  harness::devices::running->arrive_at(barrier, threads);
}

void afterlife_poll(int has_news) {
  harness::devices::poll(*harness::devices::running, has_news != 0);
}

std::uint64_t afterlife_shuffle(std::uint32_t mask, std::uint64_t value, std::uint32_t lane) {
  return harness::devices::running->exchange(mask, value, lane);
}

void afterlife_gather(std::uint32_t mask, const std::uint64_t* given, std::uint32_t count,
                      std::uint64_t* all) {
  std::fill_n(all, std::size_t{harness::devices::kWarpLanes} * count, 0);
  const harness::devices::KernelRunner::State::Gathering words{given, count, all};
  harness::devices::running->exchange(mask, reinterpret_cast<std::uint64_t>(&words),
                                      harness::devices::kGather);
}

std::uint32_t afterlife_active_lanes(std::uint64_t site) {
  return static_cast<std::uint32_t>(
      harness::devices::running->exchange(0, site, harness::devices::kActive));
}

std::uint32_t afterlife_ballot(std::uint32_t mask, int predicate) {
  return static_cast<std::uint32_t>(
      harness::devices::running->exchange(mask, predicate != 0, harness::devices::kBallot));
}

}  // extern "C"
