// SPDX-License-Identifier: Apache-2.0
// Triage on a path of a few lines, in which every repair can be derived by hand.
#include "harness/search/triage/triage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/scenario.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/toy_scenario.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/triage/trial.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// An object that ends slowly.
struct Part {
  ~Part() {
    for (int i = 0; slow != nullptr && i < 8; ++i) slow->turn({});
    if (gone != nullptr) *gone = true;
  }
  std::uint64_t content = 7;
  Scheduler* slow = nullptr;  ///< Null: it does not.
  bool* gone = nullptr;
};
struct Whole {
  Owned<Part> part;
};

/// Bugs of the path, by variant.
enum Bug : std::size_t {
  stale_part,
  failed_open,
  wrong_sum,
  stale_whole,
  sum_then_stale,
  hoarded,
  stale_then_hoarded,
  fatal_then_wrong,
  slow_then_wrong,
  wrong_if_kept,
  outlived,
  outlived_for_a_while,
  ended_twice,  // From here on, the part ends twice.
  used_then_ended,
  ended_as_another,
};

bool looks_too_late(Bug bug) {
  return bug == stale_part || bug == stale_whole || bug == sum_then_stale ||
         bug == stale_then_hoarded || bug == fatal_then_wrong || bug == slow_then_wrong ||
         bug == wrong_if_kept || bug == used_then_ended;
}

struct Shelf {
  Owned<Part> spare;
  Owned<Whole> whole;
  Borrowed<Part> seen;
  bool is_gone = false;
};

// The part goes with the whole; of a stale part, it may go by itself before on other schedules.
void drop(Scene& scene, Shelf& shelf) {
  const SiteScope site(scene.world().scheduler, "drop");
  if (scene.variant() == stale_part && scene.pick(Site::order, 2) != 0) shelf.whole->part.reset();
  shelf.whole.reset();
}

void look(Scene& scene, Shelf& shelf) {
  static constexpr Label kUses[] = {"use", "peek"};
  const SiteScope site(scene.world().scheduler, kUses[scene.config().values[0]]);
  scene.expect("content", shelf.seen->content, 7);
}

/// Reports a wrong owner of the part, which still exists.
void leave(Scene& scene, Shelf& shelf) {
  World& world = scene.world();
  world.history.add(world.ledger.describe(FaultKind::wrong_owner, shelf.whole->part.birth()));
}

/// Ends the dead part once more, or another object in its place.
void end_again(Scene& scene, Shelf& shelf) {
  Ledger& ledger = scene.world().ledger;
  const SiteScope site(scene.world().scheduler, "end");
  const BirthId part = shelf.seen.birth();
  if (!ledger.keeps(part)) scene.exercised();
  if (ledger.alive(part)) return;  // It goes with the whole, which is kept.
  if (scene.variant() != ended_as_another) return ledger.double_free(part);
  if (!ledger.keeps(part)) ledger.wrong_owner(part, BirthId::none);
}

void open(Scene& scene) {
  const SiteScope site(scene.world().scheduler, "open");
  const bool failed = scene.pick(Site::failure, 2) != 0;
  scene.expect("opened", failed ? 0 : 1, 1);
}

void run_user(Scene& scene, Shelf& shelf) {
  const ActivationScope slot(scene.world().scheduler, 0, 0);
  const auto bug = static_cast<Bug>(scene.variant());
  if (bug != ended_twice) scene.exercised();
  if (bug == failed_open) open(scene);
  if (bug == wrong_sum || bug == sum_then_stale) scene.expect("sum", 1, 2);
  if (bug == outlived || bug == outlived_for_a_while) leave(scene, shelf);
  if (bug != hoarded && bug != outlived) drop(scene, shelf);
  if (bug == wrong_if_kept && !shelf.is_gone) scene.expect("sum", 1, 2);
  if (looks_too_late(bug)) look(scene, shelf);
  if (bug >= ended_twice) end_again(scene, shelf);
  if (bug == fatal_then_wrong || bug == slow_then_wrong) scene.expect("sum", 1, 2);
  if (bug == stale_then_hoarded) shelf.spare = scene.world().host.make<Part>("Part");
  scene.mark_quiescent();
}

void drive(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  const SiteScope site(scheduler, "set_up");
  scene.mark_baseline();
  Shelf& shelf = *scheduler.arena().make<Shelf>();
  Owned<Part> part = scene.world().host.make<Part>("Part");
  if (scene.variant() == slow_then_wrong || scene.variant() == wrong_if_kept) {
    part->slow = &scheduler;
    part->gone = &shelf.is_gone;
  }
  shelf.whole = scene.world().host.make<Whole>("Whole");
  shelf.whole->part = std::move(part);
  shelf.seen = shelf.whole->part.borrow();
  scheduler.spawn("user", [&scene, &shelf] { run_user(scene, shelf); });
}

