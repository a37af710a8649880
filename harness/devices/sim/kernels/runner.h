// SPDX-License-Identifier: Apache-2.0
// KernelRunner: runs the threads of one block of a launch, from a kernel compiled for the host.
//
// Threads run one after another as ordinary calls on one fiber. A thread that waits for others
// (__syncthreads, __shfl_sync) parks with its fiber, and another fiber continues with the next
// thread, so that a kernel without barriers needs only one. Under TSan each thread has a fiber,
// which TSan sees as a thread. It finds races within a block, but not between blocks, whose threads
// do not exist at the same time. Threads: confined to the run's thread; re-entered only after it
// has returned.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/fiber.h"
#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/kernels/provenance.h"

namespace harness::devices {

enum class BlockEnding : std::uint8_t {
  finished,
  aborted,  ///< A fatal access, a deadlock or a crash, which was recorded.
  trapped,  ///< Ended by an instruction of the kernel; see stops.h.
  asserted,
  misaligned,
  waiting,  ///< Waits for other blocks of its grid. It can be resumed.
};

/// A step of a cooperative launch.
struct GridStep {
  BlockEnding ending = BlockEnding::finished;
  /// Whether all blocks have reached a barrier since the last phase, or none began before.
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

  /// Runs a block of a cooperative launch up to the next barrier across its grid. Each block has a
  /// turn, in order, until all have finished. Blocks that wait forever are a fault.
  GridStep step_grid(Launch& launch);

  /// Returns how long the kernels of this run have slept: the sum of the longest sleep of each.
  std::uint64_t slept_nanoseconds() const;
  void begin();

  struct State;  ///< The state that functions called by kernels act on.

 private:
  std::unique_ptr<State> set_aside();

  std::unique_ptr<State> state_;               ///< The state for the next block.
  std::vector<std::unique_ptr<State>> spare_;  ///< States of blocks that waited and have ended.
};

}  // namespace harness::devices
