// SPDX-License-Identifier: Apache-2.0
// How it works. A carrier is a fiber that runs threads of the block, one after another, as ordinary
// calls. When a thread must wait, its carrier parks, and another one continues: one with a released
// thread, or else a fresh carrier with the next thread. When all unfinished threads wait at the
// block's barrier, or all lanes of a mask at a warp's, they are released in the order in which they
// came.
//
// The runner returns when the last thread has finished, when a fatal access or a crash aborts the
// block, or when all threads wait for ever. Parked carriers are then discarded without unwinding
// their stacks.
#include "harness/devices/sim/kernels/runner.h"

#include <cstring>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/watchdog.h"
#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/runner_state.h"
#include "harness/devices/sim/kernels/stops.h"

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

/// To TSan, a fiber comes after all that its creator has seen. Neither another thread of the kernel
/// may create it, nor the caller, which has seen earlier blocks. They are therefore all created by
/// a fiber that only TSan knows.
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

/// Switches all state that belongs to the running thread.
void KernelRunner::State::enter(Carrier& next) {
  current = &next;
  access_state.stack = next.stack;
  set_registers(0, next.index.x(), next.index.y(), next.index.z);
}

/// Returns the carrier of a waiting thread that was released, or null.
KernelRunner::State::Carrier* KernelRunner::State::released_carrier() {
  if (ready_begin == ready.size()) return nullptr;
  Carrier* next = ready[ready_begin++];
  if (ready_begin == ready.size()) {
    ready.clear();
    ready_begin = 0;
  }
  return next;
}

/// Returns a carrier for the threads that have not run yet, or null.
KernelRunner::State::Carrier* KernelRunner::State::fresh_carrier() {
  if (next_thread == thread_count) return nullptr;
  return kTsan ? carriers[next_thread].get() : &take_carrier();
}

void KernelRunner::State::park(Carrier& self) {
  Carrier* next = released_carrier();
  if (next == nullptr) next = fresh_carrier();
  if (next == nullptr && !at_grid.empty()) {
    ending = BlockEnding::waiting;
    self.fiber.switch_to(home);
    return;
  }
  if (next == nullptr) give_up(self);
  enter(*next);
  self.fiber.switch_to(next->fiber);
}

/// New threads come first, as when a carrier continues itself, so that the order is the same in all
/// builds.
void KernelRunner::State::leave(Carrier& self) {
  Carrier* next = fresh_carrier();
  if (next == nullptr) next = released_carrier();
  if (next == nullptr && finished_count == thread_count) end_block(self, BlockEnding::finished);
  if (next == nullptr && !at_grid.empty()) {
    unused.push_back(&self);
    end_block(self, BlockEnding::waiting);
  }
  if (next == nullptr) give_up(self);
  unused.push_back(&self);
  enter(*next);
  self.fiber.finish(next->fiber);
}

/// Called when no thread can continue.
void KernelRunner::State::give_up(Carrier& self) {
  provenance.failed(FaultKind::deadlock,
                    {"barrier", "threads of a block wait at different barriers"});
  end_block(self, BlockEnding::aborted);
}

void KernelRunner::State::end_block(Carrier& self, BlockEnding how) {
  ending = how;
  device_edge_release(&launch->done);
  self.fiber.finish(home);
}

/// Returns how a block ends if an instruction of the kernel stopped it.
static BlockEnding ending_of(const Crash& crash) {
  return crash.signal == kStopTrap         ? BlockEnding::trapped
         : crash.signal == kStopUnknown    ? BlockEnding::trapped
         : crash.signal == kStopAssertion  ? BlockEnding::asserted
         : crash.signal == kStopMisaligned ? BlockEnding::misaligned
                                           : BlockEnding::aborted;
}

/// A signal arrived while a thread of the block ran. It is reported on the caller's stack.
void KernelRunner::State::crashed(void* argument, const Crash& how) {
  State& state = *static_cast<State*>(argument);
  state.crash = how;
  state.end_block(*state.current, BlockEnding::aborted);
}

void KernelRunner::State::carrier_main(void* argument) {
  Carrier& self = *static_cast<Carrier*>(argument);
  State& state = *self.state;
  constexpr std::uint64_t kFrameBytes = 4096;  // More than the space above this frame.
  const auto top = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  self.stack = {top - kStackBytes + kFrameBytes, kStackBytes - kFrameBytes};
  access_state.stack = self.stack;
  do state.run_next_thread(self);
  while (!kTsan && state.next_thread < state.thread_count);
  state.leave(self);
}

