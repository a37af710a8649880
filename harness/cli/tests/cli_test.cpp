// SPDX-License-Identifier: Apache-2.0
// The command line as its users meet it: the built `afterlife` is run as a child process.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "harness/base/tests/child.h"
#include "harness/run/tables.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Scenario& some_path() { return *tables::scenarios().front(); }

/// A variant that fails soon: the first that claims so.
std::string unsound_variant(const Scenario& path = some_path()) {
  for (const VariantInfo& variant : path.variants)
    if (variant.claim.kind == ClaimKind::unsound)
      return std::string(path.name.view()) + "/" + variant.name.c_str();
  return {};
}

Ended afterlife(std::vector<std::string> arguments) {
  return run_child("afterlife", std::move(arguments));
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// One reproducer of an unsound variant.
std::string a_reproducer(const Folder& folder, const std::string& variant = unsound_variant()) {
  const Ended ended = afterlife(
      {"fuzz", variant, "--runs", "3000", "--first", "--out", folder / "found", "--json"});
  const json found = json::parse(ended.out);
  return found["results"][0]["reproducers"].at(0);
}

// ---- bad input: one clear line, the documented code, nothing half-written ----

void expect_one_line(const Ended& ended, int code, const std::string& what) {
  EXPECT_EQ(ended.code, code) << what << ": " << ended.err;
  EXPECT_EQ(ended.out, "") << what;
  EXPECT_EQ(line_count(ended.err), 1U) << what << ": " << ended.err;
  EXPECT_THAT(ended.err, StartsWith("afterlife: ")) << what;
}

TEST(Cli, ADamagedReproducerIsOneLineAndExitCode2) {
  const Folder folder;
  const std::string text = read_file(a_reproducer(folder));
  const std::string version = text.substr(0, text.find('\n'));
  const std::string rest = text.substr(text.find('\n'));
  const auto with = [&](const char* key) {
    return std::regex_replace(text, std::regex(std::string("\n") + key + "[^\n]*"),
                              std::string("\n") + key + " nosuch=1");
  };
  std::string corrupt = text;
  std::replace(corrupt.begin() + static_cast<std::ptrdiff_t>(version.size()), corrupt.end(), ' ',
               '\x01');
  const std::vector<std::pair<std::string, std::string>> damaged{
      {"corrupt", corrupt},
      {"truncated", text.substr(0, text.size() / 2)},
      {"empty", ""},
      {"foreign", std::string("\x7f"
                              "ELF\x02\x01\x01") +
                      std::string(200, '\0')},
      {"of a future version", std::regex_replace(version, std::regex("[0-9]+"), "999") + rest},
      {"of an unknown path", with("path")},
      {"of an unknown variant", with("variant")},
      {"of an unknown config", with("config")},
      {"of an unknown device", with("device")},
  };
  const std::string file = folder / "damaged.repro";
  for (const auto& [what, content] : damaged)
    for (const char* command : {"replay", "minimize", "explain"}) {
      write_file(file, content);
      const auto before = folder.files();
      const Ended ended = afterlife({command, file});
      expect_one_line(ended, 2, what);
      EXPECT_THAT(ended.err, HasSubstr("damaged.repro")) << what;
      EXPECT_EQ(folder.files(), before) << what;
      EXPECT_EQ(read_file(file), content) << what << ": the file was touched";
    }
}

TEST(Cli, AFileThatIsNoneIsOneLineAndExitCode2) {
  const Folder folder;
  const std::string huge = folder / "huge";
  write_file(huge, "afterlife reproducer 1\n");
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 30);
  expect_one_line(afterlife({"replay", huge}), 2, "1 GiB");
  expect_one_line(afterlife({"minimize", huge}), 2, "1 GiB");
  expect_one_line(afterlife({"replay", folder / "nosuch"}), 2, "no file");
  expect_one_line(afterlife({"replay", folder.path().string()}), 2, "a folder");
  expect_one_line(afterlife({"minimize", folder / "nosuch"}), 2, "no file");
}

