// SPDX-License-Identifier: Apache-2.0
// KernelRunner::State: the threads of the running block, and which of them wait.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/crash/crash.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/kernels/access.h"
#include "harness/devices/sim/kernels/own_memory.h"
#include "harness/devices/sim/kernels/runner.h"

namespace harness::devices {

/// The size of a kernel thread's stack. Sanitizer reports use it, too.
inline constexpr std::size_t kStackBytes = kAsan || kTsan ? 256 << 10 : 64 << 10;
inline constexpr std::uint32_t kWarpLanes = 32;
inline constexpr std::uint32_t kBarrierCount = 16;  ///< Number of barriers of a block.
/// Number of unsuccessful polls, for each live thread, after which a block is considered stuck.
inline constexpr std::uint64_t kPollLimit = 1 << 14;
/// In place of the wanted lane: request the ballot; all given words; the active lanes.
inline constexpr std::uint32_t kBallot = kWarpLanes;
inline constexpr std::uint32_t kGather = kWarpLanes + 1;
inline constexpr std::uint32_t kActive = kWarpLanes + 2;

struct KernelRunner::State {
  /// Packed for fast copying, because each thread copies it.
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
    std::uint32_t thread;  ///< Linear index in its block.
    Index index;           ///< threadIdx.
    Window stack;
    std::uint64_t slept;   ///< Nanoseconds that its thread has slept.
    std::uint64_t result;  ///< The result of its wait, when it continues.
    // While its thread waits for lanes of its warp:
    std::uint64_t given;
    std::uint32_t lane_wanted;
  };

  /// The words that a lane gives to all others, and the destination for theirs.
  struct Gathering {
    const std::uint64_t* given;
    std::uint32_t count;
    std::uint64_t* all;
  };

  /// The waiting lanes of a warp. Each waits for the lanes of its mask; masks differ after
  /// divergence.
  struct Warp {
    std::uint32_t exited = 0;
    std::uint32_t waiting = 0;
    std::uint32_t at_barrier = 0;  ///< Lanes that wait at a barrier of the block, or poll.
    std::uint32_t active = 0;      ///< Lanes of `waiting` that ask for the active lanes, and have
                                   ///< no mask.
    std::uint32_t epoch = 0;  ///< Number of times that lanes were released: TSan's edges alternate.
    bool polled = false;      ///< Whether it was polled without success since lanes were released.
    std::uint32_t masks[kWarpLanes];
    Carrier* lanes[kWarpLanes];
  };

  /// A barrier of a block, from the first arrival until it opens.
  struct Barrier {
    std::vector<Carrier*> waiting;
    std::uint32_t arrived = 0;  ///< Number of threads that have arrived without waiting.
    std::uint32_t threads = 0;  ///< Number of threads that open it; 0 for all live threads of the
                                ///< block.
    int predicates = 0;         ///< Number of true predicates.
    std::uint32_t epoch = 0;
    std::uint32_t came() const { return static_cast<std::uint32_t>(waiting.size()) + arrived; }
    /// Returns whether it opens after `more` arrivals, in a block with `alive` live threads.
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
  std::uint64_t shared_shift = 0;  ///< The shift of the block in AccessState.
  KernelWords words{};
  std::vector<KernelSite*> sites;               ///< Sites with known addresses of this block.
  [[maybe_unused]] void* tsan_maker = nullptr;  ///< Makes the fibers, from TSan's point of view.
  Window shared = own_thread_storage();

  std::vector<std::unique_ptr<Carrier>> carriers;
  std::size_t used_count = 0;    ///< Carriers [0, used_count) have run threads of this block.
  std::vector<Carrier*> unused;  ///< Used carriers that are free again.
  std::vector<Carrier*> ready;   ///< Released, from ready_begin on.
  std::size_t ready_begin = 0;
  std::vector<Carrier*> at_grid;  ///< Carriers that poll for other blocks of the grid.
  Carrier* current = nullptr;

  Launch* launch = nullptr;
  std::uint64_t block_index = 0;
  std::uint64_t slept = 0;  ///< Nanoseconds, of all kernels of this run.
  BlockEnding ending = BlockEnding::finished;
  Crash crash;  ///< Empty if nothing crashed.
  std::uint32_t thread_count = 0;
  std::uint32_t next_thread = 0;
  Index next_index;
  std::uint32_t finished_count = 0;
  std::uint64_t polls_in_vain = 0;  ///< Unsuccessful polls since a thread ended or made progress
                                    ///< possible for others.

  std::array<Barrier, kBarrierCount> barriers;
  std::uint32_t used_barriers = 0;  ///< Bit for each barrier that threads of this block have
                                    ///< reached.
  std::vector<Warp> warps;
};

/// Resumes a block that waits for others of its grid.
BlockEnding resume(KernelRunner::State& state);

/// Opens the barriers that are complete after a thread has ended.
void open_for_those_left(KernelRunner::State& state);

/// The state on which functions called by kernels act; null while no block runs.
extern constinit thread_local KernelRunner::State* running;

}  // namespace harness::devices
