// SPDX-License-Identifier: Apache-2.0
// The judges that only this path has report planted faults.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/tests/scripted_scene.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/argpack/judge.h"
#include "scenarios/argpack/tests/argpack_cases.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Outcome;

/// Runs the scenario once with another driver.
Outcome run(void (*drive)(harness::Scene&)) {
  harness::Scenario planted = scenario;
  planted.drive = drive;
  harness::Runner runner;
  return runner.run(harness::Case{&planted, 0, {}, &sim(), {}});
}

void bear(harness::Scene& scene, int count) {
  scene.mark_baseline();
  for (int i = 0; i < count; ++i) scene.world().ledger.born("Kernel", 0, 8);
  scene.mark_quiescent();
}

TEST(ArgpackOracle, OneKernelOfTheProgramIsNotALeak) {
  EXPECT_FALSE(run([](harness::Scene& scene) { bear(scene, 1); }).failed());
}

TEST(ArgpackOracle, APlantedSecondKernelIsALeak) {
  const Outcome outcome = run([](harness::Scene& scene) { bear(scene, 2); });
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::retention);
  EXPECT_EQ(outcome.faults[0].detail, "2 alive, where the Program owns one");
  EXPECT_EQ(outcome.windows[0], -1);
}

// ---- windows ------------------------------------------------------------------------------------

using targets::argpack::Observer;

struct Met {
  harness::Label death_site;
  harness::Label use_site;
  Window window;
  FaultKind kind = FaultKind::use_after_free;
  bool in_another_call = false;  ///< In another call than the facts.
};

/// Returns the window of the fault after the facts that `tell` reports.
int window_met(const Met& met, void (*tell)(Observer&) = [](Observer&) {}) {
  harness::testing::ScriptedScene scripted(scenario);
  Judge judge(scripted.scene());
  scripted.scene().set_state(judge.reach());
  tell(judge);
  Fault fault;
  fault.kind = met.kind;
  fault.death_site = met.death_site;
  fault.use_site = met.use_site;
  fault.activation = scripted.world().picker.current().name + met.in_another_call;
  return window_of(scripted.scene(), fault);
}

TEST(ArgpackWindows, AreClassifiedByTheEndAndTheUse) {
  for (const Met& met :
       {Met{"delete_argpack", "launch_kernel/nested_pack", Window::nested_replaced},
        Met{"delete_argpack", "launch_kernel/parent", Window::parent_freed},
        Met{"delete_ndarray", "launch_kernel/gradient", Window::array_deleted},
        Met{"resize_external", "launch_kernel/copy_back", Window::external_gone},
        Met{"delete_argpack/stale", "launch_kernel/pack", Window::stale_wrapper},
        Met{"reset", "launch_kernel/pack", Window::taken_reentrantly},
        Met{"reset", "ArgPack::write", Window::stale_wrapper},
        Met{"reset", "set_arg_ndarray", Window::stale_wrapper},
        Met{"launch_kernel", "launch_kernel/arguments", Window::context_reused},
        Met{"launch_kernel", "launch_kernel/results", Window::context_reused}})
    EXPECT_EQ(window_met(met), harness::raw(met.window))
        << met.death_site.view() << " " << met.use_site.view();
}

TEST(ArgpackWindows, SettingAnArgumentOfALaunchedContextIsContextReused) {
  const Met met{"launch_kernel", "set_arg_int", Window::context_reused};
  const auto set_again = [](Observer& judge) {
    const ThingId context{1};
    judge.made({.thing = context, .kind = Kind::context, .depth = 0, .value = 0, .generation = 1});
    judge.launching(context, 1);
    judge.submitted(context);
    judge.scalar_set(context, 0);
  };
  EXPECT_EQ(window_met(met, set_again), harness::raw(met.window));
}

// ---- circumstances of an end, independent of its site -------------------------------------------

/// Returns the window of the fault that `drive` fills in.
int window_after(void (*drive)(harness::Scene&, Judge&, Fault&)) {
  harness::World world;
  harness::Scene scene(world);
  const harness::World::Guard guard(world);
  harness::Replay plain;
  world.begin(plain, 100);
  scene.begin(scenario, 0, {});
  Judge judge(scene);
  scene.set_state(judge.reach());
  Fault fault;
  drive(scene, judge, fault);
  return window_of(scene, fault);
}

