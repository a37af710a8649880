// SPDX-License-Identifier: Apache-2.0
// Each oracle reports its own planted fault, and nothing without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "harness/core/fault/kinds.h"
#include "harness/core/tests/run_tasks.h"
#include "harness/run/run.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

namespace toy = testing::toy;

struct Thing {
  int value = 1;
};

Borrowed<Thing> stale_thing(Scene& scene) {
  return scene.world().host.make<Thing>("Thing").borrow();
}

/// A thing that goes wrong, by the name of the oracle that must see it.
struct Plant {
  Label oracle;
  FaultKind kind;
  void (*body)(Scene& scene);
};

void use_dead(Scene& scene) { (void)stale_thing(scene)->value; }

// The default answer is fresh storage, so the reuse is asked for (see Contrary).
void use_recycled(Scene& scene) {
  const Borrowed<Thing> stale = stale_thing(scene);
  const Owned<Thing> next = scene.world().host.make<Thing>("Thing");
  (void)stale->value;
}

void free_twice(Scene& scene) {
  const BirthId id = stale_thing(scene).birth();
  scene.world().ledger.double_free(id);
}

void free_another(Scene& scene) {
  const BirthId meant = stale_thing(scene).birth();
  const Owned<Thing> next = scene.world().host.make<Thing>("Thing");
  scene.world().ledger.wrong_owner(meant, next.birth());
}

void keep_too_long(Scene& scene) {
  scene.mark_baseline();
  const Owned<Thing> kept = scene.world().host.make<Thing>("Thing");
  scene.mark_quiescent();
}

void return_nonsense(Scene& scene) { scene.expect("sum", 41, 42); }

void wait_for_ever(Scene& scene) {
  scene.world().scheduler.wait_until({7, AccessKind::read}, "Godot", [] { return false; });
}

void poll_for_ever(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  for (;;) {
    scheduler.turn({7, AccessKind::read});
    scheduler.pause();
  }
}

void run_for_ever(Scene& scene) {
  for (;;) scene.world().scheduler.turn({});
}

void touch_the_unknown(Scene& scene) {
  scene.world().history.add(fatal_fault(FaultKind::wild_access));
  scene.world().scheduler.die();
}

void misuse(Scene& scene) {
  Fault fault;
  fault.kind = FaultKind::api_misuse;
  scene.world().history.add(fault);
}

void race(Scene& scene) {
  Fault fault;
  fault.kind = FaultKind::data_race;
  scene.world().history.add(fault);
}

void read_for_another(Scene& scene) {
  Shared<int> word(scene.world().scheduler, "slot");
  word.write(7, Generation{2});
  EXPECT_EQ(word.read(Generation{1}), 7);
}

void crash(Scene& scene) { scene.world().history.add(fatal_fault(FaultKind::crash)); }

void refuse_service(Scene& scene) { scene.refuse("call", "no"); }

void escape(Scene&) { throw std::runtime_error("out"); }

// One after the other, by luck: the second waits for its turn without an order that is seen.
void take_locks_in_a_circle(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  Arena& arena = scheduler.arena();
  Mutex* a = arena.make<Mutex>(scheduler, Label("a"));
  Mutex* b = arena.make<Mutex>(scheduler, Label("b"));
  bool* done = arena.make<bool>(false);
  scheduler.spawn("other", [=, &scheduler] {
    scheduler.wait_until({7, AccessKind::write}, "luck", [done] { return *done; });
    const LockGuard second(*b);
    const LockGuard first(*a);
  });
  {
    const LockGuard first(*a);
    const LockGuard second(*b);
  }
  *done = true;
  scheduler.touch(7);
}

void end_with_a_lock_that_is_waited_for(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  Mutex* mutex = scheduler.arena().make<Mutex>(scheduler, Label("mutex"));
  mutex->lock();
  scheduler.spawn_daemon("callbacks", [mutex] { mutex->lock(); });
  constexpr int kTurnsOfOthers = 8;
  for (int turn = 0; turn < kTurnsOfOthers; ++turn) scheduler.turn({});
}

