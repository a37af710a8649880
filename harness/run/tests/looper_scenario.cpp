// SPDX-License-Identifier: Apache-2.0
#include "harness/run/tests/looper_scenario.h"

namespace harness::testing::looper {

int loop_count = 0;

namespace {

constexpr std::uint32_t kSlotCount = 4;
constexpr std::uint32_t kWriter = 0;
constexpr std::uint32_t kReader = 1;

enum Op : std::uint8_t { change, look, nap };

volatile bool half_changed = false;

void do_change(Scheduler& scheduler) {
  half_changed = true;
  scheduler.turn({});
  half_changed = false;
}

void do_look(Scene& scene) {
  scene.exercised();
  scene.reach(0);
  loop_count += half_changed;
  while (half_changed) continue;
}

void do_op(Scene& scene, Op kind) {
  Scheduler& scheduler = scene.world().scheduler;
  const Label name = scene.scenario().ops[kind].name;
  const SiteScope site(scheduler, name);
  scheduler.note(EventKind::op, name);
  scene.count_op(kind);
  scheduler.turn({});
  if (kind == change) do_change(scheduler);
  if (kind == look) do_look(scene);
}

void play(Scene& scene, std::uint32_t task, std::span<const std::uint8_t> offered) {
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    const ActivationScope scope(scene.world().scheduler, task, slot);
    const int kind = scene.pick_op(offered);
    if (kind >= 0) do_op(scene, static_cast<Op>(kind));
  }
}

void drive(Scene& scene) {
  half_changed = false;
  scene.world().scheduler.spawn("writer", [&scene] {
    static constexpr std::array<std::uint8_t, 2> kOps{change, nap};
    play(scene, kWriter, kOps);
  });
  scene.world().scheduler.spawn("reader", [&scene] {
    static constexpr std::array<std::uint8_t, 2> kOps{look, nap};
    play(scene, kReader, kOps);
  });
}

int window_of(const Scene&, const Fault&) { return 0; }

constexpr Label kTorn[] = {"torn"};
constexpr VariantInfo kVariants[] = {
    {"waits",
     {ClaimKind::unsound, kTorn, false, "waits for the end of a change, and takes no turn"}}};
constexpr OpInfo kOps[] = {{"change"}, {"look"}, {"nap"}};
constexpr Window kWindows[] = {{"torn", "look, in the middle of change"}};

}  // namespace

const Scenario scenario{
    .name = "looper",
    .summary = "a reader that waits without a turn",
    .variants = kVariants,
    .axes = {},
    .ops = kOps,
    .windows = kWindows,
    .contract = {},
    .growth = {},
    .actors = {},
    .turn_limit = 2000,
    .drive = drive,
    .judge = nullptr,
    .window_of = window_of,
    .kernels = nullptr,
    .fatbin = {},
};

Tape small_program() {
  return {{slot_name(kWriter, 0), site_tag(Site::op), 0, op_value(kOps[change].name)},
          {slot_name(kReader, 0), site_tag(Site::op), 0, op_value(kOps[look].name)}};
}

Decision nap_in(std::uint32_t slot) {
  return {slot_name(kReader, slot), site_tag(Site::op), 0, op_value(kOps[nap].name)};
}

}  // namespace harness::testing::looper