TEST(Cli, WhatIsNotKnownIsOneLineAndExitCode3) {
  const std::string path(some_path().name.view());
  const std::string variant = unsound_variant();
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"nosuch"},
      {"fuzz", "--nosuch"},
      {"fuzz", "nosuch"},
      {"fuzz", path + "/nosuch"},
      {"fuzz", variant, "--strategy", "nosuch"},
      {"fuzz", variant, "--device", "nosuch"},
      {"fuzz", variant, "--config", "nosuch=1"},
      {"fuzz", variant, "--runs", "many"},
      {"fuzz", variant, "--runs", "-1"},
      {"fuzz", variant, "--seconds", "0"},
      {"replay"},
      {"minimize"},
      {"explain"},
      {"prove"},
      {"prove", "nosuch"},
      {"prove", ""},
      {"prove", path + "/nosuch"},
      {"prove", variant, "--window", "nosuch"},
      {"prove", variant, "--k", "100"},
  };
  for (const auto& arguments : wrong)
    expect_one_line(afterlife(arguments), 3, ::testing::PrintToString(arguments));
}

TEST(Cli, ExplainingAPathWithoutInstrumentsIsOneLineAndExitCode3) {
  if (some_path().make_instruments != nullptr) GTEST_SKIP() << "the first path has instruments";
  const Folder folder;
  const Ended ended = afterlife({"explain", a_reproducer(folder)});
  expect_one_line(ended, 3, "explain");
  EXPECT_THAT(ended.err, HasSubstr("has no instruments"));
}

TEST(Cli, AnOutputFolderThatCannotBeIsOneLineAndExitCode2) {
  const Folder folder;
  write_file(folder / "file", "");
  const auto before = folder.files();
  expect_one_line(
      afterlife({"fuzz", unsound_variant(), "--runs", "100", "--out", folder / "file/out"}), 2,
      "a file in the way");
  EXPECT_EQ(folder.files(), before);
  expect_one_line(afterlife({"fuzz", unsound_variant(), "--runs", "100", "--out", "/proc/nosuch"}),
                  2, "no place to write");
}

TEST(Cli, SearchesAtOnceMayMakeTheSameFolder) {
  for (int round = 0; round < 8; ++round) {
    const Folder folder;
    std::array<std::string, 8> complaints;
    std::vector<std::thread> searches;
    for (std::size_t i = 0; i < complaints.size(); ++i)
      searches.emplace_back([&, i] {
        const std::string out = folder / ("made/" + std::to_string(i));
        complaints[i] = afterlife({"fuzz", unsound_variant(), "--runs", "1", "--out", out}).err;
      });
    for (std::thread& search : searches) search.join();
    for (const std::string& complaint : complaints)
      ASSERT_THAT(complaint, Not(HasSubstr("cannot write")));
  }
}

TEST(Cli, NoGpuIsOneLineAndExitCode2) {
  const DeviceInfo* gpu = find(tables::devices(), "gpu");
  if (gpu == nullptr) GTEST_SKIP() << "no device is called gpu";
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  const Folder folder;
  expect_one_line(afterlife({"fuzz", unsound_variant(), "--runs", "1", "--device", "gpu", "--out",
                             folder / "out"}),
                  2, "no GPU");
  EXPECT_TRUE(folder.files().empty());
}

// ---- what the commands promise ----

TEST(Cli, EveryCommandHasHelpWithAnExample) {
  for (const char* command :
       {"list", "fuzz", "replay", "minimize", "prove", "explain", "nightly", "completion"}) {
    const Ended ended = afterlife({command, "--help"});
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, HasSubstr(std::string("  afterlife ") + command)) << command;
    EXPECT_THAT(ended.out, HasSubstr("Exit:")) << command;
  }
}

TEST(Cli, ListNamesEverything) {
  const Ended ended = afterlife({"list", "--json"});
  EXPECT_EQ(ended.code, 0);
  const json all = json::parse(ended.out);
  EXPECT_EQ(all["schema"], 1);
  EXPECT_EQ(all["paths"].size(), tables::scenarios().size());
  const Ended text = afterlife({"list"});
  for (const VariantInfo& variant : some_path().variants)
    EXPECT_THAT(text.out, HasSubstr(variant.name.c_str()));
}

