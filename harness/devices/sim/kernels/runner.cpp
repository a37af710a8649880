// How it works. A carrier is a fiber that runs threads of the block, one after another, as plain
// calls. When a thread must wait, its carrier parks and the next one goes on: with threads that
// were released, else with a fresh carrier and the next thread. Once all that are alive wait at the
// block's barrier, or all lanes of a mask at a warp's, they are released in the order in which they
// came.
//
// The runner returns when the last thread has finished, when a fatal access or a crash abandons the
// block, or when everybody waits for ever. Parked carriers are then forgotten: nothing on their
// stacks is unwound.
#include "harness/devices/sim/kernels/runner.h"

#include <algorithm>
#include <cstring>

#include "harness/devices/sim/kernels/runner_state.h"
#include "harness/devices/sim/kernels/stops.h"
#include "harness/sanitizers.h"
#include "harness/watchdog.h"

extern "C" {
thread_local std::uint32_t afterlife_special_registers[12];

std::uint32_t afterlife_special_register(int index) { return afterlife_special_registers[index]; }
}

namespace harness::devices {

constinit thread_local KernelRunner::State* running = nullptr;

static void set_registers(int first, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  afterlife_special_registers[first] = x;
  afterlife_special_registers[first + 1] = y;
  afterlife_special_registers[first + 2] = z;
}

// ---- carriers ----------------------------------------------------------------------------------

KernelRunner::State::Carrier& KernelRunner::State::take_carrier() {
  Carrier* carrier;
  if (!unused.empty()) {
    carrier = unused.back();
    unused.pop_back();
  } else {
    if (used_count == carriers.size()) carriers.push_back(std::make_unique<Carrier>());
    carrier = carriers[used_count++].get();
  }
  carrier->state = this;
  carrier->stack = {};
  carrier->fiber.start(stacks, carrier_main, carrier);
  return *carrier;
}

/// To TSan a fiber comes after all that its maker knew. So no thread of the kernel makes the next
/// one's, nor does the caller, who knows what blocks before did: a fiber that only TSan sees makes
/// them all.
void KernelRunner::State::take_carrier_for_each_thread() {
#if HARNESS_TSAN
  constexpr unsigned kNoSync = 1;
  if (tsan_maker == nullptr) tsan_maker = __tsan_create_fiber(0);
  void* caller = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_maker, kNoSync);
  for (std::uint32_t i = 0; i < thread_count; ++i) take_carrier();
  __tsan_switch_to_fiber(caller, kNoSync);
#endif
}

/// Changes all that must change with the thread that runs.
void KernelRunner::State::enter(Carrier& next) {
  current = &next;
  access_state.stack = next.stack;
  set_registers(0, next.index.x(), next.index.y(), next.index.z);
}

/// A thread that waited and was released, or null.
KernelRunner::State::Carrier* KernelRunner::State::released_carrier() {
  if (ready_begin == ready.size()) return nullptr;
  Carrier* next = ready[ready_begin++];
  if (ready_begin == ready.size()) {
    ready.clear();
    ready_begin = 0;
  }
  return next;
}

/// A carrier for the threads that have not run yet, or null.
KernelRunner::State::Carrier* KernelRunner::State::fresh_carrier() {
  if (next_thread == thread_count) return nullptr;
  return kTsan ? carriers[next_thread].get() : &take_carrier();
}

void KernelRunner::State::park(Carrier& self) {
  Carrier* next = released_carrier();
  if (next == nullptr) next = fresh_carrier();
  if (next == nullptr) give_up(self);
  enter(*next);
  self.fiber.switch_to(next->fiber);
}

/// New threads first, as when a carrier goes on by itself: the order is the same in every build.
void KernelRunner::State::leave(Carrier& self) {
  Carrier* next = fresh_carrier();
  if (next == nullptr) next = released_carrier();
  if (next == nullptr && finished_count == thread_count) end_block(self, BlockEnding::finished);
  if (next == nullptr) give_up(self);
  unused.push_back(&self);
  enter(*next);
  self.fiber.finish(next->fiber);
}

/// Nobody can go on.
void KernelRunner::State::give_up(Carrier& self) {
  provenance.stuck();
  end_block(self, BlockEnding::aborted);
}

void KernelRunner::State::end_block(Carrier& self, BlockEnding how) {
  ending = how;
  edge_release(&launch->done);
  self.fiber.finish(home);
}

/// Returns how a kernel ends that one of its own instructions stopped.
static BlockEnding ending_of(const Crash& crash) {
  return crash.signal == kStopTrap         ? BlockEnding::trapped
         : crash.signal == kStopUnknown    ? BlockEnding::trapped
         : crash.signal == kStopAssertion  ? BlockEnding::asserted
         : crash.signal == kStopMisaligned ? BlockEnding::misaligned
                                           : BlockEnding::aborted;
}

/// A signal came while a thread of the block ran. What it means is said on the caller's stack.
void KernelRunner::State::crashed(void* argument, const Crash& how) {
  State& state = *static_cast<State*>(argument);
  state.crash = how;
  state.end_block(*state.current, BlockEnding::aborted);
}

