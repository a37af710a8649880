// SPDX-License-Identifier: Apache-2.0
// The views of `afterlife gate`: its table, files and page, and the length of a repetition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/gate/tests/gate_child.h"
#include "harness/gate/views/gate_views.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::benchmarks_json;
using testing::expect_only_line;
using testing::gate_arguments;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::printing;
using testing::row;
using testing::run_gate;
using testing::run_toys;
using testing::shell;
using ::testing::StartsWith;
using testing::Words;

// ---- views ----

TEST(CliGate, WritesJUnitMarkdownAndAPage) {
  const Folder folder;
  const std::string hostile = "a<b>|\\u0007\\\"&";
  const auto rows = [&](double second) {
    return printing(benchmarks_json(row(hostile, 100) + "," + row("slow", second)));
  };
  const Ended ended = run_gate({"--rounds", "8", "--junit", folder / "junit.xml", "--markdown",
                                folder / "gate.md", "--html", folder / "gate.html"},
                               rows(100), rows(105));
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("\x07")));
  const std::string junit = read_file(folder / "junit.xml");
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(junit, HasSubstr("name=\"a&lt;b&gt;|\\x07&quot;&amp;\""));
  EXPECT_THAT(junit, HasSubstr("<failure message=\"slower: +5.0 % (+5.0 .. +5.0 %)\"/>"));
  const std::string markdown = read_file(folder / "gate.md");
  EXPECT_THAT(markdown, StartsWith("**regressed**: 2 benchmarks: 1 slower, 1 pass; 16 rounds\n"));
  EXPECT_THAT(markdown,
              HasSubstr("| slow | 100 ns | 105 ns | +5.0 % | +5.0 .. +5.0 % | **slower** |"));
  const std::string page = read_file(folder / "gate.html");
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("<svg class=\"ratios\""));
  EXPECT_THAT(page, HasSubstr("<g class=\"bad\"><title>slow: +5.0 %"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_EQ(std::system(("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " +
                         (folder / "junit.xml"))
                            .c_str()),
            0);
}

/// The table of a comparison of two benchmarks, of which one has a long name, printed to no
/// terminal that is said to be so wide.
std::string table_of(const std::string& columns) {
  const std::string long_name(90, 'x');
  const auto rows = [&](double time) {
    return printing(benchmarks_json(row("short", time) + "," + row(long_name, 1e6 * time) + "," +
                                    row("edge", time < 1100 ? 950 : 1050)));
  };
  return run_child("afterlife_toys", gate_arguments({"--rounds", "8"}, rows(1000), rows(1250)),
                   [&] { ::setenv("COLUMNS", columns.c_str(), 1); })
      .out;
}

/// The text with one space for many.
std::string squeezed(std::string text) {
  const auto both_spaces = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::unique(text.begin(), text.end(), both_spaces), text.end());
  return text;
}

TEST(CliGate, TheTableShowsBothSidesInTheUnitOfTheRow) {
  const std::string table = squeezed(table_of("100"));
  EXPECT_THAT(table, StartsWith("benchmark base head ratio 99 % interval verdict rounds\n"));
  EXPECT_THAT(table, HasSubstr("\nshort 1 us 1.25 us +25.0 % +25.0 .. +25.0 % slower 8\n"));
  EXPECT_THAT(table, HasSubstr("\nedge 950 ns 1050 ns +10.5 % "));
  EXPECT_THAT(table, HasSubstr("x 1 s 1.25 s +25.0 % "));
  const Ended number = run_gate({"--rounds", "8"}, printing("1500"), printing("1500"));
  EXPECT_THAT(squeezed(number.out), HasSubstr("\nvalue 1500 1500 +0.0 % "))
      << "its unit is unknown";
}

/// The table of two benchmarks on a terminal of this width.
std::string table_on(std::size_t width) {
  gate::Comparison comparison;
  gate::Row noisy{.name = "a_benchmark_of_some_size", .verdict = gate::Verdict::too_noisy};
  noisy.estimate = gate::Estimate{.log_ratio = -0.012, .low = -0.15, .high = 0.11, .rounds = 160};
  noisy.base = 1234.5;
  noisy.head = 1219.8;
  gate::Row passed = noisy;
  passed.name = "another";
  passed.verdict = gate::Verdict::pass;
  passed.unconfirmed = noisy.estimate;
  comparison.result.rows = {noisy, passed};
  return squeezed(reports::gate_table(comparison, {.width = width}));
}

TEST(CliGate, ATableOf100ColumnsShowsAllColumns) {
  const std::string table = table_on(100);
  EXPECT_THAT(table, Not(HasSubstr("no room for")));
  EXPECT_THAT(table,
              HasSubstr("\na_benchmark_of_some_size 1.234 us 1.22 us -1.2 % -13.9 .. +11.6 % "
                        "too noisy (13.9 %) 160\n"));
  EXPECT_THAT(table, HasSubstr("\nanother 1.234 us 1.22 us -1.2 % -13.9 .. +11.6 % "
                               "pass (first -1.2 %) 160\n"));
}

TEST(CliGate, ANarrowTableShowsBothSidesOrNeither) {
  std::size_t with = 0, without = 0;
  for (std::size_t width = 40; width < 100; ++width) {
    const std::string table = table_on(width);
    const std::string header = table.substr(0, table.find('\n'));
    const bool has_base = header.find(" base") != header.npos;
    EXPECT_EQ(has_base, header.find(" head") != header.npos) << width << ": " << header;
    ++(has_base ? with : without);
  }
  EXPECT_GT(with, 0U);
  EXPECT_GT(without, 0U);
}

