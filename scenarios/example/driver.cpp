// The tasks of a run: a user, who asks for what stands under the keys, and owners, who replace it.
#include "scenarios/example/model.h"
#include "scenarios/example/variants.h"

namespace scenarios::example {
namespace {

using harness::Scene;
using harness::Site;
using targets::example::Server;

/// A run, as its tasks share it. Ownership: in the run's arena.
struct Stage {
  Scene& scene;
  harness::Runtime runtime;  ///< The server borrows it.
  Shape shape;
  Model model;
  harness::Latch owners_done;
  Server* server = nullptr;
  bool is_set_up = false;

  Stage(Scene& the_scene, const Shape& the_shape)
      : scene(the_scene),
        runtime(the_scene.runtime()),
        shape(the_shape),
        model(the_scene, the_shape.owner_count + 1),
        owners_done(the_scene.world().scheduler, the_shape.owner_count, "owners") {}
};

/// A slot of a task, which is worker 0 (the user) or one of the others.
struct Slot {
  Stage& stage;
  std::uint32_t worker;
  std::uint32_t index;

  std::uint32_t pick_key() const {
    return stage.scene.pick(Site::argument, targets::example::kKeyCount);
  }
  /// Puts a buffer under `key` that no other slot fills like this.
  bool put(std::uint32_t key) const {
    const auto value = static_cast<std::int32_t>(10'000 * (worker + 1) + 100 * index);
    stage.model.hand_out(worker, value);
    return stage.server->put(worker, key, value);
  }
};

bool ask_all(const Slot& slot) {
  bool ok = true;
  for (std::uint32_t key = 0; key < targets::example::kKeyCount; ++key)
    ok = slot.stage.server->ask(key) && ok;
  return ok;
}

/// Calls an op: a row for each, in the order of kOps.
constexpr std::array<bool (*)(const Slot&), kOps.size()> kCalls{
    [](const Slot& slot) { return slot.put(slot.pick_key()); },
    [](const Slot& slot) { return slot.stage.server->ask(slot.pick_key()); },
    ask_all,
    [](const Slot& slot) {
      return slot.stage.server->ask(slot.pick_key()) && slot.stage.server->wait();
    },
    [](const Slot& slot) { return slot.stage.server->wait(); },
};

constexpr std::array<std::uint8_t, kOps.size()> kOpsOfUser{0, 1, 2, 3, 4};
constexpr std::array<std::uint8_t, 1> kOpsOfOwner{harness::raw(Op::put)};

/// Fills every key before the user's first op, so that a run without ops does nothing.
void set_up(const Slot& slot) {
  if (slot.worker != 0 || std::exchange(slot.stage.is_set_up, true)) return;
  const harness::SiteScope site(slot.stage.scene.world().scheduler, "set_up");
  for (std::uint32_t key = 0; key < targets::example::kKeyCount; ++key) {
    const Slot before{slot.stage, 0, slot.stage.shape.user_slots + key};
    if (!before.put(key)) slot.stage.scene.refuse("set_up", "false");
  }
}

void run_slot(const Slot& slot, std::span<const std::uint8_t> offered) {
  Scene& scene = slot.stage.scene;
  harness::Scheduler& scheduler = scene.world().scheduler;
  const harness::ActivationScope activation(scheduler, slot.worker, slot.index);
  const int op = scene.pick_op(offered);
  if (op < 0) return;
  set_up(slot);
  const harness::Label name = kOps[static_cast<std::size_t>(op)].name;
  const harness::SiteScope site(scheduler, name);
  scheduler.note(harness::EventKind::op, name);
  scene.count_op(static_cast<std::size_t>(op));
  if (!kCalls[static_cast<std::size_t>(op)](slot)) scene.refuse(name, "false");
}

/// The user's last step. Nothing may fail: no call is told to.
void clear_up(Stage& stage) {
  const harness::SiteScope site(stage.scene.world().scheduler, "clear_up");
  if (!stage.server->clear()) stage.scene.refuse("clear_up", "false");
  stage.scene.mark_quiescent();
}

void run_user(Stage& stage) {
  stage.server->enter();
  for (std::uint32_t slot = 0; slot < stage.shape.user_slots; ++slot)
    run_slot({stage, 0, slot}, kOpsOfUser);
  stage.owners_done.wait();
  clear_up(stage);
}

void run_owner(Stage& stage, std::uint32_t worker) {
  stage.server->enter();
  for (std::uint32_t slot = 0; slot < stage.shape.owner_slots; ++slot)
    run_slot({stage, worker, slot}, kOpsOfOwner);
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
  scene.state = &stage->model;
  stage->server = make(stage->runtime, {.observer = &stage->model,
                                        .worker_count = shape.owner_count + 1,
                                        .shares_stream = scene.config().values[0] == 1});
  if (!stage->server->open()) scene.refuse("open", "false");
  scene.mark_baseline();
  scheduler.spawn("user", [stage] { run_user(*stage); });
  for (std::uint32_t worker = 1; worker <= shape.owner_count; ++worker)
    scheduler.spawn("owner", [stage, worker] { run_owner(*stage, worker); });
}

}  // namespace scenarios::example
