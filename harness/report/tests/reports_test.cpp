// SPDX-License-Identifier: Apache-2.0
// Reports for people: they are aligned, fit the width, and use colour only if requested.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/json.h"
#include "harness/report/matrix.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Terminal kFile{};
constexpr Terminal kScreen{true, true};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    lines.push_back(text.substr(start, end - start));
  return lines;
}

TEST(Reports, DigitsAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(1234567), "1 234 567");
}

TEST(Reports, WidthCountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("a\u00d7b"), 3U);
  EXPECT_EQ(display_width(kScreen.paint(Colour::red, "abc")), 3U);
  EXPECT_EQ(cut("a\u00d7bcdef", 5), "a\u00d7...");
  EXPECT_EQ(cut("abc", 3), "abc");
}

TEST(Reports, TextIsBrokenAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("unbreakable", 4, 0), "unbreakable");
}

TEST(Reports, ColoursAreOnlyForTerminals) {
  EXPECT_EQ(kFile.paint(Colour::red, "x"), "x");
  EXPECT_NE(kScreen.paint(Colour::red, "x"), "x");
}

TEST(Reports, ATableLinesUpAndKeepsToItsWidth) {
  Table table({{"name"}, {"count", Align::right}, {"words", Align::left, true}});
  table.add({{"a"}, {"1"}, {std::string(300, 'x')}});
  table.add({{"long name"}, {"12345"}, {"some words that go on and on " + std::string(90, 'y')}});
  for (const Terminal& terminal : {kFile, kScreen})
    for (const std::string& line : lines_of(table.to_string(terminal)))
      EXPECT_LE(display_width(line), kWidth) << line;
  const auto lines = lines_of(table.to_string(kFile));
  const auto row = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("12345") != std::string::npos;
  });
  ASSERT_NE(row, lines.end());
  EXPECT_EQ(lines[0].find("count"), row->find("12345")) << *row;
}

Findings findings(Verdict verdict) {
  Findings found;
  VariantRow row;
  row.path = "path";
  row.variant = "own";
  row.claim = {ClaimKind::sound, {}};
  row.verdict = verdict;
  row.runs = 5000;
  row.seconds = 2.5;
  found.variants.push_back(row);
  found.windows.push_back({"path", "dropped", "somewhere", 1000, 0, 30});
  found.windows.push_back({"path", "replaced", "elsewhere", 999, 0, 30});
  found.ops.push_back({"path", "launch", 12});
  return found;
}

TEST(Reports, ARefutedClaimIsDescribed) {
  EXPECT_THAT(summary(findings(Verdict::held), kFile), HasSubstr("Not as expected: none"));
  EXPECT_THAT(summary(findings(Verdict::refuted), kFile),
              HasSubstr("path/own claims sound: refuted"));
  EXPECT_THAT(matrix(findings(Verdict::held), kFile), Not(HasSubstr("NO")));
  EXPECT_THAT(matrix(findings(Verdict::refuted), kFile), HasSubstr("NO"));
}

