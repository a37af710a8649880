// SPDX-License-Identifier: Apache-2.0
// Job: state that the tasks of one run share: the plan, the path under test, and its judges.
#pragma once

#include "scenarios/alltoallv/facts.h"
#include "scenarios/alltoallv/judges/answers.h"

namespace scenarios::alltoallv {

/// Ownership: made in the run's arena; borrows the scene and the path.
struct Job {
  Job(harness::Scene& the_scene, const Shape& shape)
      : scene(the_scene),
        state(scene, shape),
        facts(scene, state),
        answers(scene, state),
        dropped(scene.world().scheduler, state.rank_count, "dropped"),
        collected(scene.world().scheduler, 1, "collected"),
        closed(scene.world().scheduler, state.rank_count, "closed") {}
  Job(const Job&) = delete;  // The parts point at each other.
  Job& operator=(const Job&) = delete;

  harness::Scene& scene;
  State state;
  Facts facts;
  Answers answers;
  targets::alltoallv::Alltoallv* path = nullptr;
  harness::Latch dropped;    ///< Counted down by each rank when it has dropped its variables.
  harness::Latch collected;  ///< Counted down by rank 0 when all garbage is collected.
  harness::Latch closed;     ///< Counted down by each rank when its process is closed.
};

}  // namespace scenarios::alltoallv
