// SPDX-License-Identifier: Apache-2.0
// KernelRunner::State: the threads of the block that is running, and who of them waits for whom.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/crash.h"
#include "harness/devices/sim/kernels/access.h"
#include "harness/devices/sim/kernels/own_memory.h"
#include "harness/devices/sim/kernels/runner.h"
#include "harness/sanitizers.h"

namespace harness::devices {

/// The stack of a thread of a kernel; reports of sanitizers are made on it too.
inline constexpr std::size_t kStackBytes = kAsan || kTsan ? 256 << 10 : 64 << 10;
inline constexpr std::uint32_t kWarpLanes = 32;
inline constexpr std::uint32_t kBarrierCount = 16;  ///< A block has this many.
/// Number of looks in vain, for each thread that is alive, after which nothing is waited for.
inline constexpr std::uint64_t kPollLimit = 1 << 14;
/// Instead of the lane that is wanted: who gave something; all that was given; who is here.
inline constexpr std::uint32_t kBallot = kWarpLanes;
inline constexpr std::uint32_t kGather = kWarpLanes + 1;
inline constexpr std::uint32_t kActive = kWarpLanes + 2;

struct KernelRunner::State {
  /// Packed, so that it is read as it was written: each thread copies it.
  struct Index {
    std::uint64_t xy = 0;  ///< x in the low half.
    std::uint32_t z = 0;
    std::uint32_t x() const { return static_cast<std::uint32_t>(xy); }
    std::uint32_t y() const { return static_cast<std::uint32_t>(xy >> 32); }
  };

  /// A fiber, and the thread that it runs.
  struct Carrier {
    Fiber fiber;
    State* state;
    std::uint32_t thread;  ///< Linear, in its block.
    Index index;           ///< Its place in the block, as threadIdx.
    Window stack;
    std::uint64_t slept;   ///< In nanoseconds, by its thread.
    std::uint64_t result;  ///< Given to it when it continued, after it waited.
    // While its thread waits for lanes of its warp:
    std::uint64_t given;
    std::uint32_t lane_wanted;
  };

  /// The words that a lane gives to all others, and where it wants theirs.
  struct Gathering {
    const std::uint64_t* given;
    std::uint32_t count;
    std::uint64_t* all;
  };

  /// The lanes of a warp that wait, each for those of its mask, which differ where a warp diverged.
  struct Warp {
    std::uint32_t exited = 0;
    std::uint32_t waiting = 0;
    std::uint32_t at_barrier = 0;  ///< Those that wait at one of the block's, or poll.
    std::uint32_t active = 0;      ///< Those of `waiting` that ask who is here, and name no lanes.
    std::uint32_t epoch = 0;  ///< Number of times that lanes were released: TSan's edges alternate.
    bool polled = false;      ///< In vain, since lanes were released.
    std::uint32_t masks[kWarpLanes];
    Carrier* lanes[kWarpLanes];
  };

  /// One of a block's barriers, from the first thread that comes until it opens.
  struct Barrier {
    std::vector<Carrier*> waiting;
    std::uint32_t arrived = 0;  ///< Number of threads that came and do not wait.
    std::uint32_t threads = 0;  ///< This many open it; 0 for all of the block that are alive.
    int predicates = 0;         ///< Number of those that brought a predicate.
    std::uint32_t epoch = 0;
    std::uint32_t came() const { return static_cast<std::uint32_t>(waiting.size()) + arrived; }
    /// Returns whether it opens once `more` have come, of a block with this many threads alive.
    bool opens(std::uint32_t more, std::uint32_t alive) const {
      return threads == 0 ? came() + more == alive : came() + more >= threads;
    }
  };

  explicit State(Provenance& with) : provenance(with) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  BlockEnding run(Launch& which, std::uint64_t index);
  void begin_block(Launch& which, std::uint64_t index);
  void begin_access();

  // ---- carriers ----
  Carrier& take_carrier();
  void take_carrier_for_each_thread();
  void enter(Carrier& next);
  Carrier* released_carrier();
  Carrier* fresh_carrier();
  void park(Carrier& self);
  [[noreturn]] void leave(Carrier& self);
  [[noreturn]] void give_up(Carrier& self);
  [[noreturn]] void end_block(Carrier& self, BlockEnding how);
  static void crashed(void* state, const Crash& how);
  static void carrier_main(void* argument);
  void run_next_thread(Carrier& self);
  void thread_finished(Carrier& self);
  [[noreturn]] void exit_thread();

  // ---- waiting ----
  int wait_at(std::uint32_t number, std::uint32_t threads, int predicate);
  void arrive_at(std::uint32_t number, std::uint32_t threads);
  std::uint64_t exchange(std::uint32_t mask, std::uint64_t given, std::uint32_t lane_wanted);
  void settle_active(Warp& warp);
  bool lanes_are_here(const Warp& warp, std::uint32_t mask) const;
  void release_lanes(Warp& warp, std::uint32_t mask);
  void* edge(std::uint32_t barrier, std::uint32_t epoch) const;

  Provenance& provenance;
  StackPool stacks{kStackBytes};
  Fiber home;
  FreshAddresses fresh_addresses;
  std::uint64_t shared_shift = 0;  ///< The block's, as AccessState has it.
  KernelWords words{};
  std::vector<KernelSite*> sites;               ///< Those that know something of this block.
  [[maybe_unused]] void* tsan_maker = nullptr;  ///< Makes the fibers, in TSan's eyes.
  Window shared = own_thread_storage();

  std::vector<std::unique_ptr<Carrier>> carriers;
  std::size_t used_count = 0;    ///< Carriers [0, used_count) have run threads of this block.
  std::vector<Carrier*> unused;  ///< Those of the used ones that are free again.
  std::vector<Carrier*> ready;   ///< Released, from ready_begin on.
  std::size_t ready_begin = 0;
  std::vector<Carrier*> at_grid;  ///< Those that look whether other blocks have come.
  Carrier* current = nullptr;

  Launch* launch = nullptr;
  std::uint64_t block_index = 0;
  std::uint64_t slept = 0;  ///< In nanoseconds, by all kernels of this run.
  BlockEnding ending = BlockEnding::finished;
  Crash crash;  ///< Empty where nothing crashed.
  std::uint32_t thread_count = 0;
  std::uint32_t next_thread = 0;
  Index next_index;
  std::uint32_t finished_count = 0;
  std::uint64_t polls_in_vain = 0;  ///< Since a thread ended, or let others continue.

  std::array<Barrier, kBarrierCount> barriers;
  std::uint32_t used_barriers = 0;  ///< A bit for each that threads of this block came to.
  std::vector<Warp> warps;
};

/// Goes on with a block that waits for others of its grid.
BlockEnding resume(KernelRunner::State& state);

/// Opens the barriers that wait for no other thread any more, now that one has ended.
void open_for_those_left(KernelRunner::State& state);

/// The state that functions called by kernels act on; null while no block runs.
extern constinit thread_local KernelRunner::State* running;

}  // namespace harness::devices
