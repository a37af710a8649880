// SPDX-License-Identifier: Apache-2.0
// The summary sentence of a night, and the conditions for a red night.
#include "harness/nightly/views/night_sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/process/tool.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/tests/nightly_nights.h"
#include "harness/nightly/views/night_views.h"
#include "harness/report/html.h"
#include "harness/report/markdown.h"

namespace harness {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;
using nightly::State;
using reports::sentence_of;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kMany = nightly::kRunsToCatch;

NightCell sound(const std::string& variant, std::uint64_t faulty = 0) {
  return {"toy", variant, "sound", 550'000, 0, faulty, 0, 100};
}

NightCell canary(const std::string& variant, std::uint64_t caught, std::uint64_t runs = kMany) {
  return {"toy", variant, "unsound", runs, 0, caught, caught, 100};
}

NightFinding finding(const std::string& variant, State state, const std::string& kind = "fault") {
  NightFinding finding;
  finding.cause = "0123456789abcdef";
  finding.kind = kind;
  finding.path = "toy";
  finding.variant = variant;
  finding.signature = "leak Buffer";
  finding.state = state;
  finding.file = variant + ".repro";
  finding.symptoms = {{finding.cause, kind, variant, "stale", finding.signature, finding.file, 1}};
  return finding;
}

/// A night in which two sound variants held and two canaries were caught.
Night good_night() {
  Night night;
  night.terms.number = 2;
  night.terms.shards = night.shards_here = 1;
  night.cells = {sound("keep"), sound("retain"), canary("borrow", 5), canary("drop", 9)};
  return night;
}

TEST(NightSentence, DescribesAGreenNight) {
  const Night night = good_night();
  EXPECT_EQ(sentence_of(night),
            "2 sound variants held in 1.1 million runs. All 2 canaries caught.");
  EXPECT_FALSE(night.is_red());
  EXPECT_EQ(reports::verdict_of(night), "green");
}

TEST(NightSentence, BeginsWithFailedSoundVariants) {
  Night night = good_night();
  night.commit_before = "aaaa1111";
  night.cells[1].faulty_runs = 3;
  night.findings = {finding("borrow", State::fresh), finding("retain", State::fresh),
                    finding("retain", State::fresh), finding("retain", State::known)};
  EXPECT_EQ(sentence_of(night),
            "2 new, 1 known faults in sound variants (toy/retain), since aaaa1111. 1 new in "
            "canaries. All 2 canaries caught.");
  EXPECT_TRUE(night.is_red());
  night.findings = {finding("retain", State::known)};
  EXPECT_EQ(sentence_of(night),
            "1 known fault in sound variants (toy/retain). All 2 canaries caught.");
  EXPECT_TRUE(night.is_red()) << "it fails still";
  night.findings[0].state = State::ignored;
  EXPECT_FALSE(night.is_red()) << "someone said so";
  EXPECT_THAT(sentence_of(night), HasSubstr("1 of 2 sound variants held in 550 000 runs; 1 failed "
                                            "only by ignored findings."));
}

TEST(NightSentence, ReportsAMissedCanary) {
  Night night = good_night();
  night.cells[2] = canary("borrow", 0);
  EXPECT_EQ(sentence_of(night),
            "2 sound variants held in 1.1 million runs. 1 canary missed (toy/borrow). 1 of 2 "
            "canaries caught.");
  EXPECT_TRUE(night.is_red());
  EXPECT_EQ(night.cells[2].verdict(), "missed");
}

TEST(NightSentence, ACanaryInTooFewRunsIsNotMissed) {
  Night night = good_night();
  night.cells[2] = canary("borrow", 0, kMany - 1);
  EXPECT_EQ(sentence_of(night),
            "2 sound variants held in 1.1 million runs. 1 of 2 canaries caught; 1 had fewer than "
            "6 200 runs, which is too few.");
  EXPECT_FALSE(night.is_red());
  EXPECT_EQ(night.cells[2].verdict(), "too few runs");
  night.cells[2] = canary("borrow", 0, kMany / 4);
  night.terms.budget.seconds = 300;
  EXPECT_THAT(sentence_of(night),
              HasSubstr("which is too few (a night of 20 minutes is long enough)."));
}

TEST(NightSentence, NewFindingsInCanariesAreNotRed) {
  Night night = good_night();
  night.findings = {finding("borrow", State::fresh), finding("drop", State::regressed)};
  EXPECT_EQ(sentence_of(night),
            "2 sound variants held in 1.1 million runs. 1 new, 1 regressed in canaries. All 2 "
            "canaries caught.");
  EXPECT_FALSE(night.is_red());
}

TEST(NightSentence, DescribesAFirstNight) {
  Night night = good_night();
  night.terms.number = 1;
  night.findings = {finding("borrow", State::fresh), finding("drop", State::fresh)};
  EXPECT_EQ(sentence_of(night),
            "2 sound variants held in 1.1 million runs. 2 findings in canaries, all new in a first "
            "night. All 2 canaries caught.");
  EXPECT_FALSE(night.is_red());
}

TEST(NightSentence, ReportsRecordingsThatNoLongerReplay) {
  Night lost = good_night();
  lost.cells[0].tapes = {12, 12, 11, 50};
  EXPECT_THAT(sentence_of(lost), HasSubstr("1 of 12 tapes no longer reach what they reached."));
  EXPECT_TRUE(lost.is_red());
  lost.cells[0].tapes = {12, 11, 11, 50};
  EXPECT_FALSE(lost.is_red()) << "one was not replayed, which is no loss";

  Night other = good_night();
  other.findings = {finding("borrow", State::fresh, nightly::kNondeterminism)};
  EXPECT_THAT(sentence_of(other), HasSubstr("1 finding in canaries did not replay."));
  EXPECT_TRUE(other.is_red());

  for (const auto& [absence, is_red] : {std::pair{nightly::Absence::unclear, true},
                                        {nightly::Absence::gone, false},
                                        {nightly::Absence::shown, false},
                                        {nightly::Absence::late, false}}) {
    Night night = good_night();
    night.absent = {finding("borrow", State::known)};
    night.absent[0].absent = {absence, 1, 10, 0.5};
    EXPECT_EQ(night.is_red(), is_red) << to_text(absence);
    EXPECT_EQ(sentence_of(night).find("1 recorded finding no longer replays.") != std::string::npos,
              is_red);
  }
}

TEST(NightSentence, IsTheSameInEveryReport) {
  Night night = good_night();
  night.cells[1].faulty_runs = 3;
  night.findings = {finding("retain", State::fresh)};
  const std::string sentence = sentence_of(night);
  reports::Terminal wide;
  wide.width = 1000;
  EXPECT_THAT(reports::night_table(night, "f", wide), HasSubstr("\nred: " + sentence + "\n"));
  EXPECT_THAT(reports::night_page(night, {}),
              HasSubstr("<p class=\"lead\">" + reports::shown_text(sentence).text() + "</p>"));
  EXPECT_THAT(reports::night_markdown(night, {}),
              HasSubstr("**red**: " + reports::markdown_cell(sentence) + "\n"));
  EXPECT_EQ(nlohmann::json::parse(reports::night_json(night))["sentence"], sentence);
}

// ---- the page ----

TEST(NightPage, ShowsSoundVariantsFirstAndFoldsCanaries) {
  Night night = good_night();
  std::swap(night.cells[0], night.cells[2]);
  night.cells[1].faulty_runs = 3;
  night.findings = {finding("borrow", State::known), finding("retain", State::known),
                    finding("retain", State::fresh)};
  const std::string page = reports::night_page(night, {"findings", "findings", {}, {}});
  const auto at = [&](const std::string& part) {
    EXPECT_THAT(page, HasSubstr(part));
    return page.find(part);
  };
  EXPECT_LT(at("<h2>New in sound variants</h2>"), at("<h2>Known findings in sound variants</h2>"));
  EXPECT_LT(at("<h2>Known findings in sound variants</h2>"),
            at("<h2>Known findings in canaries</h2>"));
  const std::size_t variants = at("<h2>Variants</h2>");
  EXPECT_LT(page.find("toy/<wbr>keep", variants), page.find("toy/<wbr>borrow", variants));
  EXPECT_THAT(page, HasSubstr("<summary>1 finding</summary>")) << "of canaries, folded";
  EXPECT_THAT(page, HasSubstr("afterlife replay findings/<wbr>retain.repro</code>"));
  EXPECT_THAT(page, HasSubstr("<dt>canary</dt>"));
  EXPECT_THAT(page, Not(HasSubstr("<h2>Trend</h2>")));
}

TEST(NightPage, AWindowIsRedOnlyIfASoundVariantFails) {
  Night night = good_night();
  night.cells[1].windows = {{"toy", "stale", 93, 14}};
  night.cells[2].windows = {{"toy", "stale", 80, 8}};
  const std::string page = reports::night_page(night, {});
  EXPECT_THAT(page, HasSubstr("<td class=\"number open\">14/93</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"number\">8/80</td>"));
}

TEST(NightPage, UnsortedFailuresOfCanariesAreCounted) {
  Night night = good_night();
  night.findings = {finding("borrow", State::fresh), finding("drop", State::fresh)};
  night.findings[1].root = night.findings[1].symptoms[0].cause;
  EXPECT_THAT(sentence_of(night), HasSubstr(" 1 new in canaries. "));
  const std::string page = reports::night_page(night, {});
  EXPECT_THAT(page, HasSubstr("Not sorted by repairs yet: 1 more way."));
  EXPECT_THAT(page, Not(HasSubstr("<td><code>toy/<wbr>drop</code></td><td class=\"fault\">")));
  night.cells[3].claim = "sound";
  EXPECT_THAT(sentence_of(night), HasSubstr("1 new fault in sound variants (toy/drop)"))
      << "of a sound variant it is told";
}

// ---- times ----

class NightTimes : public testing::HandMadeNights {};

TEST_F(NightTimes, ShowTheShareOfSoundVariants) {
  nightly::Plan plan = testing::hand_made_plan(1, next_number());
  nightly::ShardRecord shard = testing::hand_made_shard(plan, 1, {"a"});
  ASSERT_EQ(shard.cells.at(0).cell.variant, "retain");
  shard.cells[0].seconds = 60;
  shard.cells[0].minimize_seconds = 10;
  shard.cells[0].tape_seconds = 5;
  shard.cells[0].all_seconds = 75;
  shard.cells[1].seconds = 10;
  shard.cells[1].all_seconds = 25;
  shard.cells[1].waiting = 1;
  shard.cells[1].findings.at(0).difference = nightly::kOutOfTime;
  shard.machine = "a machine";
  const Night night = merge_night(shard);
  EXPECT_DOUBLE_EQ(night.times.sound_share(night.terms), 0.75);
  EXPECT_EQ(night.times.untried, 1u);
  EXPECT_EQ(night.times.unreplayed, 1u);
  const std::string said = reports::circumstances_of(night);
  EXPECT_THAT(said,
              HasSubstr("night 1, 2023-11-14 22:13 UTC, toy, revision abc, 1.7 minutes, "
                        "1 000 runs, seed 7, a machine. Sound variants had 75 % of the time"));
  EXPECT_THAT(said, HasSubstr("1 way to fail waits for a trial of repairs in a later night. 1 "
                              "finding not replayed in a fresh process: out of time."));
  const auto json = nlohmann::json::parse(reports::night_json(night));
  EXPECT_EQ(json["sound_share"], 0.75);
  EXPECT_EQ(json["untried_repairs"], 1);
  EXPECT_EQ(json["not_replayed"], 1);
  nightly::Terms longer = night.terms;
  longer.budget = {0, 150};
  EXPECT_DOUBLE_EQ(night.times.sound_share(longer), 0.5) << "of the time that was planned";
}

// ---- the runs after which a canary is missed ----

/// Returns how many runs the canary that is hardest to catch takes, by the searches that were
/// recorded: in each window, the run of the first fault, or "-" if the limit came first.
double runs_of_hardest_canary(const std::string& file) {
  std::istringstream in(run_tool({find_tool("xz"), "--decompress", "--stdout", file}, {}).out);
  std::string line;
  std::getline(in, line);
  std::getline(in, line);
  const double limit = std::stod(line.substr(line.find(' ')));
  std::getline(in, line);
  std::istringstream heads(line);
  std::vector<std::string> windows{std::istream_iterator<std::string>(heads), {}};
  std::vector<double> faults(windows.size()), runs(windows.size());
  while (std::getline(in, line)) {
    std::istringstream row(line);
    std::string change, seed, first;
    row >> change >> seed;
    if (change != "unchanged") continue;
    for (std::size_t i = 0; row >> first; ++i) {
      faults[i] += first != "-";
      runs[i] += first == "-" ? limit : std::stod(first);
    }
  }
  std::map<std::string, double> rates;  // By variant: of the window in which it fails most.
  for (std::size_t i = 0; i < windows.size(); ++i) {
    double& rate = rates[windows[i].substr(0, windows[i].find(':'))];
    rate = std::max(rate, faults[i] / runs[i]);
  }
  double hardest = 1;
  for (const auto& [variant, rate] : rates) hardest = std::min(hardest, rate);
  return 1 / hardest;
}

TEST(NightRule, AMissedCanaryIsUnlikelyByChance) {
  const double runs = runs_of_hardest_canary("results/gate/effectiveness.txt.xz");
  EXPECT_NEAR(runs, 444, 1);
  EXPECT_LT(std::exp(-static_cast<double>(nightly::kRunsToCatch) / runs), 1e-6);
  EXPECT_GT(std::exp(-0.9 * static_cast<double>(nightly::kRunsToCatch) / runs), 1e-6)
      << "more than that is waste";
}

}  // namespace
}  // namespace harness
