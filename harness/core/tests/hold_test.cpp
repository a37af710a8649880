// SPDX-License-Identifier: Apache-2.0
// Holds of objects that are used by number, in a path whose table reuses numbers.
#include <gtest/gtest.h>

#include "harness/core/intervention/intervention.h"
#include "harness/run/scenario/scenario.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

namespace toy = testing::toy;

/// Variants: an object with its own storage ends, or only its number.
enum Gone : std::size_t { thing, number };

struct Numbered {
  std::uint64_t content = 7;
};

BirthId end_thing(World& world) {
  Owned<Numbered> first = world.host.make<Numbered>("thing");
  const BirthId meant = first.birth();
  first.reset();
  return meant;
}

BirthId end_number(World& world) {
  const BirthId meant = world.ledger.born("thing", 0, 0);
  world.ledger.died(meant);
  return meant;
}

void meet_another(Scene& scene) {
  World& world = scene.world();
  const ActivationScope slot(world.scheduler, 0, 0);
  const SiteScope site(world.scheduler, "meet");
  scene.exercised();
  const BirthId meant = scene.variant() == thing ? end_thing(world) : end_number(world);
  Owned<Numbered> other = world.host.make<Numbered>("other");
  world.ledger.used(meant, other.birth());
  other.reset();
  scene.mark_quiescent();
}

void drive(Scene& scene) {
  scene.mark_baseline();
  scene.world().scheduler.spawn("user", [&scene] { meet_another(scene); });
}

Outcome run_with(Gone gone, const Hold& hold) {
  static const Scenario kScenario = toy::driven_by("numbers", drive);
  Runner runner;
  strategies::RandomWalk strategy(1);
  Intervention kept(hold);
  const Intervention::Current current(kept);
  return runner.run(kScenario, gone, config_at(kScenario, 0), toy::no_device, strategy);
}

TEST(Hold, KeepsAnObjectThatIsUsedByNumber) {
  EXPECT_TRUE(run_with(thing, {.object = "another"}).failed());
  EXPECT_FALSE(run_with(thing, {.object = "thing"}).failed());
  EXPECT_FALSE(run_with(thing, {.object = "thing", .used = "meet"}).failed());
  EXPECT_TRUE(run_with(thing, {.object = "thing", .used = "elsewhere"}).failed());
}

TEST(Hold, OfANumberAloneReachesItsPresentOwner) {
  EXPECT_TRUE(run_with(number, {.object = "thing"}).failed());
}

}  // namespace
}  // namespace harness