void KernelRunner::State::run_next_thread(Carrier& self) {
  self.thread = next_thread++;
  self.slept = 0;
  const Index index = next_index;
  self.index = index;
  set_registers(0, index.x(), index.y(), index.z);
  if (index.x() + 1 != launch->block.x)
    next_index.xy = index.xy + 1;
  else if (index.y() + 1 != launch->block.y)
    next_index.xy = ((index.xy >> 32) + 1) << 32;
  else
    next_index = {0, index.z + 1};
  device_edge_acquire(&launch->began);
  launch->entry->call(launch->pointers.data());
  device_edge_release(&launch->done);
  thread_finished(self);
}

/// The thread ends inside of a function, and its stack is discarded.
void KernelRunner::State::exit_thread() {
  Carrier& self = *current;
  device_edge_release(&launch->done);
  thread_finished(self);
  leave(self);
}

void KernelRunner::State::thread_finished(Carrier& self) {
  ++finished_count;
  polls_in_vain = 0;
  Warp& warp = warps[self.thread / kWarpLanes];
  warp.exited |= 1u << self.thread % kWarpLanes;
  open_for_those_left(*this);
  for (std::uint32_t rest = warp.waiting; rest != 0;
       rest &= rest - 1) {  // They need not wait for this thread.
    const std::uint32_t mask = warp.masks[__builtin_ctz(rest)];
    if (!lanes_are_here(warp, mask)) continue;
    release_lanes(warp, mask);
    return;
  }
  settle_active(warp);
}

// ---- a block -----------------------------------------------------------------------------------

/// Sets the registers that are the same for all threads of the block.
static void set_block_registers(const KernelRunner::State& state) {
  const Dim3 grid = state.launch->grid;
  const Dim3 block = state.launch->block;
  const std::uint64_t index = state.block_index;
  set_registers(3, static_cast<std::uint32_t>(index % grid.x),
                static_cast<std::uint32_t>(index / grid.x % grid.y),
                static_cast<std::uint32_t>(index / grid.x / grid.y));
  set_registers(6, block.x, block.y, block.z);
  set_registers(9, grid.x, grid.y, grid.z);
}

void KernelRunner::State::begin_block(Launch& which, std::uint64_t index) {
  launch = &which;
  block_index = index;
  ending = BlockEnding::finished;
  thread_count = static_cast<std::uint32_t>(which.thread_count());
  next_thread = 0;
  next_index = {};
  finished_count = 0;
  polls_in_vain = 0;
  used_count = 0;
  unused.clear();
  ready.clear();
  ready_begin = 0;
  at_grid.clear();
  shared_shift = 0;
  for (; used_barriers != 0; used_barriers &= used_barriers - 1) {
    Barrier& barrier = barriers[static_cast<std::size_t>(__builtin_ctz(used_barriers))];
    barrier.waiting.clear();
    barrier.arrived = barrier.epoch = 0;
    barrier.predicates = 0;
  }
  warps.resize((thread_count + kWarpLanes - 1) / kWarpLanes);
  for (Warp& warp : warps) {
    warp.exited = warp.waiting = warp.at_barrier = warp.active = warp.epoch = 0;
    warp.polled = false;
  }
  if (thread_count % kWarpLanes != 0) warps.back().exited = ~0u << thread_count % kWarpLanes;

  set_block_registers(*this);
  std::memset(dynamic_shared_memory(), 0, which.all_shared_bytes());
}

/// Gives a translated kernel the data that are not its parameters. In a build with a sanitizer, its
/// sites learn no ranges, because the sanitizer must see each access.
static void surround(KernelRunner::State& state) {
  const Launch& launch = *state.launch;
  KernelSurroundings& surroundings = state.launch->surroundings;
  surroundings.registers = afterlife_special_registers;
  surroundings.shared = dynamic_shared_memory();
  surroundings.shared_bytes = launch.all_shared_bytes();
  surroundings.dynamic_shared = Launch::dynamic_shared(*launch.entry);
  surroundings.words = &state.words;
  surroundings.grid = launch.is_cooperative ? reinterpret_cast<std::uint64_t>(&grid_memory()) : 0;
  state.words = {access_state.device.low, access_state.device.bytes,
                 state.provenance.shadow().shift(),
                 state.provenance.shadow().stored_word(launch.authority)};
  if (!kAsan && !kTsan) access_state.sites = &state.sites;
}