const Scenario& shelves() {
  static const Scenario kScenario = toy::driven_by("shelves", drive);
  return kScenario;
}

/// Config 0 looks at `use`, the third one at `peek`.
Suspect suspect(Bug bug, std::size_t config = 0, Tape tape = {}) {
  return {{&shelves(), bug, config_at(shelves(), config), &toy::no_device, std::move(tape)}, ""};
}

constexpr std::size_t kPeeks = 2;

Tape failing_open() { return {toy::decide(slot_name(0, 0), Site::failure, 1)}; }

/// A hold of objects of this kind until they were used.
Repair hold(Label object, Label used = "use") {
  return {RepairKind::hold, object, "set_up", {}, used};
}

TEST(Triage, NamesTheKeptObjectAndItsUse) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(stale_part)});
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, hold("Part"));
  EXPECT_THAT(found.causes[0].let_go, ElementsAre(Label("drop")));
  EXPECT_THAT(found.causes[0].members, ElementsAre(0u));
  EXPECT_THAT(found.unexplained, IsEmpty());
}

TEST(Triage, ARepairOfOnlyTheRecordedScheduleIsRejected) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(stale_part))->finding;
  EXPECT_TRUE(trial.passes(hold("Whole"), finding));
  EXPECT_FALSE(trial.stays_away(hold("Whole"), finding)) << "the part goes by itself";
  EXPECT_TRUE(trial.removes(hold("Part"), finding));
}

TEST(Triage, ARepairForAUseThatNeverComesIsRejected) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(stale_whole))->finding;
  EXPECT_FALSE(trial.removes(hold("Whole", "peek"), finding)) << "though it keeps the part, too";
  EXPECT_TRUE(trial.removes(hold("Whole"), finding));
  EXPECT_TRUE(trial.removes(hold("Part"), finding));
}

TEST(Triage, AKnownRepairWorksIfTheRunPassesItsFault) {
  Runner runner;
  const std::optional<WorkingRepair> found =
      repair_that_still_works(runner, suspect(stale_part), in_words(hold("Part")));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->repair, hold("Part"));
  const auto working = explain(runner, suspect(stale_part)).repairs;
  EXPECT_TRUE(std::any_of(working.begin(), working.end(), [&](const WorkingRepair& one) {
    return one.repair == found->repair && one.cost == found->cost && one.is_own == found->is_own;
  }));
  const Repair gone{RepairKind::spare, "step", {}, {}, "open"};
  EXPECT_FALSE(repair_that_still_works(runner, suspect(stale_part), in_words(gone)));
  EXPECT_FALSE(repair_that_still_works(runner, suspect(stale_part), in_words(hold("Lid"))));
  EXPECT_FALSE(repair_that_still_works(runner, suspect(stale_part), ""));
}

TEST(Triage, ARepairRefutedByAnotherScheduleIsDropped) {
  Runner runner;
  triaging::Trial trial(runner, {});
  triaging::Trial::Look look = *trial.look(0, suspect(stale_part));
  trial.keep_working(look);
  EXPECT_THAT(look.candidates, Not(IsEmpty()));
  for (const triaging::Candidate& one : look.candidates)
    EXPECT_NE(one.repair.object, Label("Whole")) << "the part goes by itself";
}

// A hold of the whole would keep its part, too.
TEST(Triage, ARepairOfTheFaultsObjectExcludesOthers) {
  Runner runner;
  triaging::Trial trial(runner, {});
  triaging::Trial::Look look = *trial.look(0, suspect(stale_whole));
  trial.keep_working(look);
  EXPECT_THAT(look.candidates, Not(IsEmpty()));
  for (const triaging::Candidate& one : look.candidates)
    EXPECT_EQ(one.repair.object, Label("Part")) << in_words(one.repair);
}

TEST(Triage, AnObjectIsKeptForOneUseOnly) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(stale_part))->finding;
  EXPECT_FALSE(trial.passes(hold("Part", "peek"), finding));
}

