// SPDX-License-Identifier: Apache-2.0
// The reports of `afterlife run`: --sarif, --junit, --markdown and --html, and the same views of a
// finding by `replay`.
#include <sys/stat.h>

#include <cstdlib>
#include <memory>

#include "harness/client/tests/run_stage.h"
#include "harness/client/views/finding_views.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::expect_one_line;
using ::testing::HasSubstr;
using testing::line_of;
using ::testing::Not;
using testing::run_toys;
using testing::script;
using ::testing::StartsWith;
using testing::Words;
namespace fs = std::filesystem;

/// Returns how often the text has the part.
std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class CliRunReports : public testing::RunStage {
 protected:
  static void TearDownTestSuite() { made_.reset(); }

  std::string sarif() const { return *at_ / "found.sarif"; }
  std::string junit() const { return *at_ / "found.xml"; }
  std::string markdown() const { return *at_ / "found.md"; }
  std::string pages() const { return *at_ / "pages"; }
  Ended report(const Words& command, const char* runs = "30") const {
    Words all{"run",     "--runs", runs,         "--out",    *at_ / "found", "--sarif", sarif(),
              "--junit", junit(),  "--markdown", markdown(), "--html",       pages(),   "--"};
    all.insert(all.end(), command.begin(), command.end());
    return run_toys(all);
  }
  /// Returns the search that all tests share, which is made once; its files are left as they are.
  const Ended& shared() {
    const bool is_new = made_ == nullptr;
    if (is_new) made_ = std::make_unique<Folder>();
    at_ = made_.get();
    if (is_new) ended_ = report({"python3", script("collected.py")});
    return ended_;
  }
  /// Returns the only finding's file.
  std::string finding() const {
    std::string file;
    for (const auto& entry : fs::directory_iterator(*at_ / "found")) file = entry.path();
    EXPECT_THAT(file, HasSubstr(".run.json"));
    return file;
  }
  /// Returns the text of the only page beside the index.
  std::string page() const {
    std::string text;
    for (const auto& entry : fs::directory_iterator(pages()))
      if (entry.path().filename() != "index.html") text += read_file(entry.path());
    return text;
  }

 private:
  static inline std::unique_ptr<Folder> made_;
  static inline Ended ended_;
  const Folder* at_ = &folder_;
};

TEST_F(CliRunReports, SarifHasEachFindingAtTheLineOfItsUse) {
  const std::string file = script("collected.py");
  ASSERT_EQ(shared().code, 1);
  const json log = json::parse(read_file(sarif()));
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
  ASSERT_EQ(log["runs"][0]["results"].size(), 1u);
  const json& result = log["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "use_after_free");
  EXPECT_EQ(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "use_after_free");
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], file) << "relative to the current folder";
  EXPECT_EQ(place["region"]["startLine"], line_of(file, "cuMemsetD8Async("));
  ASSERT_EQ(result["relatedLocations"].size(), 2u);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"],
            line_of(file, "check(cuda.cuMemAlloc_v2("));
  EXPECT_EQ(result["relatedLocations"][1]["physicalLocation"]["region"]["startLine"],
            line_of(file, "cuda.cuMemFree_v2("));
  EXPECT_THAT(result["relatedLocations"][1]["message"]["text"], StartsWith("died: cuMemFree at "));
  EXPECT_THAT(result["message"]["text"], StartsWith("use_after_free of device memory: "));
  EXPECT_EQ(result["properties"]["replay"], "afterlife replay " + finding());
  EXPECT_THAT(result["properties"]["fix"], StartsWith("keep the device memory of "));
  EXPECT_EQ(result["codeFlows"][0]["threadFlows"][0]["locations"].size(), 3u);
}

