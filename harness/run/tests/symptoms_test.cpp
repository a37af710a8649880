// SPDX-License-Identifier: Apache-2.0
// The matching row describes what a user sees, and no other row matches. Every row of every path is
// shown by a committed case.
#include "harness/run/scenario/symptoms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/core/fault/kinds.h"
#include "harness/run/tables.h"
#include "harness/search/tests/corpus.h"

namespace harness {
namespace {

const Scenario& argpack() { return *find(tables::scenarios(), "argpack"); }

Fault stale_pack() {
  Fault fault;
  fault.kind = FaultKind::use_after_free;
  fault.object_kind = "ArgPack";
  fault.death_site = "delete_argpack";
  fault.use_site = "launch_kernel/pack";
  fault.detail = "at 0x78, and no more";
  return fault;
}

bool fits(const Symptom& symptom, std::string_view config = "backend=cuda_pool") {
  return harness::fits(symptom, argpack(), parse_config(argpack(), config), stale_pack());
}

TEST(Symptoms, ARowMatchesByTheFaultsOfTheRun) {
  constexpr FaultKind kKind = FaultKind::use_after_free;
  EXPECT_TRUE(fits({.kind = kKind}));
  EXPECT_TRUE(fits({.kind = kKind, .object = "ArgPack", .death = "delete_argpack"}));
  EXPECT_TRUE(fits({.kind = kKind, .use = "launch_kernel/pack", .detail = "0x78"}));
  EXPECT_FALSE(fits({.kind = FaultKind::recycled_use}));
  EXPECT_FALSE(fits({.kind = kKind, .object = "Ndarray"}));
  EXPECT_FALSE(fits({.kind = kKind, .death = "reset"}));
  EXPECT_FALSE(fits({.kind = kKind, .use = "launch_kernel"}));
  EXPECT_FALSE(fits({.kind = kKind, .detail = "0x79"}));
}

TEST(Symptoms, ARowMayBeRestrictedToOneValueOfAnAxis) {
  const Symptom gfx{.kind = FaultKind::use_after_free, .config = "backend=gfx"};
  EXPECT_TRUE(fits(gfx, "backend=gfx"));
  EXPECT_FALSE(fits(gfx, "backend=cpu"));
}

TEST(Symptoms, ThePlaceholderIsReplacedByTheDetail) {
  EXPECT_EQ(in_words({.sees = "SIGSEGV {}"}, stale_pack()), "SIGSEGV at 0x78, and no more");
  EXPECT_EQ(in_words({.sees = "nothing"}, stale_pack()), "nothing");
}

TEST(Symptoms, AFaultWithoutARowHasNoSymptom) {
  Fault fault = stale_pack();
  EXPECT_NE(symptom_of(argpack(), {}, fault), nullptr);
  fault.object_kind = "something else";
  EXPECT_EQ(symptom_of(argpack(), {}, fault), nullptr);
}

const Scenario* path_of(const SymptomTable& table) {
  return find(tables::scenarios(), table.path.view());
}

/// Whether some axis of the path has this value; a row for every config asks for none.
bool is_known(const Scenario& scenario, std::string_view config) {
  for (const Axis& axis : scenario.axes)
    for (const Label value : axis.values)
      if (config == std::string(axis.name.view()) + "=" + value.c_str()) return true;
  return config.empty();
}

TEST(Symptoms, RowsHaveASourceAndFitOnALine) {
  for (const SymptomTable* table : tables::symptoms()) {
    const Scenario* scenario = path_of(*table);
    ASSERT_NE(scenario, nullptr) << table->path.view();
    for (const Symptom& row : table->rows) {
      EXPECT_FALSE(row.sees.empty() || row.source.empty()) << table->path.view();
      EXPECT_LE(row.sees.size(), 86U) << row.sees;
      EXPECT_TRUE(is_known(*scenario, row.config)) << row.config;
    }
  }
}

/// Adds the symptom rows of the faults of a committed case.
void add_symptoms(Runner& runner, const Case& the_case, std::set<const Symptom*>& symptoms) {
  const Outcome& outcome = runner.run(the_case);
  for (const Fault& fault : outcome.faults)
    symptoms.insert(symptom_of(*the_case.scenario, the_case.config, fault));
}

TEST(Symptoms, EveryRowIsShownByACommittedCase) {
  Runner runner;
  for (const SymptomTable* table : tables::symptoms()) {
    std::set<const Symptom*> symptoms;
    for (const auto& [name, reproducer] : testing::read_corpus(*path_of(*table), "repros"))
      add_symptoms(runner, reproducer.the_case, symptoms);
    for (const Symptom& row : table->rows)
      EXPECT_TRUE(symptoms.contains(&row)) << table->path.view() << ": no case shows: " << row.sees;
  }
}

}  // namespace
}  // namespace harness