constexpr Plant kPlants[] = {
    {"use_after_free", FaultKind::use_after_free, use_dead},
    {"recycled_use", FaultKind::recycled_use, use_recycled},
    {"double_free", FaultKind::double_free, free_twice},
    {"wrong_owner", FaultKind::wrong_owner, free_another},
    {"retention", FaultKind::retention, keep_too_long},
    {"functional_result", FaultKind::wrong_value, return_nonsense},
    {"progress", FaultKind::deadlock, wait_for_ever},
    {"progress", FaultKind::livelock, poll_for_ever},
    {"progress", FaultKind::step_limit, run_for_ever},
    {"progress", FaultKind::uncaught, escape},
    {"wild_access", FaultKind::wild_access, touch_the_unknown},
    {"api_misuse", FaultKind::api_misuse, misuse},
    {"data_race", FaultKind::data_race, race},
    {"ghost_generation", FaultKind::ghost_generation, read_for_another},
    {"crash", FaultKind::crash, crash},
    {"service", FaultKind::refusal, refuse_service},
    {"lock_cycle", FaultKind::lock_cycle, take_locks_in_a_circle},
    {"blocked_callback", FaultKind::blocked_callback, end_with_a_lock_that_is_waited_for},
};

void (*planted)(Scene& scene);

/// Returns the name of every oracle: those that look, and the owners of what is found in passing.
std::set<std::string_view> all_oracles() {
  std::set<std::string_view> names;
  for (const OracleInfo* oracle : tables::oracles()) names.insert(oracle->name.view());
  for (const FaultKindInfo& info : kFaultKinds) names.insert(info.oracle.view());
  return names;
}

/// Returns omissions of all oracles but `kept`. Lifetime: until the process ends.
std::span<const Omission> all_but(std::span<const Label> kept) {
  static std::deque<std::vector<Omission>> storage;
  std::vector<Omission>& omissions = storage.emplace_back();
  for (const std::string_view name : all_oracles())
    if (std::find(kept.begin(), kept.end(), Label::of(name.data())) == kept.end())
      omissions.push_back({Label::of(name.data()), "not asked here"});
  return omissions;
}

/// Returns a scenario whose only task does what is planted, judged by every oracle.
Scenario scenario_of_plant() {
  Scenario scenario = toy::scenario;
  scenario.actors = {};
  scenario.drive = [](Scene& scene) {
    scene.world().scheduler.spawn("main", [&scene] { planted(scene); });
  };
  scenario.window_of = nullptr;
  return scenario;
}

/// Returns such a scenario that is judged by `oracles` alone.
Scenario scenario_with(std::span<const Label> oracles) {
  Scenario scenario = scenario_of_plant();
  scenario.without = all_but(oracles);
  return scenario;
}

Outcome run_plant(void (*body)(Scene& scene), const Scenario& scenario) {
  testing::Contrary strategy;
  Runner runner;
  planted = body;
  return runner.run(scenario, 0, {}, toy::no_device, strategy);
}

class PlantedOracle : public ::testing::TestWithParam<Plant> {};

TEST_P(PlantedOracle, GoesRedOnItsPlantedFault) {
  const Plant& plant = GetParam();
  const Label only[] = {plant.oracle};
  const Outcome outcome = run_plant(plant.body, scenario_with(only));
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, plant.kind);
}

TEST_P(PlantedOracle, IsTheOnlyOneThatReports) {
  const Plant& plant = GetParam();
  for (const std::string_view oracle : all_oracles()) {
    if (oracle == plant.oracle.view()) continue;
    const Label only[] = {Label::of(oracle.data())};
    EXPECT_FALSE(run_plant(plant.body, scenario_with(only)).failed())
        << oracle << " took " << plant.oracle.c_str() << " for its own";
  }
}

TEST_P(PlantedOracle, IsOnByDefault) {
  const Outcome outcome = run_plant(GetParam().body, scenario_of_plant());
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, GetParam().kind);
}

TEST_P(PlantedOracle, ReportsNothingIfLeftOut) {
  const Omission omission[] = {{GetParam().oracle, "planted"}};
  Scenario scenario = scenario_of_plant();
  scenario.without = omission;
  EXPECT_FALSE(run_plant(GetParam().body, scenario).failed());
}

// By the oracle and the kind: scripts/measure/promises.py looks for the name of each oracle.
INSTANTIATE_TEST_SUITE_P(Each, PlantedOracle, ::testing::ValuesIn(kPlants), [](const auto& info) {
  return std::string(info.param.oracle.view()) + "__" +
         std::string(to_label(info.param.kind).view());
});

TEST(Oracle, NoneReportsACorrectRun) {
  const auto harmless = [](Scene& scene) {
    scene.mark_baseline();
    scene.world().host.make<Thing>("Thing").reset();
    scene.expect("sum", 42, 42);
    scene.mark_quiescent();
  };
  EXPECT_FALSE(run_plant(harmless, scenario_of_plant()).failed());
}

