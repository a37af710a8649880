// Skew: some tasks run slower than others, by a ratio that is picked for each.
#include "harness/scenario.h"

namespace harness::actors {
namespace {

// Option 0 is full speed; the others are one turn in so many.
constexpr std::array<std::uint32_t, 4> kRatios{1, 2, 4, 16};

void install(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  for (std::size_t i = 0; i < scheduler.task_count(); ++i) {
    const auto task = static_cast<TaskId>(i);
    const ActivationScope scope(scheduler, scheduler.task_name(task), "skew", 0);
    const std::uint32_t choice = scene.pick(Site::skew, kRatios.size());
    if (choice != 0) scheduler.set_skew(task, kRatios[choice]);
  }
}

}  // namespace

extern const ActorInfo skew;
const ActorInfo skew{"skew", "some tasks run slower than others", install};

}  // namespace harness::actors
