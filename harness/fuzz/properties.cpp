// SPDX-License-Identifier: Apache-2.0
// properties: properties of all lists of ops and all tapes of a path, tested with RapidCheck. Each
// path has them in its property_<path>.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "harness/run/strategies/bytes.h"
#include "harness/search/search.h"

namespace harness::entries {
namespace {

constexpr std::uint32_t kTasks =
    2;  ///< Tasks whose slots are drawn. Those that a path lacks make no choices.
constexpr std::uint32_t kSlots = 12;  ///< Slots of each task.

const Scenario& scenario() {
  static const Scenario& found = *find(tables::scenarios(), AFTERLIFE_PATH);
  return found;
}

Runner& runner() {
  static Runner instance;
  return instance;
}

Case make_case(std::size_t variant, std::size_t config, Tape tape) {
  return {&scenario(), variant, config_at(scenario(), config % config_count(scenario())),
          find(tables::devices(), "sim"), std::move(tape)};
}

struct Run {
  Outcome outcome;
  std::uint64_t trace;
};

Run run(const Case& the_case) {
  const Outcome& outcome = runner().run(the_case);
  return {outcome, runner().trace_hash()};
}

void require_equal(const Run& first, const Run& second) {
  RC_ASSERT(first.trace == second.trace);
  RC_ASSERT(first.outcome.faults == second.outcome.faults);
  RC_ASSERT(first.outcome.tape == second.outcome.tape);
  RC_ASSERT(first.outcome.ending == second.outcome.ending);
  RC_ASSERT(first.outcome.turns == second.outcome.turns);
}

// ---- generators ---------------------------------------------------------------------------------

rc::Gen<std::size_t> any_variant() {
  return rc::gen::inRange<std::size_t>(0, scenario().variants.size());
}

rc::Gen<std::size_t> any_claimed(ClaimKind kind) {
  std::vector<std::size_t> variants;
  for (std::size_t i = 0; i < scenario().variants.size(); ++i)
    if (scenario().variants[i].claim.kind == kind) variants.push_back(i);
  return rc::gen::elementOf(std::move(variants));
}

rc::Gen<std::size_t> any_config() {
  return rc::gen::inRange<std::size_t>(0, config_count(scenario()));
}

rc::Gen<Name> any_slot() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, kTasks),
                                    rc::gen::inRange<std::uint32_t>(0, kSlots)),
                      [](const auto& place) { return slot_name(place.first, place.second); });
}

rc::Gen<Decision> any_op() {
  return rc::gen::apply(
      [](Name slot, std::size_t op) {
        return Decision{slot, site_tag(Site::op), 0, op_value(scenario().ops[op].name)};
      },
      any_slot(), rc::gen::inRange<std::size_t>(0, scenario().ops.size()));
}

/// Returns a random decision for a choice that may occur: in the slot, at any site.
rc::Gen<Decision> any_answer() {
  return rc::gen::apply(
      [](Name slot, std::size_t site, std::uint16_t nth, std::uint32_t value) {
        return Decision{slot, kSiteTags[site], nth, value};
      },
      any_slot(), rc::gen::inRange<std::size_t>(1, strategies::kRunSiteCount),
      rc::gen::inRange<std::uint16_t>(0, 24), rc::gen::inRange<std::uint32_t>(0, 20));
}

rc::Gen<Tape> any_tape() {
  return rc::gen::container<Tape>(
      rc::gen::weightedOneOf<Decision>({{3, any_op()}, {2, any_answer()}}));
}

/// Returns a run made by a random walk, so that most decisions match a choice.
Case walked(std::size_t variant, std::size_t config, std::uint64_t seed) {
  Case the_case = make_case(variant, config, {});
  const auto walk = find(tables::strategies(), "random_walk")->make(seed);
  the_case.tape = runner().run(scenario(), variant, the_case.config, *the_case.device, *walk).tape;
  return the_case;
}

rc::Gen<Case> any_walked(rc::Gen<std::size_t> variant) {
  return rc::gen::noShrink(rc::gen::apply(walked, std::move(variant), any_config(),
                                          rc::gen::arbitrary<std::uint64_t>()));
}

/// Returns a failing run of an unsound variant. Some variants fail in some configs only, so the
/// seeds cycle through all configs.
Case failing(std::size_t variant, std::uint64_t seed) {
  for (;; ++seed) {
    Case the_case = walked(variant, seed % config_count(scenario()), seed);
    if (run(the_case).outcome.failed()) return the_case;
  }
}

// ---- properties ---------------------------------------------------------------------------------

RC_GTEST_PROP(Properties, AnyTapeRunsTheSameTwice, ()) {
  const Case the_case = make_case(*any_variant(), *any_config(), *any_tape());
  require_equal(run(the_case), run(the_case));
}

RC_GTEST_PROP(Properties, WhatARunRecordedReplaysIt, ()) {
  Case the_case = *any_walked(any_variant());
  const Run first = run(the_case);
  the_case.tape = first.outcome.tape;
  require_equal(first, run(the_case));
}

RC_GTEST_PROP(Properties, WhatIsSoundHoldsWhateverTheTape, ()) {
  const Case the_case = make_case(*any_claimed(ClaimKind::sound), *any_config(), *any_tape());
  const Outcome outcome = run(the_case).outcome;
  if (outcome.failed()) RC_FAIL(outcome.faults[0].signature());
}

RC_GTEST_PROP(Properties, WhatIsSoundHoldsWhereverAWalkGoes, ()) {
  const Outcome outcome = run(*any_walked(any_claimed(ClaimKind::sound))).outcome;
  if (outcome.failed()) RC_FAIL(outcome.faults[0].signature());
}

RC_GTEST_PROP(Properties, AProgramWithoutOpsIsVacuousAndHolds, ()) {
  Tape tape = *any_tape();
  std::erase_if(tape,
                [](const Decision& decision) { return decision.site_tag == site_tag(Site::op); });
  const Outcome outcome = run(make_case(*any_variant(), *any_config(), tape)).outcome;
  RC_ASSERT(outcome.vacuous);
  RC_ASSERT(!outcome.failed());
}

RC_GTEST_PROP(Properties, TheOrderOfDecisionsOnATapeMeansNothing, ()) {
  const Case the_case = *any_walked(any_variant());
  Case reversed = the_case;
  std::reverse(reversed.tape.begin(), reversed.tape.end());
  require_equal(run(the_case), run(reversed));
}

RC_GTEST_PROP(Properties, MinimizingKeepsTheSignatureAndNeverGrows, ()) {
  const Case the_case = *rc::gen::noShrink(rc::gen::apply(failing, any_claimed(ClaimKind::unsound),
                                                          rc::gen::arbitrary<std::uint64_t>()));
  const Run first = run(the_case);
  const std::string signature = first.outcome.faults[0].signature();
  const Minimized small = minimize(runner(), the_case, signature);
  RC_ASSERT(small.reproduced && small.deterministic);
  RC_ASSERT(small.the_case.tape.size() <= first.outcome.tape.size());
  RC_ASSERT(small.the_case.config == the_case.config && small.the_case.variant == the_case.variant);
  const auto faults = run(small.the_case).outcome.faults;
  RC_ASSERT(std::any_of(faults.begin(), faults.end(),
                        [&](const Fault& fault) { return fault.signature() == signature; }));
}

}  // namespace
}  // namespace harness::entries
