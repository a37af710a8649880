// SPDX-License-Identifier: Apache-2.0
// Skew: some tasks run slower than others, by a ratio chosen for each task or, if a run has several
// processes, for each process with all its tasks. Processes may also be held up at named points of
// the path (Scheduler::delay_point), so that a peer is late at that point.
#include "harness/run/scenario/scenario.h"

namespace harness::actors {
namespace {

// Option 0 is full speed; the others are one turn out of this many.
constexpr std::array<std::uint32_t, 4> kTaskRatios{1, 2, 4, 16};
constexpr std::array<std::uint32_t, 5> kProcessRatios{1, 2, 4, 16, 64};

void skew_tasks(Scene& scene, Scheduler& scheduler) {
  for (std::size_t i = 0; i < scheduler.tasks().count(); ++i) {
    const auto task = static_cast<TaskId>(i);
    const ActivationScope scope(scheduler, scheduler.tasks().name(task), "skew", 0);
    const std::uint32_t choice = scene.pick(Site::skew, kTaskRatios.size());
    if (choice != 0) scheduler.pace().set_skew(task, kTaskRatios[choice]);
  }
}

void skew_processes(Scene& scene, Scheduler& scheduler, std::uint32_t process_count) {
  for (std::uint32_t i = 0; i < process_count; ++i) {
    const ActivationScope scope(scheduler, 0, "process skew", i);
    const std::uint32_t choice = scene.pick(Site::skew, kProcessRatios.size());
    if (choice != 0) scheduler.pace().set_skew(static_cast<ProcessId>(i), kProcessRatios[choice]);
  }
  scheduler.pace().allow_delays();
}

std::uint32_t count_processes(const Scheduler& scheduler) {
  std::uint32_t count = 1;
  for (std::size_t i = 0; i < scheduler.tasks().count(); ++i)
    count =
        std::max(count, raw(scheduler.tasks().process(static_cast<TaskId>(i))) + std::uint32_t{1});
  return count;
}

void install_skew(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  const std::uint32_t process_count = count_processes(scheduler);
  if (process_count == 1)
    skew_tasks(scene, scheduler);
  else
    skew_processes(scene, scheduler, process_count);
}

}  // namespace

extern const ActorInfo skew;
const ActorInfo skew{"skew", "some tasks, or processes, run slower than others", install_skew};

}  // namespace harness::actors