TEST(Reports, AnUnclaimedHazardIsNamed) {
  Findings found = findings(Verdict::caught);
  found.variants[0].claim.kind = ClaimKind::unsound;
  EXPECT_THAT(matrix(found, kFile), HasSubstr("yes"));
  found.variants[0].unclaimed = {"dropped", "replaced"};
  EXPECT_THAT(matrix(found, kFile), HasSubstr("NO"));
  EXPECT_THAT(summary(found, kFile),
              HasSubstr("path/own claims unsound: caught, also dropped, replaced"));
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

TEST(Reports, AnUnexplainedFaultIsReportedOnce) {
  Findings found = findings(Verdict::caught);
  found.variants[0].claim.kind = ClaimKind::unsound;
  found.variants[0].unexplained_kinds = {"data_race"};
  found.variants[0].findings = {{"data_race slot used:set", "data_race", 1, true, "f"}};
  found.variants.push_back(found.variants[0]);
  found.variants[1].variant = "other";
  EXPECT_THAT(matrix(found, kFile), Not(HasSubstr("NO")));
  const std::string text = summary(found, kFile);
  EXPECT_THAT(text, HasSubstr("As expected: 2 of 2 deliberately broken variants"));
  EXPECT_THAT(text,
              HasSubstr("path: faults of kind data_race that no window explains, in own, other: "
                        "data_race slot used:set"));
  EXPECT_EQ(occurrences(text, "no window explains"), 1U) << text;
  EXPECT_THAT(text, Not(HasSubstr("also order")));
  EXPECT_TRUE(found.variants[0].is_refuted()) << "the exit code is that of a claim that failed";
}

TEST(Reports, ASoundClaimIsRefutedByAnUnexplainedFault) {
  Findings found = findings(Verdict::refuted);
  found.variants[0].unexplained_kinds = {"data_race"};
  EXPECT_THAT(matrix(found, kFile), HasSubstr("NO"));
  EXPECT_THAT(summary(found, kFile),
              HasSubstr("path/own claims sound: refuted, by data_race, which no window explains"));
}

TEST(Reports, TooFewRunsShowsHowManyAreNeeded) {
  Findings found = findings(Verdict::too_few_runs);
  found.variants[0].least_runs = 12;
  EXPECT_THAT(matrix(found, kFile), HasSubstr("too few runs"));
  EXPECT_THAT(summary(found, kFile),
              HasSubstr("18 more in the configuration with the fewest (12 of 30)"));
  const auto row = nlohmann::json::parse(to_json(found))["results"][0];
  EXPECT_EQ(row["least_runs"], 12);
  EXPECT_EQ(row["runs_needed"], 18);
}

TEST(Reports, SignaturesBeyondTheLimitAreReported) {
  Findings found = findings(Verdict::refuted);
  found.variants[0].findings = {{"a", "dropped", 1, true, "f"},
                                {"a", "replaced", 1, false, "g"},
                                {"b", "dropped", 1, true, ""}};
  EXPECT_THAT(matrix(found, kFile), Not(HasSubstr("2+")));
  EXPECT_THAT(summary(found, kFile),
              HasSubstr("3 findings, one per signature and window; 2 minimized"));
  found.variants[0].further_signatures = 7;
  EXPECT_THAT(matrix(found, kFile), HasSubstr("2+"));
  EXPECT_THAT(summary(found, kFile), HasSubstr("7 runs with further findings"));
  const auto row = nlohmann::json::parse(to_json(found))["results"][0];
  EXPECT_EQ(row["further_signatures"], 7);
  EXPECT_EQ(row["signatures"], (nlohmann::json{"a", "b"}));
  EXPECT_EQ(row["reproducers"], (nlohmann::json{"f"}));
  EXPECT_EQ(row["findings"].size(), 3U);
}

TEST(Reports, AnInterruptedMinimizationIsReported) {
  Findings found = findings(Verdict::caught);
  found.variants[0].findings = {{"a", "dropped", 1, true, "f"}, {"b", "dropped", 1, false, "g"}};
  EXPECT_THAT(summary(found, kFile), Not(HasSubstr("the time ended")));
  found.variants[0].cut_short = true;
  EXPECT_THAT(summary(found, kFile), HasSubstr("1 minimized; the time ended before all were\n"));
  EXPECT_EQ(nlohmann::json::parse(to_json(found))["results"][0]["cut_short"], true);
}

TEST(Reports, AWindowReachedOftenWithoutAFaultIsProtected) {
  const Findings found = findings(Verdict::held);
  EXPECT_TRUE(found.windows[0].is_protected());
  EXPECT_FALSE(found.windows[1].is_protected()) << "too seldom";
  EXPECT_FALSE((WindowRow{"path", "closed", "", 5000, 1, 30}).is_protected()) << "caught";
  EXPECT_FALSE((WindowRow{"path", "moved", "", 5000, 0, 29}).is_protected())
      << "a config was left out";
}

WindowCell cell(const char* window, Standing standing, Arrivals arrivals) {
  return {window, "", false, false, arrivals, standing, ""};
}

TEST(Reports, TheCrossTableHasAColumnPerVariantAndARowPerWindow) {
  Findings found = findings(Verdict::held);
  found.variants[0].windows = {
      cell("dropped", Standing::closed, {.reached = 1200}),
      cell("replaced", Standing::open, {.reached = 30, .caught = 3, .first = 3})};
  found.variants.push_back(found.variants[0]);
  found.variants[1].variant = "borrow";
  found.variants[1].windows[0].standing = Standing::missed;
  found.variants[1].windows[1].standing = Standing::outside;
  const std::string text = cross_tables(found, kFile);
  for (const char* words : {"closed 1 200", "open 3 of 30", "MISSED 1 200", "OUTSIDE 3 of 30"})
    EXPECT_THAT(text, HasSubstr(words));
  EXPECT_THAT(lines_of(text)[0], HasSubstr("own"));
  EXPECT_THAT(lines_of(text)[0], HasSubstr("borrow"));
  EXPECT_THAT(text, HasSubstr("(unexplained)"));
}

TEST(Reports, AWideCrossTableContinuesBelow) {
  Findings found = findings(Verdict::held);
  found.variants[0].windows = {cell("dropped", Standing::closed, {.reached = 1200})};
  for (int i = 0; i < 12; ++i) {
    found.variants.push_back(found.variants[0]);
    found.variants.back().variant = "variant_number_" + std::to_string(i);
  }
  const std::string text = cross_tables(found, kFile);
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), kWidth) << line;
  for (const VariantRow& row : found.variants) EXPECT_THAT(text, HasSubstr(row.variant));
}

TEST(Reports, ADocumentedRefusalIsReportedByItsStatus) {
  Findings found = findings(Verdict::held);
  WindowCell refused = cell("reused", Standing::refused, {.reached = 9, .refused = 9});
  refused.answer = "context_spent";
  found.variants[0].windows = {refused};
  EXPECT_THAT(cross_tables(found, kFile), HasSubstr("refused 9"));
  EXPECT_THAT(cross_tables(found, kFile), HasSubstr("path/own refuses reused with context_spent"));
}

TEST(Reports, JsonAgreesWithTheTables) {
  const auto json = nlohmann::json::parse(to_json(findings(Verdict::held)));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["results"][0]["verdict"], "held");
  EXPECT_TRUE(json["results"][0]["runs_to_first_fault"].is_null());
  EXPECT_EQ(json["windows"][0]["protected"], true);
  EXPECT_EQ(json["ops"][0]["reached"], 12);
}

}  // namespace
}  // namespace harness::reports