TEST(ArgpackWindows, AWrapperUsingDeadMemoryIsStale) {
  const auto write_dead = [](harness::Scene&, Judge&, Fault& fault) {
    fault.object_kind = "device memory";
    fault.birth_site = "create_argpack";
    fault.death_site = "delete_argpack";
    fault.use_site = "ArgPack::write";
  };
  EXPECT_EQ(window_after(write_dead), harness::raw(Window::stale_wrapper));
}

/// Makes a thing of `kind` and ends it, with the object beneath it, at the site.
harness::Name end_at(harness::Scene& scene, Observer& observer, Kind kind, harness::Label site) {
  harness::Ledger& ledger = scene.world().ledger;
  const ThingId thing{1};
  observer.made({.thing = thing, .kind = kind, .depth = 0, .value = 0, .generation = 1});
  const harness::BirthId life = ledger.born("beneath", 0, 8);
  observer.built(thing, life, 1);
  observer.ended(thing);
  const harness::SiteScope scope(scene.world().scheduler, site);
  ledger.died(life);
  return ledger.life(life).name;
}

template <bool reentrant>
void delete_pack(harness::Scene& scene, Judge& judge, Fault& fault) {
  Observer& observer = judge;
  if (reentrant) observer.setting_began();
  fault.object = end_at(scene, observer, Kind::pack, "delete_argpack");
  fault.death_site = "delete_argpack";
  fault.use_site = "launch_kernel/nested_pack";
}

TEST(ArgpackWindows, AnEndDuringItsOwnTasksBindingIsReentrant) {
  EXPECT_EQ(window_after(delete_pack<true>), harness::raw(Window::taken_reentrantly));
  EXPECT_EQ(window_after(delete_pack<false>), harness::raw(Window::nested_replaced));
}

/// A wrapper of program 1 is bound before or after its program is reset.
template <bool before>
void bind_and_reset(harness::Scene& scene, Judge& judge, Fault& fault) {
  Observer& observer = judge;
  const ThingId context{1};
  const ThingId pack{2};
  observer.program_began(1);
  observer.made({.thing = context, .kind = Kind::context, .depth = 0, .value = 0, .generation = 1});
  observer.made({.thing = pack, .kind = Kind::pack, .depth = 1, .value = 0, .generation = 0});
  const harness::BirthId life = scene.world().ledger.born("ArgPack", 0, 8);
  observer.built(pack, life, 1);
  if (before) observer.bound(context, Place::pack, pack);
  observer.program_ended();
  observer.program_began(2);
  if (!before) observer.bound(context, Place::pack, pack);
  observer.launching(context, 2);
  fault.object = scene.world().ledger.life(life).name;
  fault.death_site = "reset";
  fault.use_site = "launch_kernel/pack";
}

TEST(ArgpackWindows, ABindingAfterTheResetIsOfAStaleWrapper) {
  EXPECT_EQ(window_after(bind_and_reset<true>), harness::raw(Window::taken_reentrantly));
  EXPECT_EQ(window_after(bind_and_reset<false>), harness::raw(Window::stale_wrapper));
}

template <bool in_flight>
void free_bound_storage(harness::Scene& scene, Judge& judge, Fault& fault) {
  Observer& observer = judge;
  const ThingId context{1};
  const ThingId external{2};
  observer.made({.thing = context, .kind = Kind::context, .depth = 0, .value = 0, .generation = 1});
  observer.made(
      {.thing = external, .kind = Kind::external, .depth = 0, .value = 0, .generation = 0});
  const harness::BirthId life = scene.world().ledger.born("device memory", 0, 8);
  observer.built(external, life, 0);
  observer.bound(context, Place::external, external);
  if (in_flight) observer.submitted(context);
  observer.ended(external);
  fault.object = scene.world().ledger.life(life).name;
  fault.death_site = "free_external";
  fault.birth_site = "new_external";
  fault.use_site = "read_bound";
}

TEST(ArgpackWindows, StorageFreedWhileAKernelMayRunIsInFlight) {
  EXPECT_EQ(window_after(free_bound_storage<true>), harness::raw(Window::dropped_in_flight));
  EXPECT_EQ(window_after(free_bound_storage<false>), harness::raw(Window::external_gone));
}

TEST(ArgpackWindows, FaultsOfALaunchedContextAreContextReused) {
  const Met met{"delete_argpack", "launch_kernel/pack", Window::context_reused};
  const auto launch_twice = [](Observer& judge) {
    const ThingId context{1};
    judge.made({.thing = context, .kind = Kind::context, .depth = 0, .value = 0, .generation = 1});
    judge.launching(context, 1);
    judge.submitted(context);
    judge.launching(context, 1);
  };
  EXPECT_EQ(window_met(met, launch_twice), harness::raw(met.window));
}

