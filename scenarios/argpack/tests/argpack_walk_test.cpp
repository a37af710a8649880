// SPDX-License-Identifier: Apache-2.0
// The order in which a launch follows its parameters: any order, but one per run.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/search/reproducer/reproducer.h"
#include "scenarios/argpack/scenario.h"
#include "scenarios/argpack/tests/argpack_cases.h"

namespace scenarios::argpack::testing {
namespace {

using targets::argpack::is_pack;
using targets::argpack::kPlainWalk;
using targets::argpack::Place;
using targets::argpack::Walk;

/// Values of the three choices.
struct Answers {
  std::uint32_t packs;
  std::uint32_t array;
  std::uint32_t external;
};

std::string tape_of(const Answers& answers) {
  return "start order " + std::to_string(answers.packs) + "\nstart order[1] " +
         std::to_string(answers.array) + "\nstart order[2] " + std::to_string(answers.external) +
         "\n";
}

std::string program(const Answers& answers, const std::string& rest, const char* backend = "cpu") {
  return "afterlife reproducer 1\npath argpack\nvariant borrow\nconfig backend=" +
         std::string(backend) +
         " gil=on collector=eval_breaker\ndevice sim\ntasks script mutator\n" + tape_of(answers) +
         rest + "end\n";
}

/// Returns the order for these choices.
Walk walk_of(const Answers& answers) {
  static Walk picked;
  harness::Scenario asking = scenario;
  asking.drive = [](harness::Scene& scene) { picked = pick_walk(scene); };
  harness::Case one = harness::parse_reproducer(program(answers, ""), "test").the_case;
  one.scenario = &asking;
  harness::Runner runner;
  runner.run(one);
  return picked;
}

template <class Check>
void for_each_order(Check check) {
  for (std::uint32_t packs = 0; packs < 6; ++packs)
    for (std::uint32_t array = 0; array < 4; ++array)
      for (std::uint32_t external = 0; external < 5; ++external)
        check(Answers{packs, array, external});
}

TEST(ArgpackWalk, EachOrderHasOneSetOfAnswers) {
  std::set<Walk> walks;
  for_each_order([&](const Answers& answers) { walks.insert(walk_of(answers)); });
  EXPECT_EQ(walks.size(), 120u);
  for (Walk walk : walks) {
    std::sort(walk.begin(), walk.end());
    EXPECT_EQ(std::adjacent_find(walk.begin(), walk.end()), walk.end());
    EXPECT_EQ(walk.back(), Place::external);
  }
}

TEST(ArgpackWalk, OldTapesSelectTheTwoOriginalOrders) {
  EXPECT_EQ(walk_of({0, 0, 0}), kPlainWalk);
  const Walk parents_first{Place::pack, Place::nested, Place::nested_twice, Place::array,
                           Place::external};
  EXPECT_EQ(walk_of({1, 0, 0}), parents_first);
}

// ---- the first dropped argument of a launch -----------------------------------------------------

/// Kinds of parameters that the script drops before the launch, one bit each.
enum Dropped : std::uint32_t { kPacks = 1, kArray = 2, kExternal = 4 };

bool is_dropped(Place place, std::uint32_t dropped) {
  const std::uint32_t kind = is_pack(place) ? kPacks : place == Place::array ? kArray : kExternal;
  return (dropped & kind) != 0;
}

std::string site_of(Place place) {
  if (place == Place::array) return "launch_kernel/array";
  if (place == Place::external) return "launch_kernel/external";
  return place == Place::pack ? "launch_kernel/pack" : "launch_kernel/nested_pack";
}

/// Binds three nested packs, an array and an external one by hand, drops some, and launches.
std::string launch_without(std::uint32_t dropped) {
  std::string program =
      "script:0 op new_argpack\nscript:0 argument[1] 3\nscript:1 op new_ndarray\n"
      "script:2 op new_external\nscript:3 op make_context\nscript:3 argument[1] 1\n";
  if ((dropped & kPacks) != 0) program += "script:4 op drop\nscript:4 argument 1\n";
  if ((dropped & kArray) != 0) program += "script:5 op drop\nscript:5 argument 7\n";
  if ((dropped & kExternal) != 0) program += "script:6 op drop\nscript:6 argument 9\n";
  return program + "script:7 op launch\n";
}

std::string first_met(const Answers& answers, std::uint32_t dropped, const char* backend) {
  harness::Runner runner;
  const harness::Outcome outcome = runner.run(
      harness::parse_reproducer(program(answers, launch_without(dropped), backend), "test")
          .the_case);
  return outcome.faults.empty() ? "" : std::string(outcome.faults[0].use_site.view());
}

TEST(ArgpackWalk, ALaunchFailsAtTheFirstDroppedArgument) {
  for_each_order([&](const Answers& answers) {
    const Walk walk = walk_of(answers);
    for (const std::uint32_t dropped : {kPacks | kArray, kPacks | kExternal, kArray | kExternal}) {
      const auto first = std::find_if(walk.begin(), walk.end(),
                                      [&](Place place) { return is_dropped(place, dropped); });
      EXPECT_EQ(first_met(answers, dropped, "cpu"), site_of(*first)) << tape_of(answers) << dropped;
    }
  });
}

TEST(ArgpackWalk, GfxFollowsArraysBeforePacksAndPacksInOrder) {
  for_each_order([&](const Answers& answers) {
    const Walk walk = walk_of(answers);
    const auto first = std::find_if(walk.begin(), walk.end(), is_pack);
    EXPECT_EQ(first_met(answers, kPacks | kArray, "gfx"), "launch_kernel/array");
    EXPECT_EQ(first_met(answers, kPacks | kExternal, "gfx"), site_of(*first));
  });
}

}  // namespace
}  // namespace scenarios::argpack::testing
