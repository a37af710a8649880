// SPDX-License-Identifier: Apache-2.0
// The tasks of a run: a user, who requests buffers by key, and owners, who replace them.
#include "scenarios/example/player.h"
#include "scenarios/example/variants.h"

namespace scenarios::example {
namespace {

using harness::Scene;
using targets::example::Server;

/// State that the tasks of a run share. Ownership: in the run's arena.
struct Stage {
  Scene& scene;
  harness::Runtime runtime;  ///< The server borrows it.
  Shape shape;
  Model model;
  Player player;
  harness::Latch owners_done;

  Stage(Scene& the_scene, const Shape& the_shape)
      : scene(the_scene),
        runtime(the_scene.runtime()),
        shape(the_shape),
        model(the_scene, the_shape.owner_count + 1),
        player(the_scene, the_shape, model),
        owners_done(the_scene.world().scheduler, the_shape.owner_count, "owners") {}
};

/// The user's last step. It must succeed, because no errors are injected.
void clear_up(Stage& stage) {
  const harness::SiteScope site(stage.scene.world().scheduler, "clear_up");
  if (!stage.player.server().clear()) stage.scene.refuse("clear_up", "false");
  stage.scene.mark_quiescent();
}

void run_user(Stage& stage) {
  stage.player.server().enter();
  for (std::uint32_t slot = 0; slot < stage.shape.user_slots; ++slot)
    stage.player.take_slot({0, slot});
  stage.owners_done.wait();
  clear_up(stage);
}

void run_owner(Stage& stage, std::uint32_t worker) {
  stage.player.server().enter();
  for (std::uint32_t slot = 0; slot < stage.shape.owner_slots; ++slot)
    stage.player.take_slot({worker, slot});
  stage.owners_done.count_down();
}

}  // namespace

void drive(Scene& scene) { drive_shaped(scene, {}); }

void drive_shaped(Scene& scene, const Shape& shape) {
  drive_server(scene, shape, maker_of(scene.variant()));
}

void drive_server(Scene& scene, const Shape& shape, Maker make) {
  harness::Scheduler& scheduler = scene.world().scheduler;
  auto* stage = scheduler.arena().make<Stage>(scene, shape);
  scene.set_state(stage->model);
  Server* server = make(stage->runtime, {.observer = &stage->model,
                                         .worker_count = shape.owner_count + 1,
                                         .shares_stream = scene.config().values[0] == 1});
  stage->player.set_server(*server);
  if (!server->open()) scene.refuse("open", "false");
  scene.mark_baseline();
  scheduler.spawn("user", [stage] { run_user(*stage); });
  for (std::uint32_t worker = 1; worker <= shape.owner_count; ++worker)
    scheduler.spawn("owner", [stage, worker] { run_owner(*stage, worker); });
}

}  // namespace scenarios::example
