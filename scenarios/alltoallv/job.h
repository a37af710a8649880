// SPDX-License-Identifier: Apache-2.0
// Job: state that the tasks of one run share: the plan, the path under test, and its judges.
#pragma once

#include <array>

#include "scenarios/alltoallv/first_told.h"
#include "scenarios/alltoallv/judges/answers.h"

namespace scenarios::alltoallv {

/// Ownership: made in the run's arena; borrows the scene and the path.
struct Job {
  Job(harness::Scene& the_scene, const Shape& shape)
      : scene(the_scene),
        job_state(scene, shape),
        judges(scene, job_state),
        answers(scene, job_state, judges.slots()),
        dropped(scene.world().scheduler, job_state.rank_count(), "dropped"),
        collected(scene.world().scheduler, 1, "collected"),
        closed(scene.world().scheduler, job_state.rank_count(), "closed") {}
  Job(const Job&) = delete;  // The parts point at each other.
  Job& operator=(const Job&) = delete;

  harness::Scene& scene;
  JobState job_state;
  Judges judges;
  Answers answers;
  FirstTold first_told;
  targets::alltoallv::Alltoallv* path = nullptr;
  /// Number of polls that the plan makes, by rank.
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> planned_polls{};
  harness::Latch dropped;    ///< Counted down by each rank when it has dropped its variables.
  harness::Latch collected;  ///< Counted down by rank 0 when all garbage is collected.
  harness::Latch closed;     ///< Counted down by each rank when its process is closed.
};

}  // namespace scenarios::alltoallv
