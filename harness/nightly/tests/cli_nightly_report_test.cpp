// SPDX-License-Identifier: Apache-2.0
// Reports of `afterlife nightly`: the page, and the files that other programs read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "harness/cli/tests/toys_child.h"
#include "harness/nightly/night.h"
#include "harness/nightly/tests/nightly_stage.h"
#include "harness/nightly/views/night_views.h"
#include "harness/report/html.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_toys;
namespace fs = std::filesystem;

/// A night of the toy path with all of its reports, and what it printed as JSON.
class NightlyReport : public ::testing::Test {
 protected:
  NightlyReport() {
    const Ended ended =
        run_toys({"nightly", "--runs", "3000", "--only", "toy", "--json", "--history", history(),
                  "--junit", folder_ / "night.xml", "--sarif", folder_ / "night.sarif",
                  "--markdown", folder_ / "night.md", "--metrics", folder_ / "night.prom"});
    EXPECT_EQ(ended.code, 1) << ended.err;
    found_ = json::parse(ended.out);
  }

  std::string history() const { return folder_ / "history"; }
  std::string text(const std::string& name) const { return read_file(folder_ / name); }
  const json& found() const { return found_; }

  std::size_t count(const std::string& state) const {
    return static_cast<std::size_t>(
        std::count_if(found_["findings"].begin(), found_["findings"].end(),
                      [&](const json& finding) { return finding["state"] == state; }));
  }

  std::size_t red_count() const {
    return static_cast<std::size_t>(std::count_if(found_["findings"].begin(),
                                                  found_["findings"].end(),
                                                  [](const json& one) { return one["red"]; }));
  }

  Folder folder_;
  json found_;
};

/// A name as the page shows it.
std::string name(const std::string& text) { return reports::shown_name(text).text(); }

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(NightlyReport, ThePageIsSelfContained) {
  const std::string page = text("history/page.html");
  EXPECT_THAT(page, HasSubstr("<span class=\"badge bad\">red</span>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_EQ(occurrences(page, "<td class=\"open\">new</td>"), red_count());
  EXPECT_GT(red_count(), 0u);
  EXPECT_EQ(occurrences(page, "<td>new</td>"), count("new") - red_count());
  for (const json& cell : found()["cells"])
    EXPECT_THAT(
        page, HasSubstr("<code>" + name("toy/" + cell["variant"].get<std::string>()) + "</code>"));
  for (const json& canary : found()["canaries_missed"])
    EXPECT_THAT(page, HasSubstr("<td class=\"open\"><code>" + name(canary.get<std::string>())));
  EXPECT_THAT(page, Not(HasSubstr("<h2>Nights</h2>"))) << "there is but one";
}

TEST_F(NightlyReport, ThePageLinksAPagePerNewFault) {
  const std::string page = text("history/page.html");
  static const std::regex link("href=\"([^\"]*)\"");
  std::size_t link_count = 0, fault_count = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), link), end; it != end; ++it) {
    ++link_count;
    EXPECT_THAT(text("history/" + (*it)[1].str()), HasSubstr("<!doctype html>"));
  }
  for (const json& finding : found()["findings"]) fault_count += finding["kind"] == "fault";
  EXPECT_GT(fault_count, 0u);
  EXPECT_EQ(link_count, fault_count);
}

