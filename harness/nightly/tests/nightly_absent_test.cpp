// SPDX-License-Identifier: Apache-2.0
// Findings that a night did not see: replayed, fixed, and regressed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/cli/tests/toys_child.h"
#include "harness/nightly/history.h"
#include "harness/nightly/tests/cli_nights.h"
#include "harness/nightly/tests/nightly_nights.h"

namespace harness {
namespace {

using nightly::Absence;
using nightly::History;
using nightly::Night;
using nightly::State;
using nlohmann::json;
using testing::hand_made_plan;
using testing::hand_made_shard;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_toys;
using Words = std::vector<std::string>;

/// Nights of two variants, one after the other: 200 runs of the canary each, and 3 of these show
/// each signature that a night sees.
class AbsentFindings : public testing::HandMadeNights {
 protected:
  Night merge(const Words& seen) {
    return merge_night(hand_made_shard(hand_made_plan(1, next_number()), 1, seen));
  }
};

TEST(NightlyState, ANightMarksItFixedUnlessALaterMarkExists) {
  using nightly::Mark;
  using nightly::state_of;
  const std::optional<Mark> none, open = Mark{"open", 2, 0}, fixed = Mark{"fixed", 2, 0},
                                  ignored = Mark{"ignored", 2, 4};
  EXPECT_EQ(state_of(3, {1}, none, 3), State::fixed);
  EXPECT_EQ(state_of(4, {1, 4}, none, 3), State::regressed);
  EXPECT_EQ(state_of(5, {1, 4, 5}, none, 3), State::known);
  EXPECT_EQ(state_of(3, {1}, open, 2), State::known) << "said after night 2";
  EXPECT_EQ(state_of(3, {1}, open, 3), State::fixed);
  EXPECT_EQ(state_of(6, {1, 4, 6}, fixed, 5), State::regressed) << "it was fixed twice";
  EXPECT_EQ(state_of(4, {1}, ignored, 4), State::ignored);
  EXPECT_EQ(state_of(5, {1}, ignored, 4), State::fixed) << "ignored no longer";
}

TEST(NightlyAbsence, IsDecidedByTheFaultsOfTheReplay) {
  const std::string signature = "use_after_free Buffer born:a used:b";
  EXPECT_EQ(nightly::absence_in(signature, {"leak Buffer born:a", signature}), Absence::shown);
  EXPECT_EQ(nightly::absence_in(signature, {}), Absence::gone);
  EXPECT_EQ(nightly::absence_in(signature, {"leak Buffer born:a"}), Absence::gone);
  EXPECT_EQ(nightly::absence_in(signature, {"use_after_free Buffer born:a used:c"}),
            Absence::unclear)
      << "the site may have another name by now";
}

TEST_F(AbsentFindings, AreFixedAfterEnoughRunsWithoutThem) {
  merge({"a", "b"});
  const Night first = without(Absence::gone);
  ASSERT_EQ(first.absent.size(), 2u);
  EXPECT_EQ(first.absent[0].state, State::known) << "200 runs, of which 3 would have shown it";
  EXPECT_EQ(first.absent[0].absent->runs, 200u);
  EXPECT_DOUBLE_EQ(first.absent[0].absent->expected, 3);
  const Night second = without(Absence::gone);
  EXPECT_EQ(second.fixed().size(), 2u) << "400 runs and 6 of them are more than 5";
  EXPECT_DOUBLE_EQ(second.absent[0].absent->expected, 6);
  EXPECT_FALSE(second.is_red());
  EXPECT_THAT(without(Absence::gone).absent, IsEmpty()) << "it is told once";
  EXPECT_THAT(history().closed_findings(), ::testing::SizeIs(2));
}

TEST_F(AbsentFindings, AreRegressedWhenTheyReappearAndThenKnown) {
  merge({"a"});
  without(Absence::gone);
  without(Absence::gone);
  const Night back = merge({"a"});
  EXPECT_EQ(back.findings[0].state, State::regressed);
  EXPECT_FALSE(back.is_red()) << "it is a canary's";
  EXPECT_EQ(merge({"a"}).findings[0].state, State::known);
  const Night again = without(Absence::gone);
  ASSERT_EQ(again.absent.size(), 1u);
  EXPECT_EQ(again.absent[0].state, State::known) << "runs before it came back do not count";
}

TEST_F(AbsentFindings, AreNotFixedIfTheReproducerStillFailsOrIsUnclear) {
  for (const Absence absence : {Absence::shown, Absence::unclear}) {
    merge({"a"});
    for (int night = 0; night < 4; ++night) {
      const Night looked = without(absence);
      ASSERT_EQ(looked.absent.size(), 1u);
      EXPECT_EQ(looked.absent[0].state, State::known);
      EXPECT_EQ(looked.is_red(), absence == Absence::unclear);
    }
  }
}

TEST_F(AbsentFindings, ASkippedReplayDecidesNothing) {
  merge({"a"});
  for (int night = 0; night < 4; ++night) {
    const Night looked = without(Absence::late);
    ASSERT_EQ(looked.absent.size(), 1u);
    EXPECT_EQ(looked.absent[0].state, State::known) << "though no replay showed it";
    EXPECT_EQ(looked.absent[0].absent->absence, Absence::late);
    EXPECT_FALSE(looked.is_red());
  }
  EXPECT_EQ(without(Absence::gone).fixed().size(), 1u) << "the next night has the time";
}

TEST_F(AbsentFindings, AreReplayedIfOpenAndTheirVariantWasSearched) {
  merge({"a", "b"});
  const std::string cause = now().findings[0].cause;
  history().mark(cause, "ignored", "a known limit", 0);
  const Night night = merge({});
  EXPECT_EQ(history().absent(night).size(), 1u);
  EXPECT_NE(history().absent(night)[0].cause, cause);
  EXPECT_THAT(history().absent(merge({"b"})), IsEmpty());
}

/// Enters a finding of night 1 that no program shows: its reproducer is a run without a fault.
void enter_what_is_repaired(const std::string& folder, const std::string& cause,
                            const std::string& reproducer) {
  History history(folder);
  const std::string night = history.last_night();
  nightly::Database& database = history.database();
  database.insert("findings", {{"cause", cause},
                               {"kind", "fault"},
                               {"path", "toy"},
                               {"variant", "borrow"},
                               {"hazard", "stale"},
                               {"signature", "leak Ghost born:nowhere"},
                               {"file", cause + ".repro"},
                               {"reproducer", reproducer},
                               {"repairs", ""}});
  database.insert("sightings", {{"night", night},
                                {"shard", std::int64_t{1}},
                                {"cause", cause},
                                {"runs", std::int64_t{500}},
                                {"first_run", std::int64_t{1}},
                                {"minimized", std::int64_t{1}},
                                {"difference", ""},
                                {"other_runs", std::int64_t{0}}});
}

TEST(CliNightlyAbsent, OnlyFindingsThatAreGoneAreReportedAsFixed) {
  const Folder folder;
  const std::string history = folder / "history", cause = "feedfacefeedface";
  const auto night = [&](const std::string& runs) {
    return run_toys({"nightly", "--runs", runs, "--only", "toy", "--history", history, "--json"});
  };
  night("3000");
  enter_what_is_repaired(history, cause, testing::reproducer_text(testing::toy_case("retain", {})));
  const json second = json::parse(night("3000").out);
  ASSERT_FALSE(second["absent"].empty());
  std::size_t fixed = 0;
  for (const json& row : second["absent"]) {
    const bool is_it = row["cause"] == cause;
    EXPECT_EQ(row["replay"], is_it ? "gone" : "shown") << row;
    EXPECT_EQ(row["state"], is_it ? "fixed" : "known") << row;
    EXPECT_GT(row["runs_since"], 0u);
    fixed += is_it;
  }
  EXPECT_EQ(fixed, 1u);
  const Ended report = run_toys({"nightly", "report", "--history", history});
  EXPECT_THAT(report.out, HasSubstr("fixed toy/borrow: leak Ghost born:nowhere"));
  EXPECT_THAT(report.out, HasSubstr("its reproducer does not show it; "));
  EXPECT_THAT(testing::unwrapped(report.out), HasSubstr(" 1 fixed. "));
  const std::string page = read_file(history + "/page.html");
  EXPECT_THAT(page, HasSubstr("<h2>Fixed</h2>"));
  EXPECT_THAT(page, HasSubstr(cause));
  EXPECT_FALSE(std::filesystem::exists(history + "/absent.part"));
  const json third = json::parse(night("3000").out);
  for (const json& row : third["absent"]) EXPECT_NE(row["cause"], cause) << "it is told once";
}

TEST(CliNightlyAbsent, AnUnreadableFileIsUnclear) {
  const Folder folder;
  const std::string history = folder / "history", cause = "feedfacefeedface";
  const Words words{"nightly", "--runs", "600", "--only", "toy", "--history", history, "--json"};
  run_toys(words);
  enter_what_is_repaired(history, cause, "afterlife reproducer 1\npath gone\nend\n");
  std::size_t unclear = 0;
  const json second = json::parse(run_toys(words).out);
  for (const json& row : second["absent"])
    if (row["cause"] == cause) unclear += row["replay"] == "unclear" && row["state"] == "known";
  EXPECT_EQ(unclear, 1u);
}

}  // namespace
}  // namespace harness