// To keep the part for all that use it has it end once, as what is kept has not ended.
TEST(Triage, ASecondEndIsANamedUse) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(ended_twice)});
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, hold("Part", "end"));
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(ended_twice))->finding;
  EXPECT_FALSE(trial.passes(hold("Part", {}), finding));
  EXPECT_TRUE(trial.passes(hold("Whole", {}), finding)) << "the part has not ended then";
  const triaging::Finding other = trial.look(0, suspect(ended_as_another))->finding;
  EXPECT_TRUE(trial.passes(hold("Part", "end"), other));
  EXPECT_FALSE(trial.passes(hold("Part", {}), other)) << "no one is there by accident alone";
  const triaging::Finding used = trial.look(0, suspect(used_then_ended))->finding;
  EXPECT_TRUE(trial.passes(hold("Part", {}), used)) << "its end comes later, and is another fault";
}

TEST(Triage, UsesOfObjectsReleasedAtOneSiteAreOneCause) {
  Runner runner;
  const Triage found = triage(
      runner, std::vector{suspect(stale_part), suspect(stale_part, kPeeks), suspect(stale_part)});
  ASSERT_THAT(found.causes, SizeIs(1));
  const Cause& cause = found.causes[0];
  EXPECT_EQ(cause.repair, (Repair{RepairKind::hold, "Part", "set_up", "drop", {}}));
  EXPECT_THAT(cause.used, ElementsAre(Label("use"), Label("peek")));
  EXPECT_THAT(cause.members, ElementsAre(0u, 1u, 2u));
}

TEST(Triage, AFailureThatLeadsToAFaultIsItsCause) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(failed_open, 0, failing_open())});
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, (Repair{RepairKind::spare, "step", {}, {}, "open"}));
}

TEST(Triage, AFaultWithoutARepairIsUnexplained) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(stale_part), suspect(wrong_sum)});
  EXPECT_THAT(found.causes, SizeIs(1));
  ASSERT_THAT(found.unexplained, SizeIs(1));
  EXPECT_EQ(found.unexplained[0].what, "wrong_value sum");
  EXPECT_THAT(found.unexplained[0].members, ElementsAre(1u));
}

// The part is looked at when it is gone, but the sum is wrong before.
TEST(Triage, AFindingIsAboutItsFirstFault) {
  Runner runner;
  Suspect late = suspect(sum_then_stale);
  late.signature = "use_after_free Part born:set_up died:drop used:use";
  const Outcome& outcome = runner.run(late.the_case);
  ASSERT_THAT(outcome.faults, SizeIs(2));
  ASSERT_EQ(outcome.faults[1].signature(), late.signature);
  const Triage found = triage(runner, std::vector{late, suspect(wrong_sum)});
  EXPECT_THAT(found.causes, IsEmpty());
  ASSERT_THAT(found.unexplained, SizeIs(1)) << "one bug, whatever follows from it";
  EXPECT_THAT(found.unexplained[0].members, ElementsAre(0u, 1u));
}

// The part is older than the whole that owns it, and leaks with it.
TEST(Triage, TheOwnerOfLeakedObjectsIsTheCause) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(hoarded)});
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, (Repair{RepairKind::release, "Whole", "set_up", {}, {}}));
}

// With the part kept for good the run continues, and leaks another one.
TEST(Triage, ALaterLeakDoesNotRefuteAHold) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(stale_then_hoarded))->finding;
  EXPECT_TRUE(trial.passes({RepairKind::hold, "Part", {}, {}, {}}, finding));
}

// The use of the part ends the run; kept, it continues, and the sum is wrong in the same turn.
TEST(Triage, AFaultHiddenByAFatalOneDoesNotRefuteAHold) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(fatal_then_wrong))->finding;
  ASSERT_TRUE(finding.fault.fatal);
  EXPECT_TRUE(trial.passes({RepairKind::hold, "Part", {}, {}, {}}, finding));
}

// A part that is kept does not take its time to go: the use, and the wrong sum after it, come
// sooner than the use did without that.
TEST(Triage, AFaultAfterTheUseDoesNotRefuteAHold) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(slow_then_wrong))->finding;
  EXPECT_TRUE(trial.removes(hold("Part"), finding));
  const triaging::Finding other = trial.look(0, suspect(wrong_if_kept))->finding;
  EXPECT_FALSE(trial.passes(hold("Part"), other)) << "it comes before the use";
}

TEST(Triage, AnObjectThatOutlivesItsOwnerForeverIsReleased) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(outlived)});
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, (Repair{RepairKind::release, "Part", "set_up", {}, {}}));
}

TEST(Triage, AnObjectFreedAfterItsOwnerIsNotReleased) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(outlived_for_a_while)});
  EXPECT_THAT(found.causes, IsEmpty());
  EXPECT_THAT(found.unexplained, SizeIs(1));
}

