// SPDX-License-Identifier: Apache-2.0
// Collector: a task that requests collections, so that they also happen without an allocation. If
// Python runs, they are pending calls, which the main thread executes between two steps.
#include "harness/run/scenario/scenario.h"

#include "harness/core/heap/interpreter.h"

namespace harness::actors {
namespace {

constexpr std::uint32_t kCollectionLimit = 3;

void collect(void* heap) { static_cast<Heap*>(heap)->collect(); }

void ask_for_collections(World& world, std::uint32_t count) {
  const SiteScope site(world.scheduler, "collector");
  for (std::uint32_t i = 0; i < count; ++i) {
    world.scheduler.turn({});
    Interpreter* interpreter = world.heap.interpreter();
    if (interpreter == nullptr)
      world.heap.collect();
    else
      interpreter->add_pending_call(collect, &world.heap);
  }
}

// Option 0: there is no such task.
void install_collector(Scene& scene) {
  World& world = scene.world();
  const ActivationScope scope(world.scheduler, 0, "collector", 0);
  const std::uint32_t count = scene.pick(Site::collect, kCollectionLimit + 1);
  if (count != 0)
    world.scheduler.spawn("collector", [&world, count] { ask_for_collections(world, count); });
}

}  // namespace

extern const ActorInfo collector;
const ActorInfo collector{"collector", "a task may collect between any two steps",
                          install_collector};

}  // namespace harness::actors