TEST_F(NightlyReport, APageInAnotherFolderLinksThePagesOfTheFindings) {
  fs::create_directories(folder_ / "a/b");
  const Ended ended =
      run_toys({"nightly", "report", "--history", history(), "--html", folder_ / "a/b/n.html"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("a/b/n.html\n"));
  EXPECT_THAT(text("a/b/n.html"), HasSubstr("href=\"../../history/findings/"));
}

TEST_F(NightlyReport, ASecondNightHasCurvesAndKnownFindings) {
  run_toys({"nightly", "--runs", "3000", "--seed", "1", "--only", "toy", "--history", history()});
  const std::string page = text("history/page.html");
  EXPECT_THAT(page, HasSubstr("<h2>Nights</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2>Known findings in canaries</h2>"));
  EXPECT_THAT(page, Not(HasSubstr("<h2>News in")));
  const std::size_t known = found()["findings"].size();
  EXPECT_THAT(page, HasSubstr("findings in all: " + std::to_string(known)));
  EXPECT_THAT(page, HasSubstr("<title>night 1: " + std::to_string(known) + "</title>"));
  EXPECT_THAT(page, HasSubstr("new findings: 0<"));
}

TEST(NightlyReports, NameTheCommandThatFindsTheCommit) {
  const auto page_after = [](const std::string& before, const std::string& now) {
    const Folder folder;
    const std::string history = folder / "history";
    run_toys({"nightly", "--runs", "500", "--only", "toy/retain", "--revision", before, "--history",
              history});
    run_toys(
        {"nightly", "--runs", "3000", "--only", "toy", "--revision", now, "--history", history});
    return read_file(history + "/page.html");
  };
  const std::string page = page_after("0123abc", "4567def");
  EXPECT_THAT(page, HasSubstr("--good</span> 0123abc</code>"));
  EXPECT_THAT(page, HasSubstr("<code class=\"command\">scripts/bisect.py "));
  for (const char* before : {"4567def", "0123abc-dirty"})
    EXPECT_THAT(page_after(before, "4567def"), Not(HasSubstr("--good</span>"))) << before;
}

TEST_F(NightlyReport, MachineReadableReportsHaveTheSameCounts) {
  const std::string junit = text("night.xml");
  const std::size_t failures = red_count() + found()["canaries_missed"].size();
  EXPECT_EQ(occurrences(junit, "<failure "), failures);
  EXPECT_THAT(junit, HasSubstr(" failures=\"" + std::to_string(failures) + "\""));
  EXPECT_EQ(occurrences(junit, "<testcase "), found()["cells"].size() + count("new"));
  const std::string metrics = text("night.prom");
  EXPECT_THAT(metrics, HasSubstr("afterlife_night_findings{state=\"new\"} " +
                                 std::to_string(count("new")) + "\n"));
  EXPECT_THAT(metrics, HasSubstr("afterlife_night_red 1\n"));
  EXPECT_TRUE(metrics.ends_with("# EOF\n"));
  EXPECT_EQ(occurrences(text("night.md"), "\n| new | "), std::min<std::size_t>(count("new"), 25));
}

TEST_F(NightlyReport, SarifHasEveryFindingByItsCause) {
  const json sarif = json::parse(text("night.sarif"));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const json& run = sarif["runs"][0];
  ASSERT_EQ(run["results"].size(), found()["findings"].size());
  std::set<std::string> rules;
  for (const json& rule : run["tool"]["driver"]["rules"]) rules.insert(rule["id"]);
  for (std::size_t i = 0; i < run["results"].size(); ++i) {
    const json &result = run["results"][i], &finding = found()["findings"][i];
    EXPECT_EQ(result["partialFingerprints"]["afterlifeCause/v1"], finding["cause"]);
    EXPECT_TRUE(rules.contains(result["ruleId"])) << result;
    EXPECT_EQ(result["baselineState"], finding["state"] == "new" ? "new" : "unchanged");
    const bool canary =
        finding["variant"] != "wrongly_sound" && finding["variant"] != "wrongly_idle";
    if (finding["variant"] == "borrow" || !canary) {
      EXPECT_EQ(result["level"], canary ? "note" : "error");
    }
  }
}

TEST_F(NightlyReport, SarifHasTheRunsOfNewFindings) {
  const json results = json::parse(text("night.sarif"))["runs"][0]["results"];
  ASSERT_EQ(results.size(), found()["findings"].size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const json& finding = found()["findings"][i];
    const bool has_page = finding["kind"] == "fault" && finding["state"] == "new";
    ASSERT_EQ(results[i].contains("codeFlows"), has_page) << finding;
    if (has_page) {
      EXPECT_GE(results[i]["codeFlows"][0]["threadFlows"].size(), 1u);
    }
  }
}

TEST(NightlyReports, UnwritableReportsAreRefusedBeforeTheNightBegins) {
  const Folder folder;
  const Ended ended = run_toys({"nightly", "--runs", "3000", "--only", "toy", "--history",
                                folder / "history", "--metrics", folder / "no/night.prom"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("no/night.prom: cannot create"));
  EXPECT_FALSE(fs::exists(folder / "history/night"));
  const Ended none = run_toys({"nightly", "report", "--history", folder / "none"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("contains no history"));
}

/// All that a history of these shards, merged one by one, reports its night.
std::string output_of(const std::string& folder, const std::vector<std::string>& shards) {
  const std::string history = folder + "/history";
  for (const std::string& shard : shards)
    run_toys({"nightly", "merge", shard, "--history", history});
  std::vector<std::string> words{"nightly", "report", "--json", "--history", history};
  for (const char* name : {"html", "junit", "sarif", "markdown", "metrics"})
    words.insert(words.end(), {std::string("--") + name, folder + "/report." + name});
  std::string output = run_toys(words).out;
  for (const char* name : {"html", "junit", "sarif", "markdown", "metrics"})
    output += read_file(folder + "/report." + name);
  output = std::regex_replace(output, std::regex("<wbr>"), "");
  return std::regex_replace(output, std::regex(folder), "FOLDER");
}

TEST(NightlyReports, DoNotDependOnTheOrderOrRepetitionOfShards) {
  const Folder folder;
  const nightly::Plan plan = testing::hand_made_plan(3);
  const std::vector<std::vector<std::string>> found{{"c", "d"}, {"a"}, {"b"}};
  std::vector<std::string> shards;
  for (std::size_t i = 0; i < 3; ++i) {
    nightly::ShardRecord shard = testing::hand_made_shard(plan, i + 1, found[i]);
    shard.cells.back().findings.at(0).cause = "0123456789abcdef";
    shard.cells.back().findings.at(0).reproducer = "equally long\n";
    shards.push_back(testing::leave_shard(folder / "night", shard));
  }
  std::set<std::string> output;
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 1, 0, 2, 0}, {2, 0, 2, 2, 1}}) {
    const Folder place;
    std::vector<std::string> ordered;
    for (const std::size_t i : order) ordered.push_back(shards[i]);
    output.insert(output_of(place.path(), ordered));
  }
  EXPECT_EQ(output.size(), 1u) << ::testing::PrintToString(output);
  EXPECT_THAT(*output.begin(),
              HasSubstr("findings\": [\n    {\n      \"cause\": \"0123456789abcdef"));
}

TEST(NightlyReports, TextOfFilesIsEscaped) {
  nightly::Night night;
  night.terms.revision = "<b>&\"\n| *x*";
  night.terms.shards = night.shards_here = 1;
  night.cells = {{"toy", "a\"b\\<i>", "unsound", 500, 0, 9, 0, 500}};
  night.findings = {{"00", "fault", "toy", "a|b", "stale", "<script>\"|`", "<img>.repro"}};
  const reports::NightFiles files{"a b#", "a b#", {"<img>.repro"}, {}};
  const std::string page = reports::night_page(night, files);
  for (const char* markup : {"<b>", "<i>", "<script", "<img"})
    EXPECT_THAT(page, Not(HasSubstr(markup)));
  EXPECT_THAT(page, HasSubstr("href=\"a%20b%23/%3Cimg%3E.repro.html\""));
  EXPECT_THAT(reports::night_junit(night), HasSubstr("&lt;script&gt;&quot;|`"));
  EXPECT_THAT(reports::night_markdown(night, files), HasSubstr("| toy/a\\|b | &lt;script"));
  EXPECT_THAT(reports::night_metrics(night), HasSubstr("variant=\"a\\\"b\\\\<i>\"} 500\n"));
}

}  // namespace
}  // namespace harness