TEST_F(CliRunReports, AFindingHasTheSameFingerprintOnceItsLinesHaveMoved) {
  const auto fingerprint = [&](const std::string& before) {
    const std::string copy = folder_ / "copy.py";
    write_file(copy, before + read_file(script("collected.py")));
    EXPECT_EQ(report({"python3", copy}).code, 1);
    const json result = json::parse(read_file(sarif()))["runs"][0]["results"][0];
    EXPECT_THAT(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                StartsWith("file:///"))
        << "no file below the current folder";
    return result["partialFingerprints"].dump();
  };
  EXPECT_EQ(fingerprint(""), fingerprint("# a line\n# and another\n"));
}

TEST_F(CliRunReports, JunitHasAFailureForEachFindingWithItsStory) {
  ASSERT_EQ(shared().code, 1);
  const std::string xml = read_file(junit());
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"afterlife run\" tests=\"1\" failures=\"1\" "
                             "errors=\"0\" skipped=\"0\">"));
  EXPECT_EQ(count_of(xml, "<failure type=\"use_after_free\" message=\"use_after_free of "), 1u);
  EXPECT_THAT(xml, HasSubstr("check(cuda.cuMemsetD8Async(address, 1, 64, stream))\n"));
}

TEST_F(CliRunReports, MarkdownHasARowAndAStoryForEachFinding) {
  ASSERT_EQ(shared().code, 1);
  const std::string text = read_file(markdown());
  EXPECT_THAT(text, StartsWith("**afterlife run**: 30 runs, 1 finding\n"));
  EXPECT_EQ(count_of(text, "\n| use\\_after\\_free of device memory | "), 1u);
  EXPECT_THAT(text, HasSubstr("\n```text\nuse_after_free of device memory\n"));
}

TEST_F(CliRunReports, ThePageHasPartiesTimelineDecisionsAndCommands) {
  const Ended& ended = shared();
  ASSERT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("pages written to " + pages() + "/index.html\n"));
  const std::string text = page();
  EXPECT_THAT(text, StartsWith("<!doctype html>"));
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("<b>check(cuda.cuMemsetD8Async(address, 1, 64, stream))</b>"));
  EXPECT_EQ(count_of(text, "<path class=\"edge missing\""), 2u) << "one, and one in the legend";
  EXPECT_EQ(count_of(text, "<g class=\"lane-name task\"><title>program</title>"), 1u);
  EXPECT_EQ(count_of(text, "<g class=\"lane-name object\"><title>device memory</title>"), 1u);
  EXPECT_THAT(text, HasSubstr("<td>the collector runs</td>"));
  EXPECT_THAT(text, HasSubstr("keep the device memory of collected.py:"));
  EXPECT_THAT(text, HasSubstr("<pre class=\"command\">python3 " + script("collected.py")));
  EXPECT_THAT(text, HasSubstr("<pre class=\"command\">afterlife replay " + finding()));
  const std::string name = fs::path(finding()).stem().stem().string() + ".html";
  EXPECT_TRUE(fs::exists(fs::path(pages()) / name));
  EXPECT_THAT(read_file(pages() + "/index.html"), HasSubstr("<a href=\"" + name + "\">"));
}

TEST_F(CliRunReports, WithoutAFindingEachReportSaysSo) {
  ASSERT_EQ(report({"python3", script("sound.py")}, "2").code, 0);
  const json log = json::parse(read_file(sarif()));
  EXPECT_EQ(log["runs"][0]["results"], json::array());
  EXPECT_THAT(read_file(junit()), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\""));
  EXPECT_THAT(read_file(junit()), HasSubstr("name=\"no finding\"/>"));
  EXPECT_EQ(read_file(markdown()), "**afterlife run**: 2 runs, 0 findings\n");
  EXPECT_THAT(read_file(pages() + "/index.html"), HasSubstr("2 runs, 0 findings"));
  EXPECT_EQ(page(), "");
}

