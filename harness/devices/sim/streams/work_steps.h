// SPDX-License-Identifier: Apache-2.0
// WorkSteps: executes pieces of work, one step at a time: a block of a kernel, or all of any other
// work.
#pragma once

#include "harness/core/history/history.h"
#include "harness/devices/sim/kernels/runner.h"
#include "harness/devices/sim/kernels/used_range.h"
#include "harness/devices/sim/memory/kernel_heap.h"
#include "harness/devices/sim/streams/data_race.h"
#include "harness/devices/sim/streams/stream.h"
#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

class SimDevice;

/// Returns the use of memory by the work, at `site`. Lifetime: that of the work.
OrderedUse use_by(const Work& work, Label site);

class WorkSteps {
 public:
  explicit WorkSteps(SimDevice& sim) : sim_(sim) {}

  /// Returns the device's clock, in nanoseconds.
  std::uint64_t now() const;
  /// Informs TSan that the work follows its submission and its dependencies.
  static void acquire_before(Stream& stream, const Work& work);
  void start(Stream& stream, Work& work);
  /// Executes one step. Returns whether the work is complete.
  bool step(Stream& stream, Work& work);
  /// Returns whether the next operation is a wait for a value in memory that is not over. A wait on
  /// dead memory counts as over, because it is a fault.
  bool held_up(Work& work);
  /// Notes that the work was not done at its submission.
  void stays(Work& work);
  void note(EventKind kind, const Stream& stream, const Work& work);
  /// Releases the data of completed host work, unless a graph owns it.
  void release(Work& work);

  /// Returns the heap of the running kernel.
  KernelHeap& heap() { return heap_; }

 private:
  bool do_step(Stream& stream, Work& work);
  bool run_block(const Stream& stream, Work& work);
  GridStep run_next_block(Work& work);
  void host_work(Work& work);
  HostBytes host_bytes(const Place& place, std::uint64_t bytes);
  void check_host_bytes(const Work& work, const Place& place, const HostBytes& held);
  void copy(Work& work);
  void copy_row(Work& work);
  void set(Work& work);
  void set_row(Work& work);
  void prefetch(const Work& work);
  bool do_memory_op(Work& work);
  bool met(const Work& work, const Place& place);
  void tell_parts(Fault& fault, const Place& place, std::uint64_t bytes) const;
  bool met_beyond(BlockRef here, const Place& place, std::uint64_t bytes);
  void used(const Work& work, const Place& place, AccessMode mode);
  void used_range(std::uint32_t index, UsedRange range, const OrderedUse& by);
  void used_by_kernel(Work& work);
  static void begin_block(Work& work, const std::vector<UsedRange>& footprint);

  SimDevice& sim_;
  KernelHeap heap_{sim_};
};

}  // namespace harness::devices