TEST(Triage, ARunWithoutAFaultHasNoCause) {
  Runner runner;
  const Triage found = triage(runner, std::vector{suspect(failed_open)});
  EXPECT_THAT(found.faultless, ElementsAre(0u));
  EXPECT_THAT(found.causes, IsEmpty());
  EXPECT_THAT(found.unexplained, IsEmpty());
}

TEST(Triage, DoesNotAffectLaterRuns) {
  Runner runner;
  const Suspect one = suspect(stale_part);
  runner.run(one.the_case);
  const std::uint64_t before = runner.trace_hash();
  triage(runner, std::vector{one});
  runner.run(one.the_case);
  EXPECT_EQ(runner.trace_hash(), before);
}

TEST(Triage, ResultsDoNotDependOnTheOrderOfFiles) {
  Runner runner;
  const Triage one = triage(runner, std::vector{suspect(stale_part), suspect(stale_part, kPeeks)});
  const Triage other =
      triage(runner, std::vector{suspect(stale_part, kPeeks), suspect(stale_part)});
  ASSERT_THAT(one.causes, SizeIs(1));
  ASSERT_THAT(other.causes, SizeIs(1));
  EXPECT_EQ(one.causes[0].repair, other.causes[0].repair);
}

/// The minimized findings of the toy path.
std::vector<Suspect> minimized(Runner& runner, toy::Variant variant, std::size_t count) {
  strategies::RandomWalk walk(11);
  std::vector<Suspect> found;
  for (std::size_t run = 0; found.size() < count && run < 100'000; ++run) {
    Case the_case = toy::make_case(variant, {}, run % config_count(toy::scenario));
    const Outcome& outcome =
        runner.run(toy::scenario, variant, the_case.config, toy::no_device, walk);
    if (!outcome.failed()) continue;
    the_case.tape = outcome.tape;
    const std::string signature = outcome.faults.front().signature();
    found.push_back({minimize(runner, the_case, signature).the_case, signature});
  }
  return found;
}

TEST(Triage, AKnownRepairThatNoLongerPassesTheFaultFails) {
  Runner runner;
  triaging::Trial trial(runner, {});
  std::size_t helpful = 0, useless = 0;
  for (const Suspect& one : minimized(runner, toy::borrow, 10)) {
    const auto look = trial.look(0, one);
    ASSERT_TRUE(look);
    for (const triaging::Candidate& candidate : look->candidates) {
      const bool helps = trial.passes(candidate.repair, look->finding);
      ++(helps ? helpful : useless);
      EXPECT_EQ(repair_that_still_works(runner, one, in_words(candidate.repair)).has_value(), helps)
          << in_words(candidate.repair);
    }
  }
  EXPECT_GT(helpful, 0u);
  EXPECT_GT(useless, 0u);
}

// The boxes of `borrow` are made at two sites, and die too early for one use.
TEST(Triage, ManySchedulesOfOneBugAreOneCause) {
  Runner runner;
  const Triage found = triage(runner, minimized(runner, toy::borrow, 20));
  EXPECT_THAT(found.unexplained, IsEmpty());
  ASSERT_THAT(found.causes, SizeIs(1));
  const Cause& cause = found.causes[0];
  EXPECT_EQ(cause.repair, (Repair{RepairKind::hold, "Box", {}, {}, "use"}));
  EXPECT_THAT(cause.got, SizeIs(2));
  EXPECT_THAT(cause.let_go, ElementsAre(Label("replace")));
}

TEST(Triage, ALeakedObjectIsReleased) {
  Runner runner;
  const Triage found = triage(runner, minimized(runner, toy::hoard, 5));
  EXPECT_THAT(found.unexplained, IsEmpty());
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair.kind, RepairKind::release);
  EXPECT_EQ(found.causes[0].repair.object, Label("Box"));
}

TEST(Triage, EachRunIsAnnouncedWithItsCase) {
  Runner runner;
  std::vector<std::size_t> announced;
  TriageOptions options;
  options.prepare = [&](std::size_t index) { announced.push_back(index); };
  const Triage found =
      triage(runner, std::vector{suspect(stale_part), suspect(wrong_sum)}, options);
  EXPECT_EQ(announced.size(), found.run_count);
  EXPECT_EQ(std::set(announced.begin(), announced.end()), (std::set<std::size_t>{0, 1}));
}

TEST(Triage, ASingleRepairCanBeTested) {
  Runner runner;
  EXPECT_TRUE(removes(runner, hold("Part"), suspect(stale_part), 0));
  EXPECT_FALSE(removes(runner, hold("Whole"), suspect(stale_part), 0));
}

}  // namespace
}  // namespace harness