TEST(CliGate, ATableOutsideATerminalIsNeverTruncated) {
  for (const char* columns : {"40", "60", "100"}) {
    const std::string table = table_of(columns);
    EXPECT_THAT(table, HasSubstr("\n" + std::string(90, 'x') + "  "));
    EXPECT_THAT(table, Not(HasSubstr("no room for")));
    EXPECT_THAT(table, HasSubstr("rounds\n"));
  }
}

// ---- the length of a repetition ----

TEST(CliGate, ChoosesTheLengthOfARepetitionIfAllowed) {
  const Folder folder;
  const auto command = [&](const std::string& word) {
    Words words = shell("echo $1 >> " + (folder / "log") + "; echo 100");
    words.insert(words.end(), {"sh", word});
    return words;
  };
  const std::string place = "--benchmark_min_time={min_time}";
  const Ended chosen =
      run_gate({"--rounds", "8", "--samples", folder / "s"}, command(place), command(place));
  EXPECT_THAT(chosen.out, HasSubstr("; repetitions of 1 ms\n"));
  EXPECT_THAT(read_file(folder / "log"), StartsWith("--benchmark_min_time=0.001\n"));
  EXPECT_THAT(read_file(folder / "s"), HasSubstr("\"repetition_seconds\":0.001"));
  EXPECT_EQ(run_toys({"gate", "--recompute", folder / "s"}).out, chosen.out);
  std::filesystem::remove(folder / "log");
  const Ended own =
      run_gate({"--rounds", "8", "--min-time", "0.0005", "--json"}, command(place), command(place));
  EXPECT_EQ(json::parse(own.out)["repetition_seconds"], 0.0005);
  EXPECT_THAT(read_file(folder / "log"), StartsWith("--benchmark_min_time=0.0005\n"));
  EXPECT_EQ(json::parse(run_gate({"--rounds", "8", "--json"}, printing("1"), printing("1"))
                            .out)["repetition_seconds"],
            nullptr);
}

TEST(CliGate, AdvisesShorterRepetitionsIfLongOnesDecideNothing) {
  const Folder folder;
  const auto said = [&](const std::string& word, bool is_wild = true) {
    const auto command = [&](const std::string& seed) {
      const std::string file = folder / seed;
      Words words = shell(is_wild ? "n=$(cat " + file + " 2>/dev/null || echo " + seed +
                                        "); n=$(( (n * 1103515245 + 12345) % 2147483648 )); echo "
                                        "$n > " +
                                        file + "; echo $(( 100 + n / 65536 % 900 ))"
                                  : "echo 100");
      words.insert(words.end(), {"sh", word});
      return words;
    };
    for (const char* seed : {"1", "7"}) std::filesystem::remove(folder / seed);
    return run_gate({"--rounds", "20"}, command("1"), command("7")).out;
  };
  EXPECT_THAT(said("--benchmark_min_time=0.004"),
              HasSubstr("advice: a repetition of 4 ms is interrupted more often than one of 1 ms"));
  EXPECT_THAT(said("--benchmark_format=json"), HasSubstr("advice: a repetition of 500 ms"));
  EXPECT_THAT(said("--benchmark_min_time=0.001s"), Not(HasSubstr("advice")));
  EXPECT_THAT(said("--benchmark_min_time=5x"), Not(HasSubstr("advice")));
  EXPECT_THAT(said("--fast"), Not(HasSubstr("advice"))) << "it may be any program";
  EXPECT_THAT(said("--benchmark_min_time=0.004", false), Not(HasSubstr("advice")));
}

TEST(CliGate, HelpNamesTheNumberOfRounds) {
  const std::string help = run_toys({"gate", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("undecided benchmarks get 40, 80, ..."));
  EXPECT_THAT(help, HasSubstr("--benchmark_min_time={min_time}"));
}

TEST(CliGate, ThePageStatesTheErrorRatesOfTheGate) {
  const Folder folder;
  const std::string record = folder / "canaries", page = folder / "gate.html";
  std::string rounds = "afterlife_canaries 1\na\n";
  for (int i = 0; i < 360; ++i) rounds += "quiet 0123 1000 1000 1010 1030\n";
  write_file(record, rounds);
  const Ended ended = run_gate({"--rounds", "8", "--html", page, "--rates", record},
                               printing("100"), printing("100"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(read_file(page), HasSubstr("<h2>How often this gate is wrong</h2>"));
  EXPECT_THAT(read_file(page), HasSubstr("<td>0 of 3</td><td>0.0 to 56.1 %</td>"));
  expect_only_line(run_gate({"--rates", record}, printing("1"), printing("1")), 3, "--html");
  const std::string alone = folder / "alone.html";
  EXPECT_EQ(run_toys({"gate", "--canaries", record, "--html", alone}).code, 0);
  EXPECT_THAT(read_file(alone), HasSubstr("too few samples"));
  expect_only_line(run_toys({"gate", "--canaries", record, "--html", folder / "no/p.html"}), 2, "");
}

TEST(CliGate, AFailureToMeasureIsAnErrorInJUnitAndJson) {
  const Folder folder;
  const Ended ended =
      run_gate({"--json", "--junit", folder / "junit.xml"}, shell("exit 1"), printing("1"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(json::parse(ended.out)["outcome"], "failed");
  EXPECT_THAT(json::parse(ended.out)["failure"], HasSubstr("the base ended with exit code 1"));
  EXPECT_THAT(read_file(folder / "junit.xml"), HasSubstr("errors=\"1\""));
}

}  // namespace
}  // namespace harness