TEST(Oracle, EveryKindOfFaultIsPlantedUnderItsOwner) {
  for (const FaultKindInfo& info : kFaultKinds)
    EXPECT_TRUE(std::any_of(std::begin(kPlants), std::end(kPlants), [&](const Plant& plant) {
      return plant.kind == info.kind && plant.oracle == info.oracle;
    })) << info.label.c_str();
}

TEST(Oracle, EveryKindOfFaultHasAUniqueLabelAndAMeaning) {
  std::set<std::string_view> labels;
  for (const FaultKindInfo& info : kFaultKinds) {
    EXPECT_TRUE(labels.insert(info.label.view()).second) << info.label.c_str();
    EXPECT_FALSE(info.summary.empty()) << info.label.c_str();
    EXPECT_FALSE(info.oracle.empty()) << info.label.c_str();
  }
}

TEST(Oracle, OraclesLeftOutByAPathExistAndHaveAReason) {
  for (const Scenario* scenario : tables::scenarios())
    for (const Omission& omission : scenario->without) {
      EXPECT_TRUE(all_oracles().contains(omission.oracle.view())) << omission.oracle.c_str();
      EXPECT_FALSE(omission.why.empty()) << omission.oracle.c_str();
    }
}

TEST(OracleDeathTest, LeavingOutAnUnknownOracleIsAFailedCheck) {
  static constexpr Omission kUnknown[] = {{"clairvoyance", "there is no such oracle"}};
  Scenario scenario = scenario_of_plant();
  scenario.without = kUnknown;
  EXPECT_DEATH(run_plant(use_dead, scenario), "clairvoyance");
}

// ---- retention --------------------------------------------------------------------------------

constexpr Label kRetention[] = {"retention"};

TEST(Retention, ReportsNothingBeforeTheRunIsQuiescent) {
  const auto body = [](Scene& scene) {
    scene.mark_baseline();
    const Owned<Thing> kept = scene.world().host.make<Thing>("Thing");
    scene.world().scheduler.turn({});
  };
  EXPECT_FALSE(run_plant(body, scenario_with(kRetention)).failed());
}

TEST(Retention, IgnoresEarlierObjectsAndDeclaredGrowth) {
  const auto body = [](Scene& scene) {
    const Owned<Thing> before = scene.world().host.make<Thing>("Furniture");
    scene.mark_baseline();
    const Owned<Thing> known = scene.world().host.make<Thing>("Slot");
    scene.mark_quiescent();
  };
  Scenario scenario = scenario_with(kRetention);
  EXPECT_TRUE(run_plant(body, scenario).failed());
  const Growth growth[] = {{"Slot", "ids are never reused"}};
  scenario.growth = growth;
  EXPECT_FALSE(run_plant(body, scenario).failed());
}

TEST(Retention, NamesEachKindAndCreationSiteOnce) {
  const auto body = [](Scene& scene) {
    static std::array<Owned<Thing>, 4>* kept;
    kept = scene.world().arena.make<std::array<Owned<Thing>, 4>>();
    scene.mark_baseline();
    for (std::size_t i = 0; i < kept->size(); ++i) {
      const SiteScope site(scene.world().scheduler, i < 2 ? Label("here") : Label("there"));
      (*kept)[i] = scene.world().host.make<Thing>("Thing");
    }
    scene.mark_quiescent();
  };
  const Outcome outcome = run_plant(body, scenario_with(kRetention));
  ASSERT_EQ(outcome.faults.size(), 2u);
  EXPECT_EQ(outcome.faults[0].birth_site, Label("here"));
  EXPECT_EQ(outcome.faults[1].birth_site, Label("there"));
}

TEST(Retention, CountsObjectsFreedOnlyAfterTheMark) {
  const auto body = [](Scene& scene) {
    scene.mark_baseline();
    Owned<Thing> kept = scene.world().host.make<Thing>("Thing");
    scene.mark_quiescent();
    kept.reset();
  };
  EXPECT_TRUE(run_plant(body, scenario_with(kRetention)).failed());
}

// ---- vacuity ----------------------------------------------------------------------------------

TEST(Vacuity, ARunThatNeverExercisedThePathIsVacuous) {
  const auto body = [](Scene& scene) { scene.world().host.make<Thing>("Thing").reset(); };
  EXPECT_TRUE(run_plant(body, scenario_with({})).vacuous);
}