void KernelRunner::State::carrier_main(void* argument) {
  Carrier& self = *static_cast<Carrier*>(argument);
  State& state = *self.state;
  constexpr std::uint64_t kFrameBytes = 4096;  // More than there is above this frame.
  const auto top = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  self.stack = {top - kStackBytes + kFrameBytes, kStackBytes - kFrameBytes};
  access_state.stack = self.stack;
  do state.run_next_thread(self);
  while (!kTsan && state.next_thread < state.thread_count);
  state.leave(self);
}

void KernelRunner::State::run_next_thread(Carrier& self) {
  self.thread = next_thread++;
  const Index index = next_index;
  self.index = index;
  set_registers(0, index.x(), index.y(), index.z);
  if (index.x() + 1 != launch->block.x)
    next_index.xy = index.xy + 1;
  else if (index.y() + 1 != launch->block.y)
    next_index.xy = ((index.xy >> 32) + 1) << 32;
  else
    next_index = {0, index.z + 1};
  edge_acquire(&launch->began);
  launch->entry->call(launch->pointers.data());
  edge_release(&launch->done);
  thread_finished(self);
}

/// The thread ends inside of a function: what is on its stack is forgotten.
void KernelRunner::State::exit_thread() {
  Carrier& self = *current;
  edge_release(&launch->done);
  thread_finished(self);
  leave(self);
}

void KernelRunner::State::thread_finished(Carrier& self) {
  ++finished_count;
  Warp& warp = warps[self.thread / kWarpLanes];
  warp.exited |= 1u << self.thread % kWarpLanes;
  if (!at_barrier.empty() && at_barrier.size() + finished_count == thread_count) open_barrier();
  for (std::uint32_t rest = warp.waiting; rest != 0;
       rest &= rest - 1) {  // They need not wait for it.
    const std::uint32_t mask = warp.masks[__builtin_ctz(rest)];
    if (!lanes_are_here(warp, mask)) continue;
    release_lanes(warp, mask);
    return;
  }
}

// ---- a block -----------------------------------------------------------------------------------

void KernelRunner::State::begin_block(Launch& which, std::uint64_t index) {
  launch = &which;
  ending = BlockEnding::finished;
  thread_count = static_cast<std::uint32_t>(which.thread_count());
  next_thread = 0;
  next_index = {};
  finished_count = 0;
  used_count = 0;
  unused.clear();
  ready.clear();
  ready_begin = 0;
  at_barrier.clear();
  barrier_predicates = 0;
  barrier_epoch = 0;
  warps.resize((thread_count + kWarpLanes - 1) / kWarpLanes);
  for (Warp& warp : warps) warp.exited = warp.waiting = warp.epoch = 0;
  if (thread_count % kWarpLanes != 0) warps.back().exited = ~0u << thread_count % kWarpLanes;

  const Dim3 grid = which.grid;
  set_registers(3, static_cast<std::uint32_t>(index % grid.x),
                static_cast<std::uint32_t>(index / grid.x % grid.y),
                static_cast<std::uint32_t>(index / grid.x / grid.y));
  set_registers(6, which.block.x, which.block.y, which.block.z);
  set_registers(9, grid.x, grid.y, grid.z);
  std::memset(dynamic_shared_memory(), 0, which.all_shared_bytes());
  if (which.entry->extras == nullptr) return;
  which.surroundings.registers = afterlife_special_registers;
  which.surroundings.shared = dynamic_shared_memory();
  which.surroundings.shared_bytes = which.all_shared_bytes();
  which.surroundings.dynamic_shared = Launch::dynamic_shared(*which.entry);
}

/// Opens the windows that every kernel has.
void KernelRunner::State::begin_access() {
  const AddressRange device = provenance.shadow().hull();
  access_state = AccessState{};
  access_state.shared = shared;
  access_state.device = {device.low, device.high - device.low};
  access_state.provenance = &provenance;
  access_state.footprint = provenance.watched();
  access_state.abandon = [] { running->end_block(*running->current, BlockEnding::aborted); };
  constexpr std::uint64_t kEdgeBytes = 2 * 8 * (1 + kBlockThreadLimit / kWarpLanes) + 8;
  if (kTsan)
    access_state.shared_shift = fresh_addresses.next(shared.bytes + kEdgeBytes) - shared.low;
}

BlockEnding KernelRunner::State::run(Launch& which, std::uint64_t index) {
  HARNESS_CHECK(running == nullptr, "blocks do not nest");
  HARNESS_CHECK(index < which.block_count(), "a block of this launch");
  HARNESS_CHECK(which.thread_count() - 1 < kBlockThreadLimit, "1 to 1024 threads in a block");
  HARNESS_CHECK(which.all_shared_bytes() <= kDynamicSharedLimit,
                "as much shared memory as there is");
  begin_block(which, index);
  provenance.begin_block(which);
  begin_access();
  if (which.blocks_run++ == 0) edge_release(&which.began);
  running = this;
  home.adopt_thread();
  take_carrier_for_each_thread();
  Carrier& first = *fresh_carrier();
  {
    const CrashExit exit(crashed, this);
    Watched::step();
    enter(first);
    home.switch_to(first.fiber);
    Watched::step();
  }
  running = nullptr;
  if (ending == BlockEnding::aborted && !crash.signal.empty()) {
    provenance.crashed(crash);
    ending = ending_of(crash);
    crash = {};
  }
  edge_acquire(&which.done);
  access_state = AccessState{};
  return ending;
}