// ---- windows determined by the call -------------------------------------------------

constexpr ThingId kContext{1};
constexpr ThingId kBound{2};

/// A call binds a thing to a context made by program 1.
void bind(Observer& judge, Kind kind, Place place) {
  judge.made({.thing = kContext, .kind = Kind::context, .depth = 0, .value = 0, .generation = 1});
  judge.made({.thing = kBound, .kind = kind, .depth = 0, .value = 0, .generation = 0});
  judge.bound(kContext, place, kBound);
}

void launch_what_has_moved(Observer& judge) {
  bind(judge, Kind::external, Place::external);
  judge.moved(kBound);
  judge.launching(kContext, 1);
}

void launch_after_a_reset(Observer& judge) {
  bind(judge, Kind::pack, Place::pack);
  judge.launching(kContext, 2);
}

void launch_whole(Observer& judge) {
  bind(judge, Kind::external, Place::external);
  judge.launching(kContext, 1);
}

/// Returns the window of a kernel's access to memory without an owner.
int window_of_wild_access(void (*tell)(Observer&)) {
  return window_met({{}, "walk_packs", {}, FaultKind::wild_access}, tell);
}

TEST(ArgpackWindows, AWildAccessAfterExternalMemoryEndedIsExternalGone) {
  EXPECT_EQ(window_of_wild_access(launch_what_has_moved), harness::raw(Window::external_gone));
}

TEST(ArgpackWindows, AWildAccessAfterAResetIsTakenReentrantly) {
  EXPECT_EQ(window_of_wild_access(launch_after_a_reset), harness::raw(Window::taken_reentrantly));
}

TEST(ArgpackWindows, AWildAccessOfAKernelBelongsToTheLastLaunch) {
  const Met met{{}, "walk_packs", Window::external_gone, FaultKind::wild_access, true};
  EXPECT_EQ(window_met(met, launch_what_has_moved), harness::raw(met.window));
  EXPECT_EQ(window_met(met, launch_after_a_reset), harness::raw(Window::taken_reentrantly));
}

TEST(ArgpackWindows, AWildAccessOfARepeatedLaunchIsContextReused) {
  const auto launch_again = [](Observer& judge) {
    launch_whole(judge);
    judge.launching(kContext, 1);
  };
  EXPECT_EQ(window_of_wild_access(launch_again), harness::raw(Window::context_reused));
}

TEST(ArgpackWindows, AWildAccessAfterARecycledUseFollowsFromIt) {
  EXPECT_EQ(window_after([](harness::Scene& scene, Judge& judge, Fault& fault) {
              launch_whole(judge);
              Fault earlier;
              earlier.kind = FaultKind::recycled_use;
              earlier.use_site = "launch_kernel/nested_pack";
              earlier.activation = scene.world().picker.current().name;
              scene.world().history.add(earlier);
              fault.kind = FaultKind::wild_access;
              fault.use_site = "walk_packs";
              fault.activation = earlier.activation + 1;
            }),
            harness::raw(Window::nested_replaced));
}

/// The first call's kernel is late: another launch has begun when it follows a pointer to moved
/// memory.
constexpr const char* kLateKernel = R"(afterlife reproducer 1
path argpack
variant handle_by_value
config backend=cuda_pool gil=off collector=eval_breaker
device sim
tasks script mutator
script:0 op new_external
script:0 argument[1] 1
script:1 op new_argpack
script:1 argument[1] 1
script:2 op call
script:2 argument[3] 1
script:2 schedule[2] mutator
mutator:0 op resize_external
mutator:1 op resize_external
mutator:1 schedule[1] script:1 of start
script:2 schedule[29] mutator
script:2 reuse[6] "device memory":0 of mutator:0
script:2 lag 1
script:3 op call
end
)";

TEST(ArgpackWindows, AWildAccessOfALateKernelBelongsToItsLaunch) {
  harness::Runner runner;
  const Outcome& outcome = runner.run(harness::parse_reproducer(kLateKernel, "a test's").the_case);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::wild_access);
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::external_gone));
}

TEST(ArgpackWindows, AWildAccessOfAnIntactLaunchIsUnexplained) {
  EXPECT_EQ(window_of_wild_access(launch_whole), -1);
}

}  // namespace
}  // namespace scenarios::argpack::testing