/// Sets up the windows that every kernel has.
void KernelRunner::State::begin_access() {
  const AddressRange device = provenance.shadow().hull();
  access_state = AccessState{};
  access_state.shared = shared;
  access_state.device = {device.low, device.high - device.low};
  access_state.provenance = &provenance;
  access_state.footprint = provenance.watched();
  access_state.abandon = [] { running->end_block(*running->current, BlockEnding::aborted); };
  constexpr std::uint64_t kEdgeBytes = 2 * 8 * (kBarrierCount + kBlockThreadLimit / kWarpLanes) + 8;
  if (kTsan && shared_shift == 0)
    shared_shift = fresh_addresses.next(shared.bytes + kEdgeBytes) - shared.low;
  access_state.shared_shift = shared_shift;
  if (launch->entry->extras != nullptr) surround(*this);
}

/// Runs the block until it ends, or waits for other blocks of its grid.
static BlockEnding enter_block(KernelRunner::State& state, KernelRunner::State::Carrier& first) {
  Launch& launch = *state.launch;
  state.provenance.begin_block(launch);
  state.begin_access();
  running = &state;
  {
    const CrashExit exit(KernelRunner::State::crashed, &state);
    Watched::step();
    state.enter(first);
    state.home.switch_to(first.fiber);
    Watched::step();
  }
  running = nullptr;
  if (state.ending == BlockEnding::aborted && !state.crash.signal.empty()) {
    state.provenance.failed(FaultKind::crash, state.crash);
    state.ending = ending_of(state.crash);
    state.crash = {};
  }
  device_edge_acquire(&launch.done);
  access_state.forget();
  access_state = AccessState{};
  return state.ending;
}

BlockEnding KernelRunner::State::run(Launch& which, std::uint64_t index) {
  HARNESS_CHECK(running == nullptr, "blocks do not nest");
  HARNESS_CHECK(index < which.block_count(), "a block of this launch");
  HARNESS_CHECK(which.thread_count() - 1 < kBlockThreadLimit, "1 to 1024 threads in a block");
  HARNESS_CHECK(which.all_shared_bytes() <= kDynamicSharedLimit,
                "as much shared memory as there is");
  begin_block(which, index);
  if (which.blocks_run++ == 0) device_edge_release(&which.began);
  home.adopt_thread();
  take_carrier_for_each_thread();
  return enter_block(*this, *fresh_carrier());
}

BlockEnding resume(KernelRunner::State& state) {
  HARNESS_CHECK(running == nullptr && !state.at_grid.empty(), "a block that waits is resumed");
  state.ending = BlockEnding::finished;
  state.ready.swap(state.at_grid);  // No other thread could continue.
  state.ready_begin = 0;
  state.at_grid.clear();
  set_block_registers(state);
  state.home.adopt_thread();
  return enter_block(state, *state.released_carrier());
}

KernelRunner::State::~State() {
#if HARNESS_TSAN
  if (tsan_maker != nullptr) __tsan_destroy_fiber(tsan_maker);
#endif
}

KernelRunner::KernelRunner(Provenance& provenance) : state_(std::make_unique<State>(provenance)) {}
KernelRunner::~KernelRunner() = default;

void KernelRunner::begin() { state_->slept = 0; }
std::uint64_t KernelRunner::slept_nanoseconds() const { return state_->slept; }

BlockEnding KernelRunner::run_block(Launch& launch, std::uint64_t index) {
  return state_->run(launch, index);
}

}  // namespace harness::devices

extern "C" void afterlife_exit_thread() { harness::devices::running->exit_thread(); }

/// Threads sleep at the same time, so that the longest sleep of the launch counts.
extern "C" void afterlife_sleep(std::uint32_t nanoseconds) {
  harness::devices::KernelRunner::State& state = *harness::devices::running;
  const std::uint64_t slept = state.current->slept += nanoseconds;
  if (slept <= state.launch->slept) return;
  state.slept += slept - state.launch->slept;
  state.launch->slept = slept;
}

extern "C" void* afterlife_dynamic_shared() { return harness::devices::dynamic_shared_memory(); }