TEST(Cli, FuzzJsonIsOneObjectInTheFormOfTheSchema) {
  const Folder folder;
  const Ended ended =
      afterlife({"fuzz", unsound_variant(), "--runs", "60", "--out", folder / "out", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json found = json::parse(ended.out);
  const json schema = json::parse(read_file("results/schema.json"));
  const auto expect_keys = [](const json& object, const json& form) {
    for (const auto& key : form["required"]) EXPECT_TRUE(object.contains(key)) << key;
    for (const auto& [key, value] : object.items())
      EXPECT_TRUE(form["properties"].contains(key)) << key;
  };
  expect_keys(found, schema);
  const json& row = found["results"].at(0);
  expect_keys(row, schema["$defs"]["result"]);
  expect_keys(row["findings"].at(0), schema["$defs"]["finding"]);
  expect_keys(row["configs"].at(0), schema["$defs"]["result"]["properties"]["configs"]["items"]);
  expect_keys(found["windows"].at(0), schema["$defs"]["window"]);
  expect_keys(found["ops"].at(0), schema["$defs"]["op"]);
  EXPECT_EQ(row["verdict"], "caught");
  EXPECT_EQ(row["runs"], 60);
  EXPECT_EQ(row["signatures"].size(), row["reproducers"].size());
  EXPECT_GT(row["runs_to_first_fault"], 0);
}

TEST(Cli, WithFirstASearchEndsAtTheFirstFault) {
  const Folder folder;
  const Ended ended = afterlife(
      {"fuzz", unsound_variant(), "--runs", "3000", "--first", "--out", folder / "out", "--json"});
  const json row = json::parse(ended.out)["results"].at(0);
  EXPECT_EQ(row["runs"], row["runs_to_first_fault"]) << ended.out;
  EXPECT_LT(row["runs"], 3000) << ended.out;
}

TEST(Cli, AClaimThatDoesNotComeOutIsExitCode1) {
  const Folder folder;
  const Ended ended = afterlife(
      {"fuzz", unsound_variant(), "--runs", "1", "--seed", "2", "--out", folder / "out", "--json"});
  const json row = json::parse(ended.out)["results"].at(0);
  ASSERT_EQ(row["signatures"].size(), 0U) << "seed 2 fails in its first run: choose another";
  EXPECT_EQ(ended.code, 1);
}

TEST(Cli, TheReportEndsWithTheCommandThatReplaysTheStory) {
  const Folder folder;
  const Ended ended =
      afterlife({"fuzz", unsound_variant(), "--runs", "60", "--out", folder / "out"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("caught"));
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("\x1b"))) << "colour in a file";
  std::size_t start = 0;
  for (std::size_t end; (end = ended.out.find('\n', start)) != std::string::npos; start = end + 1) {
    const std::string line = ended.out.substr(start, end - start);
    if (line.find(folder.path().string()) == std::string::npos)
      EXPECT_LE(line.size(), 100U) << line;
  }
  std::smatch command;
  ASSERT_TRUE(
      std::regex_search(ended.out, command, std::regex("This story: \\S+ replay (\\S+)\n")));
  EXPECT_EQ(afterlife({"replay", command[1]}).code, 0);
}

TEST(Cli, AReplayIsTheSameEveryTimeAndNamesNoFolder) {
  const Folder folder;
  const std::string file = a_reproducer(folder);
  const Ended once = afterlife({"replay", file, "--json"});
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_TRUE(json::parse(once.out)["as_recorded"]);
  EXPECT_EQ(afterlife({"replay", file, "--json"}).out, once.out);
  const Ended story = afterlife({"replay", file});
  EXPECT_THAT(story.out, EndsWith("as recorded\n"));
  EXPECT_THAT(story.out, ::testing::Not(HasSubstr(folder.path().string())));
}

TEST(Cli, AReplayThatDiffersIsExitCode1AndSaysHow) {
  const Folder folder;
  const std::string text = read_file(a_reproducer(folder));
  const std::string file = folder / "edited.repro";
  write_file(file,
             std::regex_replace(text, std::regex("\ntrace [0-9a-f]+"), "\ntrace 0000000000000001"));
  const Ended trace = afterlife({"replay", file});
  EXPECT_EQ(trace.code, 1);
  EXPECT_THAT(trace.out, HasSubstr("not as recorded: the events differ"));
  write_file(file,
             std::regex_replace(text, std::regex("\nfault "), "\nfault deadlock nothing\nfault ",
                                std::regex_constants::format_first_only));
  const Ended fault = afterlife({"replay", file});
  EXPECT_EQ(fault.code, 1);
  EXPECT_THAT(fault.out, HasSubstr("deadlock nothing"));
}

TEST(Cli, MinimizingAgainChangesNothing) {
  const Folder folder;
  const std::string file = a_reproducer(folder);
  const json before = json::parse(afterlife({"replay", file, "--json"}).out);
  const Ended first = afterlife({"minimize", file, "--out", file, "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string once = read_file(file);
  EXPECT_EQ(afterlife({"minimize", file, "--out", file}).code, 0);
  EXPECT_EQ(read_file(file), once);
  const json after = json::parse(afterlife({"replay", file, "--json"}).out);
  EXPECT_EQ(after["signature"], before["signature"]);
  EXPECT_TRUE(after["as_recorded"]);
}

TEST(Cli, CtrlCEndsWithTheTableAndEveryReproducer) {
  const Folder folder;
  Child child("afterlife",
              {"fuzz", unsound_variant(), "--seconds", "600", "--out", folder / "out"});
  while (folder.files().size() < 2 && !child.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  child.signal(SIGINT);
  const Ended ended = child.wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("caught"));
  EXPECT_THAT(ended.out, HasSubstr("stopped"));
  std::size_t count = 0;
  for (const std::string& file : folder.files()) {
    if (std::filesystem::is_directory(file)) continue;
    EXPECT_THAT(file, EndsWith(".repro"));
    if (++count <= 3) EXPECT_EQ(afterlife({"replay", file}).code, 0) << file;
  }
  EXPECT_GT(count, 0U);
}

/// Takes nothing: code that writes to it waits.
class FullPipe {
 public:
  FullPipe() {
    EXPECT_EQ(::pipe2(ends_, O_NONBLOCK | O_CLOEXEC), 0);
    while (::write(ends_[1], "x", 1) == 1) continue;
    EXPECT_EQ(::fcntl(ends_[1], F_SETFL, 0), 0);
  }
  ~FullPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  void become_stdout() const { ::dup2(ends_[1], STDOUT_FILENO); }

 private:
  int ends_[2] = {-1, -1};
};

/// Stops the command before anything has read what it has to say.
Ended stopped(const std::string& command, const std::string& file, int signal) {
  const FullPipe pipe;
  Child child("afterlife", {command, file}, [&] { pipe.become_stdout(); });
  child.signal_when_taken(signal);
  return child.wait(std::chrono::seconds(60));
}

/// Writes a reproducer of a path that has instruments, if there is one.
std::string reproducer_to_explain(const Folder& folder) {
  for (const Scenario* path : tables::scenarios())
    if (path->make_instruments != nullptr) return a_reproducer(folder, unsound_variant(*path));
  return {};
}

void expect_stopped(const std::string& command, const std::string& file) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended ended = stopped(command, file, signal);
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_EQ(ended.err, "afterlife: stopped\n");
  }
}

TEST(Cli, CtrlCEndsAReplay) {
  const Folder folder;
  expect_stopped("replay", a_reproducer(folder));
}

TEST(Cli, CtrlCEndsAnExplanation) {
  const Folder folder;
  const std::string file = reproducer_to_explain(folder);
  if (file.empty()) GTEST_SKIP() << "no path has instruments";
  expect_stopped("explain", file);
}

}  // namespace
}  // namespace harness
