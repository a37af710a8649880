// Job: what the tasks of one run share: the course, the path under test, and its judges.
#pragma once

#include <array>

#include "scenarios/alltoallv/first_told.h"
#include "scenarios/alltoallv/judges/answers.h"

namespace scenarios::alltoallv {

/// Ownership: made in the run's arena; borrows the scene and the path.
struct Job {
  Job(harness::Scene& the_scene, const Shape& shape)
      : scene(the_scene),
        course(scene, shape),
        judges(scene, course),
        answers(scene, course, judges.slots()),
        dropped(scene.world().scheduler, course.rank_count(), "dropped"),
        collected(scene.world().scheduler, 1, "collected"),
        closed(scene.world().scheduler, course.rank_count(), "closed") {}
  Job(const Job&) = delete;  // The parts point at each other.
  Job& operator=(const Job&) = delete;

  harness::Scene& scene;
  Course course;
  Judges judges;
  Answers answers;
  FirstTold first_told;
  targets::alltoallv::Alltoallv* path = nullptr;
  /// By rank: how often it polled because the plan has it do so, whatever there was to wait for.
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> planned_polls{};
  harness::Latch dropped;    ///< By every rank: its variables.
  harness::Latch collected;  ///< By rank 0: the garbage of all.
  harness::Latch closed;     ///< By every rank: its process.
};

}  // namespace scenarios::alltoallv
