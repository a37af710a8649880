// SPDX-License-Identifier: Apache-2.0
// Core: state that the parts of one job share.
#pragma once

#include "targets/alltoallv/mem_info.h"

namespace targets::alltoallv {

class Policy;
class Segment;

/// Ownership: in the run's arena; borrows the runtime and all that its members point at.
struct Core {
  Core(harness::Runtime& runtime, const Setup& setup)
      : runtime(runtime),
        setup(setup),
        element_count(buffer_elements(setup.rank_count)),
        scheduler(runtime.scheduler),
        out_of_band(runtime.scheduler, setup.rank_count, "out of band"),
        doorbell(runtime.scheduler.name_next("doorbell")) {}
  Core(const Core&) = delete;  // Every part of the job points at it.
  Core& operator=(const Core&) = delete;

  /// Calls `tell(observer)` if there is an observer.
  template <class Tell>
  void tell(Tell tell) {
    if (setup.observer != nullptr) tell(*setup.observer);
  }

  /// Signals a change that a rank may be waiting for.
  void ring() { scheduler.touch(doorbell); }

  /// Marks a point at which a rank may be delayed. Has no effect in a quiet job.
  void delay_point(harness::Label point) {
    if (!setup.quiet) scheduler.delay_point(point);
  }

  harness::Runtime& runtime;
  Setup setup;
  std::uint32_t element_count;  ///< Elements of every source and destination.
  harness::Scheduler& scheduler;
  harness::Barrier out_of_band;  ///< Exchanges words between ranks when teams are made.
  harness::Resource doorbell;
  Policy* policy = nullptr;
  /// Segments by team. Rank 0 sets an entry when the team is made.
  std::array<Segment*, kTeamLimit> segments{};
  /// Scratch by team and rank, as exchanged out of band.
  std::array<std::array<MemInfo, kRankLimit>, kTeamLimit> scratch{};
};

}  // namespace targets::alltoallv
