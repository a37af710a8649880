// SPDX-License-Identifier: Apache-2.0
// KernelRunner: runs the threads of one block of a launch, from a kernel compiled for the host.
//
// Threads run one after another as plain calls on one fiber. A thread that waits for others
// (__syncthreads, __shfl_sync) parks with its fiber, and another fiber continues with the next
// thread: a kernel without barriers pays for none. Under TSan each thread has a fiber, which TSan
// sees as a thread: it finds races within a block, not those between blocks, whose threads are
// never alive together. Threads: confined to the run's thread; re-entered only after it has
// returned.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/fiber.h"

namespace harness::devices {

enum class BlockEnding : std::uint8_t {
  finished,
  aborted,  ///< A fatal access, a deadlock or a crash; recorded. The block did not continue.
  trapped,  ///< The same, by an instruction of the kernel's own: see stops.h.
  asserted,
  misaligned,
  waiting,  ///< For other blocks of its grid: it can be resumed.
};

/// Part of a cooperative launch that was run.
struct GridStep {
  BlockEnding ending = BlockEnding::finished;
  /// All blocks have reached a barrier since the last phase, or none has begun before this step.
  bool begins_phase = false;
  bool is_last = false;
};

class KernelRunner {
 public:
  explicit KernelRunner(Provenance& provenance);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  /// Runs block `index` (x fastest) of `launch`. Blocks may run in any order, each once.
  BlockEnding run_block(Launch& launch, std::uint64_t index);

  /// Runs a block of a cooperative launch up to the next barrier across its grid: each in turn, in
  /// the order of their numbers, until all have finished. Blocks that wait for ever are a fault.
  GridStep step_grid(Launch& launch);

  /// Returns how long the kernels of this run have slept: of each the thread that did so for
  /// longest.
  std::uint64_t slept_nanoseconds() const;
  void begin();

  struct State;  ///< The state that functions called by kernels act on.

 private:
  std::unique_ptr<State> set_aside();

  std::unique_ptr<State> state_;               ///< For the block that begins next.
  std::vector<std::unique_ptr<State>> spare_;  ///< Those of blocks that waited, and have ended.
};

}  // namespace harness::devices
