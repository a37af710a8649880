// SPDX-License-Identifier: Apache-2.0
// Functions by which new findings behave differently: what a night says of them, and which it
// joins.
#include "harness/nightly/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "harness/flow/flow.h"
#include "harness/nightly/root.h"
#include "harness/nightly/transfer.h"
#include "harness/reports/nightly/night_views.h"
#include "harness/tests/nightly_nights.h"
#include "harness/tests/toys_child.h"

namespace harness {
namespace {

using nightly::Change;
using nightly::ChangeOutcome;
using nightly::Night;
using nightly::NightFinding;
using nightly::RepairRecord;
using nightly::State;
using nlohmann::json;
using testing::hand_made_finding;
using testing::hand_made_plan;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run_toys;
using ::testing::SizeIs;
namespace fs = std::filesystem;

Change by(const std::string& function, const std::vector<std::string>& upon = {}) {
  return {ChangeOutcome::named, function, "targets/box/box.cpp", 12, upon};
}

const RepairRecord kRepair{"keep a until b has used it", 2, true};

/// Nights in which the canary fails in several ways.
class Changes : public testing::HandMadeNights {
 protected:
  /// A night that shows these, each a signature; a repair works for those that begin with "r".
  Night merge(const std::vector<std::string>& signatures) {
    nightly::ShardRecord shard =
        testing::hand_made_shard(hand_made_plan(1, next_number()), 1, signatures);
    for (nightly::CellRecord& cell : shard.cells)
      for (nightly::FindingRecord& finding : cell.findings) {
        const bool is_repaired = finding.signature.starts_with('r');
        // "x at open" and "x at close" go wrong alike at first.
        const std::string first = finding.signature.substr(0, finding.signature.find(' '));
        finding.repairs =
            is_repaired ? nightly::to_text({{kRepair}, ""}) : nightly::to_text({{}, first});
      }
    return merge_night(shard);
  }
  static std::string cause(const std::string& signature) {
    return hand_made_finding(hand_made_plan(1).cells.at(1), signature, "").cause;
  }
  Night note(const std::map<std::string, Change>& by_signature) {
    std::map<std::string, Change> changes;
    for (const auto& [signature, change] : by_signature) changes[cause(signature)] = change;
    history().note_changes(now(), changes);
    return now();
  }
};

TEST_F(Changes, NewFindingsOfOneFunctionAreOne) {
  ASSERT_THAT(merge({"x", "y", "z"}).findings, SizeIs(3));
  const Night night =
      note({{"x", by("box::open")}, {"y", by("box::open")}, {"z", by("box::close")}});
  ASSERT_THAT(night.findings, SizeIs(2));
  const auto joined =
      std::find_if(night.findings.begin(), night.findings.end(),
                   [](const NightFinding& one) { return one.symptoms.size() == 2; });
  ASSERT_NE(joined, night.findings.end());
  EXPECT_EQ(joined->state, State::fresh);
  EXPECT_EQ(joined->change, by("box::open"));
  EXPECT_EQ(night.symptom_count(), 3u);
  EXPECT_EQ(night.past.back().new_findings, 2u);
}

TEST_F(Changes, SoAreThoseUponTheAnswerOfOneAlsoByWayOfAThird) {
  merge({"u", "x", "y", "z"});
  const Night night = note({{"u", by("box::close")},
                            {"x", by("box::close", {"box::wait"})},
                            {"y", by("box::read")},
                            {"z", by("box::read", {"box::peek", "box::wait"})}});
  ASSERT_THAT(night.findings, SizeIs(1));
  EXPECT_THAT(night.findings[0].symptoms, SizeIs(4));
}

TEST_F(Changes, OneThatNoFunctionExplainsStaysAsItIs) {
  merge({"x", "y", "z"});
  const Night night = note({{"x", by("box::open")},
                            {"y", {ChangeOutcome::was_before}},
                            {"z", {ChangeOutcome::unclear}}});
  ASSERT_THAT(night.findings, SizeIs(3));
  EXPECT_EQ(night.findings[1].change->outcome, ChangeOutcome::was_before);
}

TEST_F(Changes, AJoinedFindingGoesByTheRepairIfOneHasSuch) {
  merge({"a", "repaired"});
  const Night night = note({{"a", by("box::open")}, {"repaired", by("box::open")}});
  ASSERT_THAT(night.findings, SizeIs(1));
  EXPECT_EQ(night.findings[0].repair, kRepair.words);
  EXPECT_EQ(night.findings[0].root, nightly::root_of("toy", kRepair.words));
}

TEST_F(Changes, ThoseOfAnotherPathAreOthers) {
  nightly::Plan plan = hand_made_plan(1, next_number());
  plan.cells.push_back({"box", "borrow", "unsound", 3, {100, 0}});
  nightly::ShardRecord shard = testing::hand_made_shard(plan, 1, {"x"});
  std::map<std::string, Change> changes;
  for (nightly::CellRecord& cell : shard.cells)
    for (nightly::FindingRecord& finding : cell.findings) {
      finding.file = cell.cell.path + "-x.repro";
      finding.repairs = nightly::to_text(nightly::Sorted{{}, "x"});
      changes[finding.cause] = by("harness::turn");
    }
  ASSERT_THAT(changes, SizeIs(2));
  history().note_changes(merge_night(shard), changes);
  EXPECT_THAT(now().findings, SizeIs(2));
}

TEST_F(Changes, AFindingThatIsKnownTakesNoNewOneIn) {
  merge({"x", "other x"});
  merge({"x", "y"});
  const Night night = note({{"x", by("box::open")}, {"y", by("box::open")}});
  ASSERT_THAT(night.findings, SizeIs(2)) << "known since a night that had no such function";
  EXPECT_EQ(night.count(State::fresh), 1u);
}

TEST_F(Changes, LaterWaysToFailOfAJoinedFindingAreNoNews) {
  merge({"x at open", "repaired"});
  const std::string root =
      note({{"x at open", by("box::open")}, {"repaired", by("box::open")}}).findings.at(0).root;
  const Night later = merge({"x at close", "repaired otherwise"});
  ASSERT_THAT(later.findings, SizeIs(1));
  EXPECT_EQ(later.findings[0].root, root);
  EXPECT_EQ(later.findings[0].state, State::known);
}

/// Nights in which sound variants and the canary show something.
class ChangesOfBoth : public Changes {
 protected:
  Night merge_both(const std::vector<std::string>& sound, const std::vector<std::string>& canary) {
    const nightly::Plan plan = hand_made_plan(1, next_number());
    nightly::ShardRecord shard = testing::hand_made_shard(plan, 1, canary);
    for (nightly::CellRecord& cell : shard.cells) {
      if (cell.cell.claim == "sound")
        for (const std::string& one : sound)
          cell.findings.push_back(hand_made_finding(cell.cell, one, "shows " + one + "\n"));
      for (nightly::FindingRecord& finding : cell.findings)
        finding.repairs = nightly::to_text(nightly::Sorted{{}, finding.signature.substr(0, 1)});
    }
    return merge_night(shard);
  }
  static std::string sound(const std::string& signature) {
    return hand_made_finding(hand_made_plan(1).cells.at(0), signature, "").cause;
  }
};

TEST_F(ChangesOfBoth, ACauseThatCanariesHaveShownIsJoinedInSoundVariantsAlone) {
  const std::string of_canary = merge_both({}, {"x"}).findings.at(0).cause;
  ASSERT_THAT(merge_both({"x", "y"}, {"x", "x in another way"}).findings, SizeIs(3));
  history().note_changes(now(), {{sound("x"), by("box::open")}, {sound("y"), by("box::open")}});
  const Night night = now();
  ASSERT_THAT(night.findings, SizeIs(2));
  EXPECT_EQ(night.findings[0].state, State::fresh);
  EXPECT_THAT(night.findings[0].symptoms, SizeIs(2));
  EXPECT_EQ(night.findings[1].state, State::known);
  EXPECT_EQ(night.findings[1].cause, of_canary);
  EXPECT_THAT(night.findings[1].symptoms, SizeIs(2));

  const Night later = merge_both({"x again"}, {"x, too"});
  ASSERT_THAT(later.findings, SizeIs(2));
  EXPECT_EQ(later.count(State::known), 2u) << "each is known among its kind";
  EXPECT_NE(later.findings[0].root, later.findings[1].root);
}

TEST_F(ChangesOfBoth, WhatSoundVariantsHaveShownStaysTheirsWhereACanaryIsNew) {
  const std::string root = merge_both({"x"}, {}).findings.at(0).root;
  ASSERT_THAT(merge_both({}, {"x", "y"}).findings, SizeIs(2));
  history().note_changes(now(), {{cause("x"), by("box::open")}, {cause("y"), by("box::open")}});
  const Night later = merge_both({"x"}, {});
  ASSERT_THAT(later.findings, SizeIs(1));
  EXPECT_EQ(later.findings[0].root, root);
  EXPECT_EQ(later.findings[0].state, State::known);
}

TEST_F(Changes, AreExportedAndImported) {
  merge({"x", "y"});
  note({{"x", by("box::open", {"box::wait", "box::see"})}, {"y", {ChangeOutcome::was_before}}});
  std::string exported;
  nightly::export_history(history().database(), [&](const std::string& line) { exported += line; });
  const Folder folder;
  testing::import_text(exported, folder / "copy");
  nightly::History copy(folder / "copy");
  EXPECT_EQ(nightly::changes_of(copy.database(), copy.last_night()),
            (std::map<std::string, Change>{{cause("x"), by("box::open", {"box::wait", "box::see"})},
                                           {cause("y"), {ChangeOutcome::was_before}}}));
}

TEST_F(Changes, AreOnThePageAndInTheJson) {
  merge({"x", "y"});
  const Night night = note(
      {{"x", by("box::open<A>", {"box::wait", "box::see"})}, {"y", {ChangeOutcome::was_before}}});
  const std::string page = reports::night_page(night, {});
  EXPECT_THAT(page, HasSubstr("since the previous night, box::open&lt;A&gt; behaves differently, "
                              "at targets/box/box.cpp:12, "
                              "perhaps because of the result of box::wait or of box::see"));
  EXPECT_THAT(page, HasSubstr("older than the previous night, whose program shows it, too"));
  const json told = json::parse(reports::night_json(night));
  EXPECT_EQ(told["findings"][0]["change"], (json{{"outcome", "named"},
                                                 {"function", "box::open<A>"},
                                                 {"file", "targets/box/box.cpp"},
                                                 {"line", 12},
                                                 {"upon", {"box::wait", "box::see"}}}));
  EXPECT_EQ(told["findings"][1]["change"]["outcome"], "was before");
}

// ---- the command -------------------------------------------------------------------------------

/// A toy night whose two programs are scripts: whatever they replay, they leave a flow.
class CliNightlyDiverge : public ::testing::Test {
 protected:
  /// Two points follow on open(), once it has called peek(); the run continues at one of them.
  static Flow flow(bool is_bad) {
    const auto place = [](std::int64_t line) {
      return CodePlace{"box::open", "targets/box/box.cpp", line, line - 20, 3};
    };
    const CodePlace run{"box::run", "targets/box/box.cpp", 10, 2, 3};
    const CodePlace peek{"box::peek", "targets/box/box.cpp", 30, 0, 3};
    return {{{run, true, {}},
             {place(20), true, run},
             {peek, true, place(21)},
             {place(22), false, {}},
             {place(25), false, {}}},
            {0, 1, 2, is_bad ? 4u : 3u}};
  }
  std::string program(const std::string& name, bool is_bad, const std::string& faults) const {
    const std::string file = folder_ / name;
    write_file(file, "#!/bin/sh\ncat > \"$4\" << 'END'\n" + to_text(flow(is_bad)) +
                         "END\necho '{\"faults\": [" + faults + "]}'\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  /// Returns the findings of a night that a reproducer shows.
  json findings_of(const Ended& night) const {
    EXPECT_EQ(night.code, 1) << night.err;
    const json told = json::parse(night.out);
    json shown = json::array();
    for (const json& finding : told["findings"])
      if (finding["kind"] == "fault") shown.push_back(finding);
    return shown;
  }
  Ended night(std::vector<std::string> more) const {
    more.insert(more.begin(), {"nightly", "--only", "toy", "--runs", "2000", "--json", "--history",
                               folder_ / "history"});
    return run_toys(more);
  }

  static constexpr const char* kShown = R"({"signature": "x"})";
  Folder folder_;
};

TEST_F(CliNightlyDiverge, AFindingIsNamedByItsFunctionAndThoseOfOneAreOne) {
  const json found = findings_of(night({"--good-program", program("good", false, ""),
                                        "--bad-program", program("bad", true, kShown)}));
  ASSERT_THAT(found, SizeIs(1)) << "whatever shows, the scripts differ in one function";
  EXPECT_EQ(found[0]["change"]["function"], "box::open");
  EXPECT_EQ(found[0]["change"]["line"], 25);
  EXPECT_EQ(found[0]["change"]["upon"], json::array({"box::peek"}));
  EXPECT_GT(found[0]["symptoms"].size(), 1u);
}

TEST_F(CliNightlyDiverge, OneThatTheGoodProgramShowsWasThereBefore) {
  const std::string good = program("good", false, kShown);
  const json found = findings_of(night({"--good-program", good, "--bad-program", good}));
  ASSERT_GT(found.size(), 1u);
  for (const json& finding : found) EXPECT_EQ(finding["change"]["outcome"], "was before");
}

TEST_F(CliNightlyDiverge, ANightIsComparedOnce) {
  const std::string history = folder_ / "history";
  const std::string good = program("good", false, ""), bad = program("bad", true, kShown);
  run_toys({"nightly", "plan", "1", "--only", "toy", "--runs", "2000", "--history", history});
  run_toys({"nightly", "shard", "1", "--history", history});
  const auto merge = [&](const std::string& one) {
    return run_toys({"nightly", "merge", "--json", "--history", history, "--good-program", one,
                     "--bad-program", bad});
  };
  const json found = findings_of(merge(bad));
  ASSERT_GT(found.size(), 1u);
  EXPECT_EQ(found[0]["change"]["outcome"], "was before");
  EXPECT_EQ(findings_of(merge(good)), found);
}

TEST_F(CliNightlyDiverge, SaysWhyNothingWasCompared) {
  const Ended ended = night({"--diverge"});
  EXPECT_THAT(ended.err, HasSubstr("this night searched no commit; name it with --revision"));
  const json found = findings_of(ended);
  ASSERT_THAT(found, Not(IsEmpty()));
  EXPECT_TRUE(found[0]["change"].is_null());
  EXPECT_THAT(night({"--diverge", "--revision", "abc"}).err, IsEmpty()) << "nothing is new";
}

TEST_F(CliNightlyDiverge, AProgramThatFailsIsToldOnce) {
  const std::string bad = program("bad", true, "");
  const Ended ended = night({"--good-program", bad, "--bad-program", bad});
  EXPECT_THAT(ended.err, HasSubstr("afterlife: --diverge: "));
  EXPECT_THAT(ended.err, HasSubstr("does not show the fault"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_EQ(findings_of(ended)[0]["change"]["outcome"], "unclear");
  EXPECT_EQ(night({"--good-program", bad}).code, 3) << "one of two programs";
}

TEST_F(CliNightlyDiverge, ItsLastLineIsHandedOnWhole) {
  const std::string bad = program("bad", true, "");
  write_file(bad, "#!/bin/sh\necho building >&2\necho 'afterlife: no edges' >&2\nexit 2\n");
  EXPECT_EQ(night({"--good-program", bad, "--bad-program", bad}).err,
            "afterlife: --diverge: " + bad + ": cannot replay it: afterlife: no edges\n");
}

}  // namespace
}  // namespace harness