TEST_F(CliRunReports, WhatWasNotJudgedPassesInNoReport) {
  const Ended ended = report({"true"}, "2");
  expect_one_line(ended, 2, "nothing was judged");
  const json log = json::parse(read_file(sarif()));
  const json& invocation = log["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_THAT(invocation["toolExecutionNotifications"][0]["message"]["text"],
              HasSubstr("nothing was judged"));
  EXPECT_THAT(read_file(junit()), HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(read_file(junit()),
              HasSubstr("<error message=\"&#39;true&#39; never called our CUDA driver"));
  EXPECT_THAT(read_file(markdown()), HasSubstr("nothing was judged"));
  EXPECT_THAT(read_file(pages() + "/index.html"), HasSubstr("nothing was judged"));
}

TEST_F(CliRunReports, OfTheSameSearchHaveTheSameBytes) {
  ASSERT_EQ(shared().code, 1);
  const auto all = [&] {
    return read_file(sarif()) + read_file(junit()) + read_file(markdown()) + page();
  };
  const std::string before = all();
  ASSERT_EQ(report({"python3", script("collected.py")}).code, 1);
  EXPECT_EQ(all(), before);
}

TEST_F(CliRunReports, LeaveStdoutToTheJson) {
  const json result = found({"--runs", "2", "--sarif", sarif(), "--html", pages()},
                            {"python3", script("sound.py")}, 0);
  EXPECT_EQ(result["runs"], 2);
  EXPECT_TRUE(fs::exists(sarif()));
}

TEST_F(CliRunReports, APlaceThatCannotBeWrittenIsRefusedBeforeTheProgramRuns) {
  const std::string started = folder_ / "started";
  const Words command{"touch", started};
  const auto refused = [&](const Words& options, int code, const std::string& why) {
    const Ended ended = run(options, command);
    expect_one_line(ended, code, why);
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(fs::exists(started)) << why;
  };
  write_file(folder_ / "kept", "old");
  fs::create_symlink(folder_ / "kept", folder_ / "link");
  write_file(folder_ / "case.repro", "afterlife reproducer 1\n");
  write_file(folder_ / "case.run.json", "{\n  \"afterlife\": \"run 1\"}");
  refused({"--sarif", folder_ / "link"}, 2, "symbolic link");
  refused({"--junit", folder_ / "nowhere/x"}, 2, "cannot create");
  refused({"--markdown", folder_ / "case.repro"}, 2, "is a reproducer");
  refused({"--sarif", folder_ / "case.run.json"}, 2, "is a finding of `run`");
  refused({"--html", folder_ / "kept"}, 2, "choose another folder with --html");
  refused({"--html", ""}, 3, "names nothing");
  refused({"--sarif", folder_ / "x", "--junit", folder_ / "./x"}, 3, "name the same file");
  EXPECT_EQ(read_file(folder_ / "kept"), "old");
}

TEST_F(CliRunReports, ReplayGivesAFindingTheSameViews) {
  ASSERT_EQ(shared().code, 1);
  const std::string other = folder_ / "page.html";
  const std::string log = folder_ / "again.sarif";
  const std::string trace = folder_ / "found.trace";
  const Ended ended =
      run_toys({"replay", finding(), "--html", other, "--sarif", log, "--trace", trace});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nas recorded\npage written to " + other + "\n"));
  const std::string text = read_file(other);
  EXPECT_THAT(text, HasSubstr("<span class=\"badge good\">as recorded</span>"));
  EXPECT_THAT(text, HasSubstr("<b>check(cuda.cuMemsetD8Async(address, 1, 64, stream))</b>"));
  EXPECT_EQ(json::parse(read_file(log)), json::parse(read_file(sarif())));
  EXPECT_THAT(read_file(trace), HasSubstr("died: cuMemFree"));
}

TEST_F(CliRunReports, ThePageOfAFindingThatIsNotAsRecordedSaysSo) {
  ASSERT_EQ(shared().code, 1);
  json other = json::parse(read_file(finding()));
  other["fault"]["detail"] = "other <words>";
  const std::string file = folder_ / "other.run.json";
  write_file(file, other.dump(2));
  const std::string to = folder_ / "page.html";
  EXPECT_EQ(run_toys({"replay", file, "--trust", "--html", to}).code, 1);
  EXPECT_THAT(read_file(to),
              HasSubstr("badge bad\">not as recorded: detail is &#39;other &lt;words&gt;&#39;"));
}

TEST_F(CliRunReports, NoViewReplacesAFinding) {
  ASSERT_EQ(shared().code, 1);
  const std::string before = read_file(finding());
  expect_one_line(run_toys({"replay", finding(), "--html", finding()}), 2, "is a finding of `run`");
  EXPECT_EQ(read_file(finding()), before);
}

TEST_F(CliRunReports, WhySaysWhatIsMissingAndWhichRepairWasTried) {
  ASSERT_EQ(shared().code, 1);
  const Ended ended = run_toys({"replay", finding(), "--why"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nsides: born: cuMemAlloc at "));
  EXPECT_THAT(ended.out,
              HasSubstr("\nwhy: missing is a reference that keeps it alive until this use\n"));
  EXPECT_THAT(ended.out,
              HasSubstr(": the collector runs\nrepair: keep the device memory of collected.py:"));
  EXPECT_THAT(ended.out, HasSubstr("\ntried: with it none of 3 replays shows the fault\n"));
}

TEST_F(CliRunReports, FindingsReplayAmongReproducers) {
  ASSERT_EQ(shared().code, 1);
  const std::string repro = folder_ / "a.repro";
  write_file(repro, testing::reproducer_text(testing::toy_case("borrow", testing::failing_tape())));
  fs::copy_file(finding(), folder_ / "b.run.json");
  const Ended ended = run_toys({"replay", folder_.path()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "as recorded      " + repro + "\nas recorded      " +
                           (folder_ / "b.run.json") + "\n2 as recorded, 0 not\n");
  const json rows = json::parse(run_toys({"replay", repro, finding(), "--json"}).out);
  EXPECT_EQ(rows["as_recorded"], 2);
  EXPECT_EQ(rows["replays"][1]["path"], nullptr);
  EXPECT_THAT(rows["replays"][1]["faults"].dump(), HasSubstr("use_after_free"));
  expect_one_line(run_toys({"replay", repro, repro, "--trust"}), 3, "starts no command");
}

TEST_F(CliRunReports, MinimizeLeavesOutADecisionThatTheFindingDoesNotNeed) {
  const std::string file = script("collected.py");
  ASSERT_EQ(shared().code, 1);
  const json found = json::parse(read_file(finding()));
  json more = found;
  more.at("decisions").push_back(found.at("decisions").at(0));
  more.at("decisions").at(1).at("nth") = 7;  // Never asked.
  const std::string large = folder_ / "large.run.json";
  write_file(large, more.dump(2));
  expect_one_line(run_toys({"minimize", large}), 2, "add --trust");
  const Ended ended = run_toys({"minimize", large, "--trust"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\n1 choice, 2 in the file; "));
  const std::string small = folder_ / "large.min.run.json";
  EXPECT_EQ(json::parse(read_file(small)).at("decisions"), found.at("decisions"));
  EXPECT_EQ(json::parse(read_file(small)).at("fault"), found.at("fault"));
  EXPECT_EQ(json::parse(read_file(small)).at("fix"), found.at("fix"));
  EXPECT_EQ(run_toys({"replay", small}).code, 0) << "it is this user's own";
  const json told = json::parse(run_toys({"minimize", small, "--out", small, "--json"}).out);
  EXPECT_EQ(told["decisions"], 1);
  EXPECT_EQ(told["shown"], 3);
}

TEST_F(CliRunReports, MinimizeHasNothingToDoIfTheRunDoesNotShowTheFault) {
  ASSERT_EQ(shared().code, 1);
  json other = json::parse(read_file(finding()));
  other["decisions"] = json::array();
  const std::string file = folder_ / "other.run.json";
  write_file(file, other.dump(2));
  expect_one_line(run_toys({"minimize", file, "--trust"}), 2, "nothing to minimize");
  EXPECT_FALSE(fs::exists(folder_ / "other.min.run.json"));
}

TEST_F(CliRunReports, TriageSortsFindingsByWhatHappensWhereAndStartsNothing) {
  ASSERT_EQ(shared().code, 1);
  json other = json::parse(read_file(finding()));
  const std::string first = finding();
  other["command"] = Words{"touch", folder_ / "started"};
  write_file(folder_ / "same.run.json", other.dump(2));
  other["fault"]["at"] = "another function";
  other["fix"] = "";
  write_file(folder_ / "other.run.json", other.dump(2));
  const Ended ended = run_toys({"triage", first, folder_ / "same.run.json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("2 findings: use_after_free of device memory: "));
  EXPECT_THAT(ended.out, HasSubstr("\n  fix       keep the device memory of collected.py:"));
  EXPECT_THAT(ended.out, HasSubstr("\n2 findings, 1 cause\n"));
  const Ended unexplained = run_toys({"triage", "--json", first, folder_ / "other.run.json"});
  EXPECT_EQ(unexplained.code, 1) << unexplained.err;
  EXPECT_EQ(json::parse(unexplained.out)["causes"].size(), 2u);
  EXPECT_FALSE(fs::exists(folder_ / "started"));
  const std::string repro = folder_ / "a.repro";
  write_file(repro, testing::reproducer_text(testing::toy_case("borrow", testing::failing_tape())));
  const Ended both = run_toys({"triage", first, repro});
  EXPECT_THAT(both.out, HasSubstr("1 finding, 1 cause\n"));
  EXPECT_THAT(both.out, HasSubstr("of 1 file;"));
  expect_one_line(run_toys({"triage", first, repro, "--json"}), 3,
                  "--json takes files of one kind");
}

/// All that a program can say of itself, in each text of a finding.
client::Finding hostile_finding() {
  const std::string evil = "<script>alert(1)</script>|`\"'&]]>\x1b[31m\n```\n# x";
  const auto party = [&] {
    return client::Party{evil, {{evil, 3, evil, 0, false}}, evil, evil, 0, 0};
  };
  client::Finding finding;
  client::ToldFault& fault = finding.fault;
  fault.signature = fault.kind = fault.object = fault.at = fault.detail = fault.ended = evil;
  fault.pedantic = evil;
  fault.birth = fault.capture = fault.other = fault.death = fault.use = party();
  finding.decisions.push_back({{}, evil, evil, party().place});
  finding.fix = finding.doubt = finding.forced = evil;
  finding.faces.push_back(fault);
  return finding;
}

TEST(FindingViews, TextOfAProgramIsNoMarkup) {
  const client::Finding finding = hostile_finding();
  reports::FindingsReport report;
  report.command = {"a<script>b", "`|"};
  report.findings = {finding};
  report.files = {"<script>.run.json"};
  report.counts = "1 run, 1 finding";
  const std::string page = reports::finding_page(finding, report.command, report.files[0], {});
  const std::string index = reports::findings_index(report, {"\"><script>.html"});
  const std::string junit = reports::findings_junit(report);
  for (const std::string& text : {page, index, junit}) {
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("'&]]>")));
  }
  const json log = json::parse(reports::findings_sarif(report));
  EXPECT_THAT(log.dump(), Not(HasSubstr("\x1b")));
  const std::string markdown = reports::findings_markdown(report);
  const std::string table = markdown.substr(0, markdown.find("\n``"));
  EXPECT_THAT(table, Not(HasSubstr("<script")));
  EXPECT_EQ(count_of(table, "\n"), 5u) << "a row stays one line";
  EXPECT_THAT(table.substr(table.find("|---|---|")), Not(HasSubstr("|`")));
  EXPECT_EQ(count_of(markdown, "\n````text\n"), 1u) << "no fence of the program's ends ours";
}

}  // namespace
}  // namespace harness
