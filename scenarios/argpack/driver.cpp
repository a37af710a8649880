// SPDX-License-Identifier: Apache-2.0
// The tasks of a run: a script, and mutators that interfere with it.
//
// The script fills its slots with ops, like one Python thread. Mutators, more Python threads over
// the same globals, start with the script's first use of a pack. At the end the script drops
// everything, collects and synchronises: whatever is still alive has leaked.
#include <algorithm>

#include "harness/run/scenario/stage.h"
#include "scenarios/argpack/player.h"

namespace scenarios::argpack {
namespace {

using harness::Scene;
using harness::Site;
using targets::argpack::Argpack;
using targets::argpack::Place;
using targets::argpack::Setup;
using targets::argpack::Status;
using targets::argpack::Walk;

using Stage = harness::Stage<Judge, Player, Shape>;

void clear_up(Scene& scene, Judge& judge) {
  const harness::SiteScope site(scene.world().scheduler, "clear_up");
  if (scene.world().history.faults().empty()) judge.look_at_host_arrays();
  judge.close();
  judge.path().globals.drop_all();
  scene.world().heap.finish_collection();  // No other collection can run during this one.
  judge.call(Op::collect, {2});
  if (!harness::insist([&] { return judge.call(Op::synchronize, {}) == Status::ok; })) return;
  judge.judge_end();
  scene.mark_quiescent();
}

void run_script(Stage& stage) {
  for (std::uint32_t slot = 0; slot < stage.shape.script_slots; ++slot)
    stage.player.take_slot({0, slot});
  for (std::uint32_t slot = 0; slot < stage.shape.closing_slots; ++slot)
    stage.player.take_closing_slot(stage.shape.script_slots + slot);
  stage.player.use().begin();
  stage.team.await_others();
  clear_up(stage.scene, stage.judges);
}

void run_mutator(Stage& stage, std::uint32_t task) {
  stage.player.use().wait();
  for (std::uint32_t slot = 0; slot < stage.shape.mutator_slots; ++slot)
    stage.player.take_slot({task, slot});
}

bool has_gil(const harness::Config& config) { return config.values[kGilAxis] == 0; }

void configure(harness::Heap& heap, const harness::Config& config) {
  const bool at_eval_breaker = config.values[kCollectorAxis] == 0;
  heap.configure({.gil = has_gil(config),
                  .collect_at = at_eval_breaker ? harness::CollectAt::eval_breaker
                                                : harness::CollectAt::allocation});
}

// ---- the order of parameters --------------------------------------------------------------------

constexpr std::uint32_t kPackCount = 3;
constexpr std::array<std::array<Place, kPackCount>, 6> kPackOrders{{
    {Place::nested_twice, Place::nested, Place::pack},
    {Place::pack, Place::nested, Place::nested_twice},
    {Place::nested_twice, Place::pack, Place::nested},
    {Place::nested, Place::nested_twice, Place::pack},
    {Place::nested, Place::pack, Place::nested_twice},
    {Place::pack, Place::nested_twice, Place::nested},
}};

Setup set_up(Scene& scene, Judge& judge) {
  Setup setup;
  setup.backend = static_cast<targets::argpack::Backend>(scene.config().values[kBackendAxis]);
  setup.gil = has_gil(scene.config());
  setup.walk = pick_walk(scene);
  setup.observer = &judge;
  return setup;
}

}  // namespace

Walk pick_walk(Scene& scene) {
  constexpr std::uint32_t kBehindPacks = kPackCount;
  const std::uint32_t order = scene.pick(Site::order, kPackOrders.size());
  const std::uint32_t first = order == 1 ? kBehindPacks : 0;
  Walk walk{};
  std::copy(kPackOrders[order].begin(), kPackOrders[order].end(), walk.begin());
  std::uint32_t count = kPackCount;
  for (const Place place : {Place::array, Place::external}) {
    // Behind this many others.
    const std::uint32_t behind =
        (first + (count - kPackCount) + scene.pick(Site::order, count + 1)) % (count + 1);
    const auto at = walk.begin() + behind;
    std::copy_backward(at, walk.begin() + count, walk.begin() + count + 1);
    *at = place;
    ++count;
  }
  return walk;
}

void drive(Scene& scene) { drive_shaped(scene, Shape{}); }

void drive_shaped(Scene& scene, const Shape& shape) {
  drive_path(scene, shape, maker_of(scene.variant()));
}

void drive_path(Scene& scene, const Shape& shape, Maker make) {
  harness::Scheduler& scheduler = scene.world().scheduler;
  configure(scene.world().heap, scene.config());
  auto* stage = scheduler.arena().make<Stage>(scene, shape, themes());
  scene.set_state(stage->judges.reach());
  const Setup setup = set_up(scene, stage->judges);
  const Argpack path = make(stage->runtime, setup);
  stage->judges.set_path(path);
  path.programs.init();
  scene.mark_baseline();
  stage->team.spawn([stage] { run_script(*stage); },
                    [stage](std::uint32_t task) { run_mutator(*stage, task); });
}

}  // namespace scenarios::argpack
