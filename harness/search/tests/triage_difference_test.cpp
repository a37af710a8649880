// SPDX-License-Identifier: Apache-2.0
// The first step in which two runs differ, on trails made by hand; and triage by differences on a
// path of a few lines.
#include "harness/search/triage/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/pick/replay.h"
#include "harness/run/scenario/scenario.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Step = Trail::Step;
using Kind = Trail::Kind;

Step call(Label what, Label site, std::vector<std::uint64_t> passed = {}) {
  Step step{.kind = Kind::call, .what = what, .site = site};
  for (std::size_t i = 0; i < passed.size(); ++i)
    step.values.push_back({static_cast<std::uint8_t>(i + 1), passed[i]});
  return step;
}
Step note(Label what, Label site = {}) { return {.kind = Kind::event, .what = what, .site = site}; }
Step end_of(Label what, Label site) {
  return {.kind = Kind::event, .event = EventKind::death, .what = what, .site = site};
}
Step asks(Label site) { return {.kind = Kind::question, .what = "schedule", .site = site}; }
Step write(Label what, std::uint64_t place, std::uint64_t value, Label site = "store") {
  return {.kind = Kind::write, .what = what, .site = site, .values = {{1, place}, {2, value}}};
}

/// Both runs continue with this.
const std::vector<Step> kThen{call("cuCtxSynchronize", "wait"), note("done"), asks("end"),
                              call("cuMemFree", "close")};

Trail trail(std::vector<Step> steps) {
  Trail trail;
  for (const Step& step : steps) trail.add(step);
  for (const Step& step : kThen) trail.add(step);
  return trail;
}

/// Returns what would be undone, by its site.
Repair first(const Trail& good, const Trail& bad) {
  const auto difference = triaging::difference_of(good, bad);
  return difference ? triaging::revert_of(*difference) : Repair{};
}

Repair revert(Label act, Label how, Label site) { return {RepairKind::revert, act, how, {}, site}; }

TEST(TriageDifference, AChangedCallIsDescribedByItsArgument) {
  const Trail good = trail({call("cuMemcpyHtoDAsync", "upload", {7, 8, 64, 1})});
  const Trail bad = trail({call("cuMemcpyHtoDAsync", "upload", {7, 8, 64, 0})});
  EXPECT_EQ(first(good, bad), revert("cuMemcpyHtoDAsync", "argument 4", "upload"));
  EXPECT_EQ(in_words(first(good, bad)), "as before, have cuMemcpyHtoDAsync in upload argument 4");
}

TEST(TriageDifference, AMissingActIsReportedAtItsSite) {
  const Trail good = trail({note("begun"), write("count", 0, 2, "bind"), note("bound")});
  const Trail bad = trail({note("begun"), note("bound")});
  EXPECT_EQ(first(good, bad), revert("write of count", triaging::kLeftOut, "bind"));
}

TEST(TriageDifference, AnAdditionalActIsReportedAtItsSite) {
  const Trail good = trail({note("begun")});
  const Trail bad = trail({note("begun"), asks("delete"), end_of("Pack", "delete")});
  EXPECT_EQ(first(good, bad), revert("death of Pack", triaging::kDone, "delete"))
      << "who goes on does nothing yet";
}

TEST(TriageDifference, AReplacedActIsReportedForBothActs) {
  const Trail good = trail({call("cuGraphAddEventWaitNode", "add", {1})});
  const Trail bad = trail({call("cuGraphAddEventRecordNode", "add", {1})});
  EXPECT_EQ(first(good, bad), revert("cuGraphAddEventRecordNode", triaging::kDone, "add"));
}

TEST(TriageDifference, AWriteElsewhereIsAnotherActButAnotherValueIsNot) {
  const Trail good = trail({write("table", 3, 5)});
  EXPECT_EQ(first(good, trail({write("table", 3, 6)})),
            revert("write of table", triaging::kOtherwise, "store"));
  EXPECT_EQ(first(good, trail({write("table", 4, 5)})),
            revert("write of table", triaging::kDone, "store"));
}

