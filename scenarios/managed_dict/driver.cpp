// SPDX-License-Identifier: Apache-2.0
// The tasks of a run: a script, a second thread that uses the same classes, and the JIT's compiler
// thread.
//
// At the end the script drops everything, collects and synchronises: whatever is still alive has
// leaked.
#include "harness/run/scenario/team.h"
#include "scenarios/managed_dict/explain/explain.h"
#include "scenarios/managed_dict/player.h"
#include "scenarios/managed_dict/variants.h"

namespace scenarios::managed_dict {
namespace {

using harness::Scene;
using harness::Site;
using targets::managed_dict::ManagedDict;
using targets::managed_dict::MemoryObserver;
using targets::managed_dict::Setup;
using targets::managed_dict::Status;

/// Value of the axis `compiler`.
constexpr std::uint8_t kBackground = 1;

/// Number of turns without work after which the compiler thread ends.
constexpr std::uint32_t kCompilerPatience = 64;

/// Number of free blocks of a small chunk's size at the start of a loop.
constexpr std::uint32_t kFreeBlocks = 8;
constexpr std::uint32_t kFreeBytes = 24;

/// State that the tasks of a run share. In the run's arena.
struct Stage {
  Scene& scene;
  harness::Runtime runtime;  ///< The path borrows it.
  Player player;
  Shape shape;
  harness::Team team;
  bool over = false;

  Stage(Scene& the_scene, const Shape& the_shape)
      : scene(the_scene),
        runtime(the_scene.runtime()),
        player(the_scene),
        shape(the_shape),
        team(the_scene.world().scheduler, "worker", the_shape.worker_count) {}
};

void run_script(Stage& stage) {
  for (std::uint32_t slot = 0; slot < stage.shape.script_slots; ++slot)
    stage.player.take_slot({0, slot});
  for (std::uint32_t i = 0; i < stage.shape.closing_slots && !stage.scene.observed().exercised; ++i)
    stage.player.take_closing_slot(stage.shape.script_slots + i);
  stage.team.await_others();
  stage.over = true;
  stage.player.finish();
}

void run_worker(Stage& stage, std::uint32_t task) {
  for (std::uint32_t slot = 0; slot < stage.shape.worker_slots; ++slot)
    stage.player.take_slot({task, slot});
}

// Compiles requested functions whenever it gets the GIL.
void run_compiler(Stage& stage) {
  harness::Scheduler& scheduler = stage.scene.world().scheduler;
  for (std::uint32_t idle = 0; idle < kCompilerPatience && !stage.over;) {
    scheduler.turn({});
    idle = stage.player.path().jit().compile_step() == Status::ok ? 0 : idle + 1;
  }
}

// In a few runs the process gets out of memory at some statement.
std::uint32_t pick_pool_limit(Scene& scene) {
  constexpr std::array<std::uint32_t, 5> kLimits{targets::managed_dict::kPoolCount, 3, 4, 5, 6};
  return kLimits[scene.pick(Site::failure, kLimits.size())];
}

// Chooses the process's past and its addresses: shared keys shrink with every instance, and bit 23
// of an address acts as a sign bit if a pointer is counted.
Setup set_up(Scene& scene, const Settings& fixed) {
  constexpr std::array<std::uint32_t, 4> kWarmUps{30, 29, 26, 0};
  constexpr std::array<std::uint32_t, 4> kThresholds{1, 2, 3, 6};
  const auto pick = [&](std::uint32_t count) { return scene.pick(Site::order, count); };
  Setup setup;
  setup.version = static_cast<targets::managed_dict::Version>(scene.config().values[kLayoutAxis]);
  setup.background_compile = scene.config().values[kCompilerAxis] == kBackground;
  setup.placement.heap_bit23 = pick(2) != 0;
  setup.placement.heap_bit31 = pick(2) != 0;
  setup.placement.fixed_program = pick(2) != 0;
  setup.placement = fixed.placement.value_or(setup.placement);
  setup.warm_up = fixed.warm_up.value_or(kWarmUps[pick(kWarmUps.size())]);
  setup.compile_threshold = fixed.compile_threshold.value_or(kThresholds[pick(kThresholds.size())]);
  setup.wrapper_blocks = fixed.wrapper_blocks.value_or(pick(3));
  if (!fixed.placement) setup.placement.pool_limit = pick_pool_limit(scene);
  return setup;
}

/// Makes the path of a run, and the state that its tasks share.
Stage& make_stage(Scene& scene, const Shape& shape, const Settings& settings, Maker make,
                  MemoryObserver* observer = nullptr) {
  auto* stage = scene.world().arena.make<Stage>(scene, shape);
  Setup setup = set_up(scene, settings);
  setup.observers = stage->player.judge().observers(observer);
  if (scene.instruments() != nullptr) stage->player.set_transcript(transcript_of(scene));
  ManagedDict* path = make(stage->runtime, setup);
  stage->player.set_path(*path);
  path->init();
  scene.mark_baseline();
  return *stage;
}

void spawn_tasks(Stage& stage) {
  stage.team.spawn([&stage] { run_script(stage); },
                   [&stage](std::uint32_t task) { run_worker(stage, task); });
}

}  // namespace

void drive(Scene& scene) { drive_shaped(scene, kWholeShape, observer_of(scene)); }

void drive_path(Scene& scene, Maker make) {
  spawn_tasks(make_stage(scene, {.worker_count = 0, .script_slots = 40}, {}, make));
}

void drive_shaped(Scene& scene, const Shape& shape, MemoryObserver* observer,
                  const Settings& settings) {
  Stage& stage = make_stage(scene, shape, settings, maker_of(scene.variant()), observer);
  spawn_tasks(stage);
  if (scene.config().values[kCompilerAxis] == kBackground)
    scene.world().scheduler.spawn_daemon("compiler", [&stage] { run_compiler(stage); });
}

void drive_loop(Scene& scene, std::uint32_t iterations, const Settings& settings) {
  Stage& stage = make_stage(scene, {.worker_count = 0}, settings, maker_of(scene.variant()));
  scene.world().scheduler.spawn("script", [&stage, iterations] {
    targets::managed_dict::Statements& path = stage.player.path().statements();
    // Earlier code has left free blocks.
    for (std::uint32_t i = 0; i < kFreeBlocks; ++i) path.hold_noise(kFreeBytes);
    for (std::uint32_t i = 0; i < kFreeBlocks; ++i) path.drop_noise();
    for (std::uint32_t i = 0; i < iterations; ++i)
      path.with_block(1, targets::managed_dict::Body::pass);
    stage.player.judge().heap().judge_all();
    path.clear_up();
  });
}

}  // namespace scenarios::managed_dict
