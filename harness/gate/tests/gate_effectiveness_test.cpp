// SPDX-License-Identifier: Apache-2.0
// The comparison of effectiveness: it fails for a worse program, passes an unchanged one, and
// reports what it cannot decide; and the record for its own evaluation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/base/tests/child.h"
#include "harness/gate/effectiveness.h"
#include "harness/gate/effectiveness_canaries.h"
#include "harness/gate/effectiveness_file.h"
#include "harness/gate/random.h"

namespace harness {
namespace {

using gate::EffectivenessRow;
using gate::EffectivenessRule;
using gate::Random;
using gate::SearchSample;
using gate::SideSample;
using gate::Verdict;
using ::testing::HasSubstr;

constexpr std::uint64_t kLimit = 1000;
constexpr std::size_t kVariants = 30;
constexpr double kMeans[] = {20, 300, 2500};

/// A searching program: how many times as many runs it takes to a fault in all windows and in the
/// first one of the first variant, and to minimize; and by how much what is left is larger.
struct Program {
  double slower = 1;
  double slower_in_one = 1;
  std::uint64_t minimizer_runs = 1;
  std::uint64_t size = 0;
};

std::uint64_t drawn_run(Random& random, double mean) {
  const double run = std::ceil(std::log(1 - random.uniform()) / std::log1p(-1 / mean));
  return run > kLimit ? 0 : static_cast<std::uint64_t>(std::max(run, 1.0));
}

SearchSample drawn_search(Random& random, const Program& program, bool is_first_variant,
                          bool minimizes) {
  SearchSample search;
  for (std::size_t i = 0; i < std::size(kMeans); ++i) {
    const double one = is_first_variant && i == 0 ? program.slower_in_one : 1;
    gate::FirstFault& first = search.windows["window_" + std::to_string(i)];
    first.run = drawn_run(random, kMeans[i] * program.slower * one);
    if (minimizes && first.run > 0)
      first.minimized = {(100 + random.next() % 100) * program.minimizer_runs,
                         3 + i + random.next() % 2 + program.size};
  }
  return search;
}

SideSample drawn_side(const Program& program, std::uint64_t first, std::size_t searches) {
  Random random(first * 1000 + searches);
  SideSample side{"random_walk", first, kLimit, {}};
  for (std::size_t variant = 0; variant < kVariants; ++variant)
    for (std::size_t i = 0; i < searches; ++i)
      side.variants["path/variant_" + std::to_string(variant)].push_back(
          drawn_search(random, program, variant == 0, i == 0));
  return side;
}

/// Returns the verdict of a row, by its name.
std::map<std::string, Verdict> verdicts(const SideSample& base, const SideSample& head,
                                        const EffectivenessRule& rule = {}) {
  std::map<std::string, Verdict> found;
  for (const EffectivenessRow& row : compare(base, head, rule)) found[row.name] = row.verdict;
  return found;
}

using Verdicts = std::map<std::string, Verdict>;

const Verdicts kPassed{{"runs to the first fault", Verdict::pass},
                       {"minimizer runs", Verdict::pass},
                       {"reproducer size", Verdict::pass}};

TEST(GateEffectiveness, AnUnchangedProgramPassesWithOtherSeeds) {
  EXPECT_EQ(verdicts(drawn_side({}, 1, 4), drawn_side({}, 5, 4)), kPassed);
}

TEST(GateEffectiveness, EachWorseMeasureFailsByItself) {
  const SideSample base = drawn_side({}, 1, 4);
  const auto with = [](const char* name) {
    Verdicts all = kPassed;
    all[name] = Verdict::slower;
    return all;
  };
  EXPECT_EQ(verdicts(base, drawn_side({.slower = 2}, 5, 4)), with("runs to the first fault"));
  EXPECT_EQ(verdicts(base, drawn_side({.minimizer_runs = 2}, 5, 4)), with("minimizer runs"));
  EXPECT_EQ(verdicts(base, drawn_side({.size = 2}, 5, 4)), with("reproducer size"));
}

TEST(GateEffectiveness, AnImprovementDoesNotFail) {
  const Verdicts found = verdicts(drawn_side({.slower = 2}, 1, 4), drawn_side({}, 5, 4));
  EXPECT_EQ(found.at("runs to the first fault"), Verdict::faster);
}

TEST(GateEffectiveness, OneWorseWindowAmongAllFails) {
  const EffectivenessRule rule{.factor = 4, .each_window = true};
  const Verdicts found =
      verdicts(drawn_side({}, 1, 60), drawn_side({.slower_in_one = 4}, 61, 60), rule);
  EXPECT_EQ(found.size(), kVariants * std::size(kMeans));
  for (const auto& [name, verdict] : found)
    if (name == "path/variant_0 window_0")
      EXPECT_EQ(verdict, Verdict::slower);
    else
      EXPECT_NE(verdict, Verdict::slower) << name;
}

TEST(GateEffectiveness, TooFewSearchesAreUndecidedAndTheNumberNeededIsShown) {
  const auto row_of = [](std::size_t searches) {
    SideSample base = drawn_side({}, 1, searches), head = drawn_side({}, 1 + searches, searches);
    for (SideSample* side : {&base, &head})  // Two variants are left.
      std::erase_if(side->variants, [](const auto& one) { return one.first > "path/variant_10"; });
    return compare(base, head, {}).front();
  };
  const EffectivenessRow few = row_of(4);
  EXPECT_EQ(few.verdict, Verdict::undecided);
  EXPECT_GT(few.wanted_searches, 4U);
  const EffectivenessRow enough = row_of(few.wanted_searches * 2);
  EXPECT_EQ(enough.verdict, Verdict::pass);
  EXPECT_NEAR(static_cast<double>(enough.wanted_searches), static_cast<double>(few.wanted_searches),
              0.5 * static_cast<double>(few.wanted_searches));
}

TEST(GateEffectiveness, RemovedAndNewVariantsAreReported) {
  SideSample base = drawn_side({}, 1, 4), head = drawn_side({}, 5, 4);
  head.variants.erase("path/variant_3");
  head.variants["path/other"] = base.variants.at("path/variant_0");
  for (SearchSample& search : head.variants.at("path/variant_4")) search.windows.erase("window_1");
  const Verdicts found = verdicts(base, head);
  EXPECT_EQ(found.at("path/variant_3"), Verdict::gone);
  EXPECT_EQ(found.at("path/other"), Verdict::added);
  EXPECT_EQ(found.at("path/variant_4 window_1"), Verdict::gone);
}

TEST(GateEffectiveness, AHeadThatMinimizesNothingIsNoPass) {
  SideSample head = drawn_side({}, 5, 4);
  for (auto& [variant, searches] : head.variants)
    for (SearchSample& search : searches)
      for (auto& [window, first] : search.windows) first.minimized.reset();
  EXPECT_EQ(verdicts(drawn_side({}, 1, 4), head).at("reproducer size"), Verdict::gone);
}

TEST(GateEffectiveness, SidesThatShareSeedsAreRefused) {
  EXPECT_THROW(compare(drawn_side({}, 1, 4), drawn_side({}, 4, 4), {}), std::runtime_error);
  EXPECT_THROW(compare(drawn_side({}, 4, 4), drawn_side({}, 1, 4), {}), std::runtime_error);
  SideSample other = drawn_side({}, 5, 4);
  other.limit = 999;
  EXPECT_THROW(compare(drawn_side({}, 1, 4), other, {}), std::runtime_error);
}

// ---- files ----

/// Returns what reading a file with this text is refused with.
template <class Read>
std::string refusal(const Read& read, const std::string& text) {
  const Folder folder;
  write_file(folder / "file", text);
  try {
    read(folder / "file");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(GateEffectivenessFile, IsReadAsItWasWritten) {
  const Folder folder;
  const SideSample side = drawn_side({}, 7, 2);
  write_file(folder / "side.json", to_json(side));
  EXPECT_EQ(gate::read_side(folder / "side.json"), side);
}

TEST(GateEffectivenessFile, AMalformedFileIsRefused) {
  const auto refused = [](const std::string& text) { return refusal(gate::read_side, text); };
  const std::string text = to_json(drawn_side({}, 7, 2));
  EXPECT_EQ(refused(text), "");
  for (const std::string& wrong : {std::string(), std::string("[]"), std::string("{}"),
                                   text.substr(0, text.size() / 2), "{\"schema\": 2}" + text})
    EXPECT_THAT(refused(wrong), HasSubstr("is not a sample of searches")) << wrong.substr(0, 40);
  SideSample late = drawn_side({}, 7, 2);
  late.variants.begin()->second[0].windows.begin()->second.run = kLimit + 1;
  EXPECT_THAT(refused(to_json(late)), HasSubstr("after its limit"));
  SideSample uneven = drawn_side({}, 7, 2);
  uneven.variants.begin()->second[1].windows.erase("window_1");
  EXPECT_THAT(refused(to_json(uneven)), HasSubstr("different windows"));
}

/// Returns the lines of a record: of one program, from this number on.
std::string record_lines(const std::string& name, const Program& program, std::uint64_t first,
                         std::size_t count) {
  std::string lines;
  const SideSample side = drawn_side(program, first, count);
  for (std::size_t i = 0; i < count; ++i) {
    lines += name + " " + std::to_string(first + i);
    for (const auto& [variant, searches] : side.variants)
      for (const auto& [window, found] : searches[i].windows)
        lines += " " + (found.run > 0 ? std::to_string(found.run) : "-");
    lines += "\n";
  }
  return lines;
}

std::string record_head() {
  std::string head = "afterlife_effectiveness 1\nrandom_walk 1000\n";
  for (const auto& [variant, searches] : drawn_side({}, 1, 1).variants)
    for (const auto& [window, found] : searches[0].windows) head += variant + ":" + window + " ";
  return head + "\n";
}

gate::EffectivenessRecord read_record(const std::string& text) {
  const Folder folder;
  write_file(folder / "record", text);
  return gate::EffectivenessRecord(folder / "record");
}

TEST(GateEffectivenessRecord, IsReadInItsOrder) {
  const gate::EffectivenessRecord record =
      read_record(record_head() + record_lines("unchanged", {}, 1, 3) + "unchanged 4 1 2");
  ASSERT_EQ(record.of("unchanged").size(), 3U) << "the last line was cut off";
  EXPECT_EQ(record.of("half_wasted").size(), 0U);
  SideSample side = drawn_side({}, 1, 3);
  for (auto& [variant, searches] : side.variants)
    for (SearchSample& search : searches)
      for (auto& [window, first] : search.windows) first.minimized.reset();
  EXPECT_EQ(record.side("unchanged", 0, 3), side);
}

TEST(GateEffectivenessRecord, AMalformedRecordIsRefusedByLine) {
  const auto refused = [](const std::string& text) {
    return refusal([](const std::string& file) { gate::EffectivenessRecord record(file); }, text);
  };
  const std::string head = "afterlife_effectiveness 1\nrandom_walk 1000\np/v:a p/v:b\n";
  EXPECT_EQ(refused(head + "unchanged 1 5 -\nunchanged 2 6 1000\n"), "");
  EXPECT_THAT(refused("afterlife_effectiveness 2\n"), HasSubstr("line 1 is not the first"));
  EXPECT_THAT(refused("afterlife_effectiveness 1\nrandom_walk\n"), HasSubstr("line 2 names no"));
  EXPECT_THAT(refused("afterlife_effectiveness 1\na 9\nnone\n"),
              HasSubstr("line 3 names no window"));
  EXPECT_THAT(refused("afterlife_effectiveness 1\n"), HasSubstr("contains no record"));
  for (const char* line : {"unchanged 1 5\n", "unchanged 1 5 0\n", "unchanged 1 5 1001\n",
                           "unchanged 0 5 5\n", "unchanged x 5 5\n", "unchanged 1 5 5 5\n", "\n"})
    EXPECT_THAT(refused(head + line), HasSubstr("line 4 does not contain the searches")) << line;
  EXPECT_THAT(refused(head + "unchanged 1 5 5\nunchanged 3 5 5\n"), HasSubstr("line 5"));
}

// ---- canaries ----

/// A record of a program with itself, of one that is half as good, and of one whose first window is
/// found four times as late.
std::string small_record(const Program& half_wasted, const Program& one_window) {
  return record_head() + record_lines("unchanged", {}, 1, 480) +
         record_lines("half_wasted", half_wasted, 1'000'001, 240) +
         record_lines("one_window", one_window, 2'000'001, 240);
}

TEST(GateEffectivenessCanaries, ASoundComparisonPassesAndABrokenOneFails) {
  const gate::EffectivenessRecord record =
      read_record(small_record({.slower = 2}, {.slower_in_one = 4}));
  const auto sound = judge_effectiveness(record, {});
  ASSERT_EQ(sound.size(), 4U);
  EXPECT_EQ(sound[0].red.total, 80U) << "no search is used twice";
  EXPECT_EQ(sound[1].red.total, 80U);
  EXPECT_EQ(sound[2].red.total, 4U);
  EXPECT_EQ(sound[3].red.total, 4U);
  for (const gate::EffectivenessCanary& canary : sound) {
    if (canary.is_false_alarm)
      EXPECT_EQ(canary.red.count, 0U) << canary.program;
    else
      EXPECT_GE(canary.red.count * 20, canary.red.total * 19) << canary.program;
    EXPECT_NE(canary.health, gate::Health::red) << canary.program;
  }
  EXPECT_EQ(judge_effectiveness(record, {.level = 0.5})[0].health, gate::Health::red);
  EXPECT_EQ(judge_effectiveness(record, {.level = 1e-30})[1].health, gate::Health::red);
}

TEST(GateEffectivenessCanaries, UndetectedDefectsFail) {
  const auto found = judge_effectiveness(read_record(small_record({}, {})), {});
  EXPECT_EQ(found[1].health, gate::Health::red);
  EXPECT_EQ(found[3].health, gate::Health::red);
}

// ---- the command ----

Ended effectiveness(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "effectiveness");
  return run_child("afterlife", std::move(arguments));
}

TEST(CliEffectiveness, SearchesAreReproducibleByNumber) {
  const Ended first = effectiveness({"example", "--json", "--searches", "2"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, effectiveness({"example", "--json", "--searches", "2"}).out);
  const Ended other = effectiveness({"example", "--json", "--searches", "2", "--first", "3"});
  EXPECT_NE(first.out, other.out);
  const Folder folder;
  write_file(folder / "both", effectiveness({"example", "--json", "--searches", "4"}).out);
  write_file(folder / "first", first.out);
  write_file(folder / "other", other.out);
  const SideSample both = gate::read_side(folder / "both");
  const auto run_of = [](const SideSample& side, std::size_t i) {
    return side.variants.at("example/borrow").at(i).windows.at("replaced_in_flight").run;
  };
  EXPECT_GT(run_of(both, 0), 0U);
  EXPECT_EQ(run_of(both, 1), run_of(gate::read_side(folder / "first"), 1));
  EXPECT_EQ(run_of(both, 3), run_of(gate::read_side(folder / "other"), 1));
}

// A search with the reported seed finds the same.
TEST(CliEffectiveness, ReportedSeedsReproduceASearch) {
  const Folder folder;
  write_file(folder / "side", effectiveness({"example/borrow", "--json", "--searches", "1"}).out);
  const SearchSample search = gate::read_side(folder / "side").variants.at("example/borrow").at(0);
  const std::uint64_t run = search.windows.at("replaced_in_flight").run;
  ASSERT_GT(run, 0U);
  const auto finds = [&](std::uint64_t runs) {
    const Ended ended = run_child(
        "afterlife", {"fuzz", "example/borrow", "--window", "replaced_in_flight", "--first",
                      "--out", folder / "found", "--runs", std::to_string(runs), "--seed",
                      std::to_string(search.seed), "--json"});
    return ended.out.find("\"signature\"") != std::string::npos;
  };
  EXPECT_TRUE(finds(run));
  if (run > 1) EXPECT_FALSE(finds(run - 1));
}

TEST(CliEffectiveness, ComparesTwoFilesAndJudgesARecord) {
  const Folder folder;
  write_file(folder / "base", to_json(drawn_side({}, 1, 4)));
  write_file(folder / "same", to_json(drawn_side({}, 5, 4)));
  write_file(folder / "worse", to_json(drawn_side({.slower = 2}, 5, 4)));
  write_file(folder / "few", to_json(drawn_side({}, 5, 1)));
  const Ended same = effectiveness({"--compare", folder / "base", folder / "same"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr(" to see a factor of 2 with 95 %"));
  const Ended worse = effectiveness({"--compare", folder / "base", folder / "worse"});
  EXPECT_EQ(worse.code, 1) << worse.out << worse.err;
  EXPECT_THAT(worse.out, HasSubstr("worse"));
  EXPECT_EQ(effectiveness({"--compare", folder / "base", folder / "few"}).code, 5);
  const Ended windows = effectiveness({"--windows", "--compare", folder / "base", folder / "same"});
  EXPECT_EQ(windows.code, 5) << "four searches tell nothing of one window";
  const Ended shared = effectiveness({"--compare", folder / "base", folder / "base"});
  EXPECT_EQ(shared.code, 2);
  EXPECT_THAT(shared.err, HasSubstr("share the search number 1"));
  EXPECT_EQ(effectiveness({"--compare", folder / "base", folder / "nosuch"}).code, 2);
  write_file(folder / "record", small_record({.slower = 2}, {.slower_in_one = 4}));
  EXPECT_EQ(effectiveness({"--canaries", folder / "record"}).code, 0);
  write_file(folder / "record", small_record({}, {}));
  EXPECT_EQ(effectiveness({"--canaries", folder / "record", "--json"}).code, 1);
}

TEST(CliEffectiveness, WrongArgumentsAreAUsageError) {
  EXPECT_EQ(effectiveness({"example/retain"}).code, 3) << "it is sound";
  EXPECT_EQ(effectiveness({"nosuch"}).code, 3);
  EXPECT_EQ(effectiveness({"--windows"}).code, 3);
  EXPECT_EQ(effectiveness({"--compare", "one"}).code, 3);
  EXPECT_EQ(effectiveness({"example", "--compare", "a", "b"}).code, 3);
  EXPECT_EQ(effectiveness({"--searches", "0"}).code, 3);
}

}  // namespace
}  // namespace harness