TEST(TriageDifference, NumbersInDescriptionsAreIgnored) {
  const Trail good = trail({note("in the barrier of collective 1")});
  const auto of = [&](Label late) { return first(good, trail({note(late), good.steps()[0]})); };
  EXPECT_EQ(of("in the barrier of collective 12"), of("in the barrier of collective 3"));
  EXPECT_FALSE(of("in the barrier of collective 12") == of("in the queue of collective 12"));
}

TEST(TriageDifference, WithoutAnActOnlyTheSiteIsKnown) {
  const Trail good = trail({note("begun")});
  EXPECT_EQ(first(good, trail({note("begun"), asks("map")})), revert({}, triaging::kDone, "map"));
}

TEST(TriageDifference, EqualRunsHaveNoDifference) {
  EXPECT_FALSE(triaging::difference_of(trail({note("begun")}), trail({note("begun")})));
}

TEST(TriageDifference, ARunThatEndsEarlyLacksTheNextAct) {
  Trail bad;
  bad.add(note("begun"));
  EXPECT_EQ(first(trail({note("begun"), call("cuMemAlloc", "make")}), bad),
            revert("cuMemAlloc", triaging::kLeftOut, "make"));
}

TEST(TriageDifference, ReachingASiteIsNotAnAct) {
  const Step gets_there{.kind = Kind::event, .event = EventKind::step, .what = "delete_pack"};
  const Trail bad = trail({note("begun"), gets_there, end_of("Pack", "delete_pack")});
  EXPECT_EQ(first(trail({note("begun")}), bad),
            revert("death of Pack", triaging::kDone, "delete_pack"));
}

TEST(TriageDifference, WritesAtOneSiteAreOneAct) {
  const auto at = [](Label what) {
    return triaging::revert_at({write(what, 0, 1), triaging::kLeftOut}, "Objects::incref #1");
  };
  EXPECT_EQ(at("int"), at("instance"));
  const auto called = [](Label what) {
    return triaging::revert_at({call(what, "end"), triaging::kDone}, "Objects::incref #1");
  };
  EXPECT_FALSE(called("cuMemFree") == called("cuEventDestroy"));
}

void calls_of_the_trail(Trail& trail, int count) {
  for (int i = 0; i < count; ++i) trail.add(note("again"));
}

TEST(TriageDifference, ATrailCountsEarlierExecutions) {
  Trail trail;
  trail.watch_code_at(5);
  calls_of_the_trail(trail, 3);
  trail.add(asks("store"));
  trail.add(note("other"));
  trail.add(note("watched"));
  ASSERT_THAT(trail.code(), Not(IsEmpty()));
  std::vector<std::size_t> counts;
  for (const Trail::Code& one : trail.code()) counts.push_back(one.step_count);
  EXPECT_THAT(counts, Contains(5)) << "the code that runs the test ran at all steps before";
  EXPECT_THAT(counts, Contains(0)) << "the call of the watched step did not";
}

TEST(TriageDifference, AQuestionBeforeAStepIsPartOfTheStep) {
  const auto highest = [](bool asked) {
    Trail trail;
    trail.watch_code_at(1);
    trail.add(asked ? asks("store") : note("other"));
    trail.add(note("watched"));
    std::size_t most = 0;
    for (const Trail::Code& one : trail.code()) most = std::max(most, one.step_count);
    return most;
  };
  EXPECT_EQ(highest(true), 0u);
  EXPECT_EQ(highest(false), 1u);
}

TEST(TriageDifference, HandlesAreIdentifiedByOrderOfAppearance) {
  const int memory[3] = {};
  const auto seen = [&](std::vector<int> order) {
    Trail trail;
    trail.add(note("begun"));
    for (const int one : order) trail.add_handle(1, &memory[one]);
    return trail.steps();
  };
  EXPECT_EQ(seen({0, 1, 0}), seen({2, 0, 2}));
  EXPECT_NE(seen({0, 1, 0}), seen({2, 0, 0}));
}

