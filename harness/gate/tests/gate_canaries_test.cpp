// SPDX-License-Identifier: Apache-2.0
// The test of the gate itself: error rates from a record, and detection of broken gates. The
// records are of simulated machines; a real one is results/gate/canaries.txt.xz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/tests/child.h"
#include "harness/base/tests/folder.h"
#include "harness/gate/canaries.h"
#include "harness/gate/tests/gate_machine.h"
#include "harness/gate/views/canary_page.h"

namespace harness {
namespace {

using gate::Canary;
using gate::CanaryRecord;
using gate::CanaryRound;
using gate::CanaryRow;
using gate::Health;
using gate::Planted;
using gate::Rate;
using ::testing::HasSubstr;
using testing::Noise;

constexpr Noise kQuiet{.name = "quiet"};

/// A machine on which the four sides of a record are measured, slower by so much each.
class Recorder : public testing::Machine {
 public:
  Recorder(const Noise& noise, std::uint64_t seed) : Machine(noise, 4, 0, seed) {}

  CanaryRound round(double same, double one, double three) {
    return {process(0), process(std::log1p(same)), process(std::log1p(one)),
            process(std::log1p(three))};
  }
};

/// This many rounds, in which "the same" is slower by `same`, and the 3 % canary by `three`.
CanaryRecord recorded(std::size_t rounds, const Noise& noise = kQuiet, double same = 0,
                      double three = 0.03) {
  Recorder machine(noise, 7);
  CanaryRecord record;
  for (std::size_t i = 0; i < rounds; ++i)
    record[noise.name].push_back(machine.round(same, 0.01, three));
  return record;
}

CanaryRow row_of(const CanaryRecord& record, Canary canary, Planted planted = Planted::nothing) {
  for (const CanaryRow& row : judge_canaries(record, planted))
    if (row.canary == canary) return row;
  return {};
}

TEST(GateRate, HasTheWilsonInterval) {
  const Rate few{1, 300}, all{100, 100}, none{0, 300}, nothing;
  EXPECT_NEAR(few.low(), 0.000589, 1e-5);
  EXPECT_NEAR(few.high(), 0.018637, 1e-5);
  EXPECT_NEAR(all.low(), 0.963006, 1e-5);
  EXPECT_EQ(all.high(), 1);
  EXPECT_EQ(none.low(), 0);
  EXPECT_NEAR(none.high(), 0.012643, 1e-5);
  EXPECT_EQ(nothing.low(), 0);
  EXPECT_EQ(nothing.high(), 1);
}

// The value follows from ranks by hand: U is 18, and of 20 samples six pairs are equal.
TEST(GateRate, HasTheMannWhitneyTest) {
  const std::vector<double> low{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> high{5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  EXPECT_NEAR(gate::mann_whitney(low, high), 0.017007, 1e-5);
  EXPECT_NEAR(gate::mann_whitney(high, low), 0.017007, 1e-5);
  EXPECT_EQ(gate::mann_whitney(low, low), 1);
  EXPECT_EQ(gate::mann_whitney(std::vector<double>(9, 1), std::vector<double>(9, 1)), 1);
}

TEST(GateCanaries, ASoundGatePasses) {
  const CanaryRecord record = recorded(1160);
  for (const CanaryRow& row : judge_canaries(record, Planted::nothing)) {
    EXPECT_NE(row.health, Health::red) << name_of(row.canary);
    EXPECT_GE(row.trials, 10U) << name_of(row.canary);
    if (is_false_alarm(row.canary)) EXPECT_EQ(row.found.count, 0U);
  }
  EXPECT_EQ(row_of(record, Canary::slower_by_3).health, Health::shown);
  EXPECT_EQ(row_of(record, Canary::slower_by_1).health, Health::reported);
}

// Each trial uses the rounds after those of the previous one. None is begun without enough rounds.
TEST(GateCanaries, NoRoundIsUsedTwice) {
  const std::size_t most = gate::Rule().most_rounds();
  EXPECT_EQ(row_of(recorded(most - 1), Canary::unchanged).trials, 0U);
  EXPECT_EQ(row_of(recorded(most), Canary::unchanged).trials, 1U);
  EXPECT_EQ(row_of(recorded(most + 19), Canary::unchanged).trials, 1U);
  EXPECT_EQ(row_of(recorded(most + 20), Canary::unchanged).trials, 2U);
  EXPECT_EQ(row_of(recorded(most + 39), Canary::slower_by_3).trials, 1U) << "each is confirmed";
  EXPECT_EQ(row_of(recorded(most + 40), Canary::slower_by_3).trials, 2U);
}

TEST(GateCanaries, FewSamplesNeitherFailNorPass) {
  const CanaryRecord record = recorded(gate::Rule().most_rounds());
  for (const CanaryRow& row : judge_canaries(record, Planted::nothing))
    if (row.canary != Canary::slower_by_1)
      EXPECT_EQ(row.health, Health::too_few) << name_of(row.canary);
  for (const CanaryRow& row : judge_canaries({{"quiet", {}}}, Planted::nothing))
    EXPECT_NE(row.health, Health::red);
}

TEST(GateCanaries, FalseAlarmsAndMissesFail) {
  EXPECT_EQ(row_of(recorded(560, kQuiet, 0.03), Canary::unchanged).health, Health::red);
  EXPECT_EQ(row_of(recorded(560, kQuiet, 0, 0.001), Canary::slower_by_3).health, Health::red);
}

TEST(GateCanaries, RankTestsReportNoiseAsSlowerAndTheGateDoesNot) {
  const CanaryRow row = row_of(recorded(1160), Canary::unchanged);
  EXPECT_GT(row.mann_whitney.count, 0U);
  EXPECT_EQ(row.found.count, 0U);
}

TEST(GateCanaries, EveryBrokenGateIsDetected) {
  for (const gate::PlantedRow& row : plant_in_gate(recorded(760))) {
    EXPECT_TRUE(row.is_seen) << name_of(row.planted);
    EXPECT_TRUE(row.had_enough) << name_of(row.planted);
  }
  for (const gate::PlantedRow& row : plant_in_gate(recorded(20))) {
    EXPECT_FALSE(row.is_seen) << name_of(row.planted);
    EXPECT_FALSE(row.had_enough) << name_of(row.planted);
  }
}

/// Which canaries are red of a gate that is broken in this way.
std::vector<Canary> red_of(Planted planted) {
  std::vector<Canary> red;
  for (const CanaryRow& row : judge_canaries(recorded(760), planted))
    if (row.health == Health::red) red.push_back(row.canary);
  return red;
}

TEST(GateCanaries, EachCanaryDetectsItsKindOfBrokenGate) {
  using ::testing::Contains;
  using ::testing::ElementsAre;
  EXPECT_THAT(red_of(Planted::threshold), Contains(Canary::unchanged));
  EXPECT_THAT(red_of(Planted::confirmation), ElementsAre(Canary::passing));
  EXPECT_THAT(red_of(Planted::pairing), ElementsAre(Canary::disturbed));
}

// A record in which 160 rounds decide what 80 leave wide open: on two sides that each jump for 80
// rounds, and then for none.
TEST(GateCanaries, AVerdictLostByGivingUpIsCountedAndFails) {
  CanaryRecord record;
  Recorder wild({.name = "wild", .jitter = 1}, 7), quiet(kQuiet, 8);
  for (std::size_t i = 0; i < 320 * 12; ++i)
    record["wild"].push_back((i % 160 < 80 ? wild : quiet).round(0, 0.01, 0.03));
  const reports::CanaryReport report{judge_canaries(record, Planted::nothing), {}};
  EXPECT_GT(report.curtailing().lost.count, 0U);
  EXPECT_TRUE(report.is_red());
  const reports::CanaryReport sound{judge_canaries(recorded(760), Planted::nothing), {}};
  EXPECT_EQ(sound.curtailing().lost.count, 0U);
  EXPECT_GT(sound.curtailing().lost.total, 100U);
  EXPECT_FALSE(sound.is_red());
}

TEST(GateCanaries, RoundsSavedByGivingUpAreCounted) {
  const CanaryRecord record = recorded(640, {.name = "wild", .jitter = 1});
  const CanaryRow row = row_of(record, Canary::unchanged);
  EXPECT_GT(row.curtailing.saved.count, 80U);
  EXPECT_GT(row.curtailing.saved.total, row.curtailing.saved.count);
  EXPECT_EQ(row.curtailing.lost.count, 0U);
}

// ---- the page ----

/// The page of a record of this many rounds, in which "the same" is slower by `same`.
std::string page_of(std::size_t rounds, double same = 0, double three = 0.03) {
  const CanaryRecord record = recorded(rounds, kQuiet, same, three);
  return reports::canary_page({judge_canaries(record, Planted::nothing), plant_in_gate(record)});
}

TEST(GateCanaryPage, FailsIfAnIntervalIsOutside) {
  EXPECT_THAT(page_of(560, 0.03), HasSubstr("<span class=\"badge bad\">red</span>"));
  const std::string missed = page_of(560, 0, 0.001);
  EXPECT_THAT(missed, HasSubstr("<span class=\"badge bad\">red</span>"));
  EXPECT_THAT(missed, HasSubstr("<td class=\"open\">red</td>"));
}

TEST(GateCanaryPage, ReportsTooFewSamplesFirst) {
  const std::string page = page_of(340);
  EXPECT_THAT(page, HasSubstr("<span class=\"badge good\">too few samples</span>"));
  EXPECT_THAT(page, HasSubstr("<td>quiet</td><td>unchanged</td><td>false alarm</td><td>0 of 2</td>"
                              "<td>0.0 to 65.8 %</td>"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("<script")));
}

TEST(GateCanaryPage, PassesIfEveryIntervalIsWithin) {
  reports::CanaryReport report;
  report.rows.push_back({"quiet", Canary::unchanged, 300, {0, 300}, {}, {}, Health::too_few});
  report.rows[0].health = gate::health_of(report.rows[0].found, true);
  report.searches.push_back({"half_wasted", false, false, 3, {100, 100}, Health::too_few});
  EXPECT_THAT(reports::canary_page(report), HasSubstr("badge good\">too few samples<"));
  report.searches[0].health = gate::health_of(report.searches[0].red, false);
  EXPECT_THAT(reports::canary_page(report), HasSubstr("badge good\">shown<"));
  report.searches[0].red = {80, 100};
  report.searches[0].health = gate::health_of(report.searches[0].red, false);
  EXPECT_THAT(reports::canary_page(report), HasSubstr("badge bad\">red<"));
}

// A gate whose defect no canary shows is as bad as one that is wrong.
TEST(GateCanaryPage, FailsIfABrokenGateIsNotDetected) {
  reports::CanaryReport report;
  report.plants.push_back({Planted::pairing, false, true});
  EXPECT_THAT(reports::canary_page(report), HasSubstr("badge bad\">red<"));
  EXPECT_THAT(reports::canary_page(report),
              HasSubstr("broken pairing: not seen: this self-test shows nothing"));
}

// ---- the record ----

/// A record in a separate file.
class RecordFile {
 public:
  explicit RecordFile(const std::string& text) { write_file(name_, text); }
  const std::string& name() const { return name_; }

 private:
  Folder folder_;
  std::string name_ = folder_ / "canaries.txt";
};

std::string refusal_of(const std::string& text) {
  try {
    gate::read_canaries(RecordFile(text).name());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(GateCanaries, ARecordIsReadInItsOrder) {
  const RecordFile file(
      "afterlife_canaries 1\na b\nquiet 0123 1 2 3 4 5 6 7 8\nhogs 3210 9 9 9 9 9 9 9 9\n"
      "quiet 0123 2 2 2 2 2 2 2 2\nquiet 01");
  const CanaryRecord record = gate::read_canaries(file.name());
  ASSERT_EQ(record.size(), 2U);
  ASSERT_EQ(record.at("quiet").size(), 2U);
  EXPECT_EQ(record.at("quiet")[0].base, (gate::Reading{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(record.at("quiet")[0].slower_by_3, (gate::Reading{{"a", 7}, {"b", 8}}));
  EXPECT_EQ(record.at("hogs").size(), 1U);
}

TEST(GateCanaries, AMalformedRecordIsRefusedByLine) {
  const std::string head = "afterlife_canaries 1\na b\n";
  EXPECT_THAT(refusal_of(""), HasSubstr("contains no record"));
  EXPECT_THAT(refusal_of("afterlife_canaries 2\n"), HasSubstr("line 1 is not the first"));
  EXPECT_THAT(refusal_of("afterlife_canaries 1\n\n"), HasSubstr("line 2 names no benchmark"));
  for (const char* round : {"quiet 0123 1 2 3 4 5 6 7\n", "quiet 0123 1 2 3 4 5 6 7 0\n",
                            "quiet 0123 1 2 3 4 5 6 7 -1\n", "quiet 0123 1 2 3 4 5 6 7 nan\n",
                            "quiet 0123 1 2 3 4 5 6 7 x\n", "\n", "quiet\n"})
    EXPECT_THAT(refusal_of(head + round), HasSubstr("line 3 is not a round")) << round;
  EXPECT_EQ(refusal_of(head), "");
}

TEST(CliGateCanaries, ReportRatesAndEndWithOneOnFailure) {
  std::string text = "afterlife_canaries 1\na\n";
  for (int i = 0; i < 360; ++i) text += "quiet 0123 1000 1000 1010 1030\n";
  const Ended sound = run_child("afterlife", {"gate", "--canaries", RecordFile(text).name()});
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("a gate with a broken confirmation: red, as it must be"));
  std::string wrong = "afterlife_canaries 1\na\n";
  for (int i = 0; i < 360; ++i) wrong += "quiet 0123 1000 1030 1010 1030\n";
  const Ended red =
      run_child("afterlife", {"gate", "--json", "--canaries", RecordFile(wrong).name()});
  EXPECT_EQ(red.code, 1);
  EXPECT_THAT(red.out, HasSubstr("\"is_red\": true"));
  EXPECT_EQ(run_child("afterlife", {"gate", "--canaries", "/nosuch"}).code, 2);
  EXPECT_EQ(run_child("afterlife", {"gate", "--canaries", "x", "--recompute", "x"}).code, 3);
}

}  // namespace
}  // namespace harness