TEST(Vacuity, ADriversClaimNeedsEvidence) {
  const Label only[] = {"vacuity"};
  const auto pretend = [](Scene& scene) { scene.exercised(); };
  const auto truth = [](Scene& scene) {
    scene.exercised();
    scene.world().host.make<Thing>("Thing").reset();
  };
  EXPECT_TRUE(run_plant(pretend, scenario_with(only)).vacuous);
  EXPECT_FALSE(run_plant(pretend, scenario_with({})).vacuous);
  EXPECT_FALSE(run_plant(truth, scenario_with(only)).vacuous);
}

// ---- the run around them ----------------------------------------------------------------------

TEST(Run, AFaultForbiddenByTheContractIsACallerError) {
  constexpr Label kOnly[] = {"use_after_free"};
  Scenario scenario = scenario_with(kOnly);
  EXPECT_TRUE(run_plant(use_dead, scenario).failed());
  const ContractClause clause[] = {{"Thing", "", "", "the manual"}};
  scenario.contract = clause;
  const Outcome outcome = run_plant(use_dead, scenario);
  EXPECT_FALSE(outcome.failed());
  EXPECT_EQ(outcome.caller_errors.size(), 1u);
}

TEST(Run, AnExceptionFromTheDriverIsAFaultAndDoesNotEscape) {
  constexpr Label kOnly[] = {"progress"};
  Scenario scenario = scenario_with(kOnly);
  scenario.drive = [](Scene&) { throw std::runtime_error("no stage"); };
  const Outcome outcome = run_plant(escape, scenario);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].detail, "no stage");
}

TEST(Run, TheEmptyTapeIsTheEmptyProgramAndPassesVacuously) {
  Runner runner;
  for (std::size_t config = 0; config < config_count(toy::scenario); ++config) {
    const Outcome& outcome = runner.run(toy::make_case(toy::borrow, {}, config));
    EXPECT_FALSE(outcome.failed());
    EXPECT_TRUE(outcome.vacuous);
    EXPECT_EQ(outcome.ops, 0u);
  }
}

TEST(Run, AnotherScenarioInBetweenChangesNothing) {
  Runner runner;
  const Case the_case = toy::make_case(toy::borrow, toy::small_program());
  runner.run(the_case);
  const std::uint64_t hash = runner.trace_hash();
  const Scenario other = scenario_with({});
  testing::Plain plain;
  planted = [](Scene&) {};
  runner.run(other, 0, {}, toy::no_device, plain);
  runner.run(the_case);
  EXPECT_EQ(runner.trace_hash(), hash);
}

/// On whose task the ops ran, in order.
std::vector<std::uint16_t> tasks_of_ops(Runner& runner, const Tape& tape) {
  runner.run(toy::make_case(toy::idle, tape));
  std::vector<std::uint16_t> tasks;
  for (const Event& event : runner.history().events())
    if (event.kind == EventKind::op) tasks.push_back(event.task);
  return tasks;
}

TEST(Skew, ASlowTaskFallsBehindTheOthers) {
  Runner runner;
  Tape tape;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    tape.push_back(toy::decide(slot_name(toy::kUser, slot), Site::op, toy::op(toy::nap)));
    tape.push_back(toy::decide(slot_name(toy::kMutator, slot), Site::op, toy::op(toy::nap)));
  }
  const std::vector<std::uint16_t> plain = tasks_of_ops(runner, tape);
  const Name user = runner.world().scheduler.tasks().name(static_cast<TaskId>(0));
  tape.push_back(toy::decide(derive_name(user, Label("skew").hash(), 0), Site::skew, 3));
  const std::vector<std::uint16_t> skewed = tasks_of_ops(runner, tape);
  ASSERT_EQ(plain.size(), 6u);
  ASSERT_EQ(skewed.size(), 6u);
  EXPECT_EQ(plain[1], plain[0]);
  EXPECT_NE(skewed[1], skewed[0]);
}

TEST(Collector, RequestsTheChosenNumberOfCollections) {
  constexpr Label kCollector[] = {"collector"};
  Scenario scenario = scenario_with({});
  scenario.actors = kCollector;
  planted = [](Scene&) {};
  Runner runner;
  testing::Contrary contrary;
  runner.run(scenario, 0, {}, toy::no_device, contrary);
  EXPECT_EQ(runner.world().scheduler.tasks().count(), 2u);
  testing::Plain plain;
  runner.run(scenario, 0, {}, toy::no_device, plain);
  EXPECT_EQ(runner.world().scheduler.tasks().count(), 1u);
}

}  // namespace
}  // namespace harness