KernelRunner::State::~State() {
#if HARNESS_TSAN
  if (tsan_maker != nullptr) __tsan_destroy_fiber(tsan_maker);
#endif
}

KernelRunner::KernelRunner(Provenance& provenance) : state_(std::make_unique<State>(provenance)) {}
KernelRunner::~KernelRunner() = default;

BlockEnding KernelRunner::run_block(Launch& launch, std::uint64_t index) {
  return state_->run(launch, index);
}

// ---- barriers and exchanges between the threads of a block --------------------------------------

/// An address for TSan's edges of one barrier: of this block only, and two per barrier, so that who
/// is already at the next one gives nothing to who has yet to leave this one.
void* KernelRunner::State::edge(std::uint32_t barrier, std::uint32_t epoch) const {
  const std::uint64_t first = access_state.shared_shift + (shared.low + shared.bytes + 7) / 8 * 8;
  return reinterpret_cast<void*>(first + (2 * barrier + epoch % 2) * 8);
}

int KernelRunner::State::sync_threads(int predicate) {
  Carrier& self = *current;
  void* here = edge(0, barrier_epoch);
  edge_release(here);
  barrier_predicates += predicate != 0;
  if (at_barrier.size() + 1 + finished_count == thread_count) {
    open_barrier();
  } else {
    at_barrier.push_back(&self);
    park(self);
  }
  edge_acquire(here);
  return barrier_result;
}

void KernelRunner::State::open_barrier() {
  ready.insert(ready.end(), at_barrier.begin(), at_barrier.end());
  at_barrier.clear();
  barrier_result = barrier_predicates;
  barrier_predicates = 0;
  ++barrier_epoch;
}

/// Waits for the lanes of `mask` that have not exited. Returns what the wanted lane gave, or the
/// set of lanes that gave something.
std::uint64_t KernelRunner::State::exchange(std::uint32_t mask, std::uint64_t given,
                                            std::uint32_t lane_wanted) {
  Carrier& self = *current;
  const std::uint32_t number = self.thread / kWarpLanes;
  const std::uint32_t lane = self.thread % kWarpLanes;
  Warp& warp = warps[number];
  void* here = edge(1 + number, warp.epoch);
  edge_release(here);
  self.given = given;
  self.lane_wanted = lane_wanted;
  warp.masks[lane] = mask;
  warp.lanes[lane] = &self;
  warp.waiting |= 1u << lane;
  if (lanes_are_here(warp, mask)) release_lanes(warp, mask);
  if (warp.waiting >> lane & 1) park(self);
  edge_acquire(here);
  return self.result;
}

/// Tells whether all lanes of `mask` wait with the same mask, or have exited.
bool KernelRunner::State::lanes_are_here(const Warp& warp, std::uint32_t mask) const {
  const std::uint32_t needed = mask & ~warp.exited;
  if ((needed & ~warp.waiting) != 0) return false;
  for (std::uint32_t rest = needed; rest != 0; rest &= rest - 1)
    if (warp.masks[__builtin_ctz(rest)] != mask) return false;
  return true;
}

/// Gives a lane the words of those that are here.
void KernelRunner::State::gather(const Warp& warp, std::uint32_t here, const Carrier& lane) {
  const auto& wanted = *reinterpret_cast<const Gathering*>(lane.given);
  for (std::uint32_t rest = here; rest != 0; rest &= rest - 1) {
    const int from = __builtin_ctz(rest);
    const auto& other = *reinterpret_cast<const Gathering*>(warp.lanes[from]->given);
    std::copy_n(other.given, std::min(other.count, wanted.count),
                wanted.all + wanted.count * static_cast<std::uint32_t>(from));
  }
}

/// Gives each lane of `mask` what it wanted, and lets it go on. The current one need not park.
void KernelRunner::State::release_lanes(Warp& warp, std::uint32_t mask) {
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

// ---- what kernels call -------------------------------------------------------------------------

extern "C" {

void afterlife_exit_thread() { harness::devices::running->exit_thread(); }

void* afterlife_dynamic_shared() { return harness::devices::dynamic_shared_memory(); }

int afterlife_sync_threads(int predicate) {
  return harness::devices::running->sync_threads(predicate);
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

std::uint32_t afterlife_ballot(std::uint32_t mask, int predicate) {
  return static_cast<std::uint32_t>(
      harness::devices::running->exchange(mask, predicate != 0, harness::devices::kBallot));
}

}  // extern "C"