// ---- beside a good program ----------------------------------------------------------------------

/// Variants 0 and 3 end the part before it is used, at two sites; 2 expects another content.
void drive(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  const SiteScope site(scheduler, "set_up");
  scene.mark_baseline();
  auto* part = scheduler.arena().make<Owned<int>>(scene.world().host.make<int>("Part", 7));
  scheduler.spawn("user", [&scene, part, seen = part->borrow()] {
    World& world = scene.world();
    const ActivationScope slot(world.scheduler, 0, 0);
    scene.exercised();
    if (scene.variant() == 0 || scene.variant() == 3) {
      const SiteScope clear(world.scheduler, scene.variant() == 0 ? Label("clear") : Label("drop"));
      part->reset();
    }
    {
      const SiteScope look(world.scheduler, "look");
      scene.expect("content", *seen, scene.variant() == 2 ? 8 : 7);
    }
    part->reset();
    scene.mark_quiescent();
  });
}

const Scenario& parts() {
  static const Scenario kScenario = toy::driven_by("parts", drive);
  return kScenario;
}

Suspect suspect(std::size_t variant) {
  return {{&parts(), variant, config_at(parts(), 0), &toy::no_device, {}}, ""};
}

/// Sorts a case beside a program in which it is as in another variant.
Triage beside(std::size_t variant, std::size_t good_variant) {
  Runner runner;
  TriageOptions options;
  options.good = [&](std::size_t, Case the_case, std::optional<std::size_t> step) {
    the_case.variant = good_variant;
    return follow(runner, the_case, step);
  };
  return triage(runner, std::vector{suspect(variant)}, options);
}

TEST(TriageDifference, IsTheCauseIfAGoodProgramExists) {
  const Triage found = beside(0, 1);
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, revert("death of Part", triaging::kDone, "clear"));
  EXPECT_THAT(found.causes[0].members, ElementsAre(0));
}

/// Two cases that differ at one place, at which nothing was done before, and at their own sites.
TEST(TriageDifference, OneDifferenceIsOneCauseAcrossSites) {
  Runner runner;
  TriageOptions options;
  options.good = [&](std::size_t, Case the_case, std::optional<std::size_t> step) {
    the_case.variant = 1;
    return follow(runner, the_case, step);
  };
  bool knows_places = false;
  options.places = [&](std::span<const std::uintptr_t> code) {
    std::vector<std::string> places(code.size());
    if (knows_places) places.assign(code.size(), "drop (parts.cpp:7)");
    return places;
  };
  const std::vector cases{suspect(0), suspect(3)};
  EXPECT_THAT(triage(runner, cases, options).causes, SizeIs(2));
  knows_places = true;
  const Triage found = triage(runner, cases, options);
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(in_words(found.causes[0].repair),
            "as before, have death of Part in drop (parts.cpp:7) not done");
}

TEST(TriageDifference, AProgramThatShowsTheFaultIsNotAGoodOne) {
  const Triage found = beside(0, 0);
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair.kind, RepairKind::hold);
}

TEST(TriageDifference, AFaultWithoutADifferenceIsUnexplained) {
  EXPECT_THAT(beside(2, 1).unexplained, SizeIs(1));
  EXPECT_THAT(beside(2, 1).causes, IsEmpty());
}

TEST(TriageDifference, FollowingARunDoesNotChangeIt) {
  Runner runner;
  runner.run(suspect(0).the_case);
  const std::uint64_t before = runner.trace_hash();
  EXPECT_THAT(follow(runner, suspect(0).the_case).signatures, SizeIs(1));
  EXPECT_EQ(runner.trace_hash(), before);
  runner.run(suspect(0).the_case);
  EXPECT_EQ(runner.trace_hash(), before);
}

}  // namespace
}  // namespace harness
