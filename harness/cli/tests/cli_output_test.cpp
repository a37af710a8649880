// SPDX-License-Identifier: Apache-2.0
// `afterlife` with output that cannot be written, errors that nothing can hear, and limits on
// memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/run/tables.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kProgram = "afterlife";

std::vector<fs::path> files_in(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& path : fs::directory_iterator("corpus"))
    if (fs::is_directory(path.path() / folder))
      for (const auto& file : fs::directory_iterator(path.path() / folder))
        files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string some_case() { return files_in("smallest").front().string(); }

/// A variant, by the names of `list`.
std::string some_variant() {
  const Scenario& path = *tables::scenarios().front();
  return std::string(path.name.view()) + "/" + path.variants.front().name.c_str();
}

/// Every command with output, as a table and as JSON. Each writes into `folder` at most.
std::vector<std::vector<std::string>> commands(const Folder& folder) {
  std::vector<std::vector<std::string>> all{
      {"list"},
      {"list", "--json"},
      {"replay", some_case()},
      {"replay", some_case(), "--json"},
      {"minimize", some_case(), "--out", folder / "small"},
      {"minimize", some_case(), "--out", folder / "small", "--json"},
      {"fuzz", some_variant(), "--runs", "1", "--out", folder / "found"},
      {"fuzz", some_variant(), "--runs", "1", "--out", folder / "found", "--json"},
      {"--help"},
      {"fuzz", "--help"},
  };
  for (const fs::path& file : files_in("repros"))
    for (const Scenario* path : tables::scenarios())
      if (path->make_instruments != nullptr &&
          file.string().find(path->name.view()) != std::string::npos) {
        all.push_back({"explain", file.string()});
        all.push_back({"explain", file.string(), "--json"});
        return all;
      }
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

void expect_one_line(const Ended& ended, const std::string& what) {
  EXPECT_EQ(ended.code, 2) << what << ": " << ended.err;
  EXPECT_THAT(ended.err, StartsWith("afterlife: ")) << what;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << what << ": " << ended.err;
}

/// A pipe that no one reads, a place that is full, and none at all.
void redirect(int fd, const char* place) {
  const int opened = open(place, O_WRONLY);
  dup2(opened, fd);
  close(opened);
}
void to_nobody(int fd) {
  int ends[2];
  if (pipe(ends) != 0) _exit(126);
  close(ends[0]);
  dup2(ends[1], fd);
  close(ends[1]);
}

TEST(CliOutput, ThatCannotBeWrittenIsOneLineAndExitCode2) {
  const Folder folder;
  for (const auto& command : commands(folder)) {
    expect_one_line(run_child(kProgram, command, [] { redirect(1, "/dev/full"); }),
                    joined(command));
    expect_one_line(run_child(kProgram, command, [] { close(1); }), joined(command) + ">&-");
    const Ended unread = run_child(kProgram, command, [] { to_nobody(1); });
    EXPECT_EQ(unread.code, 2) << joined(command);
    EXPECT_EQ(unread.err, "") << joined(command) << "| true: a reader that has enough knows it";
  }
}

TEST(CliOutput, AnErrorThatNobodyHearsKeepsItsExitCode) {
  const Folder folder;
  const std::pair<std::vector<std::string>, int> cases[] = {{{"replay", folder / "nosuch"}, 2},
                                                            {{"fuzz", "nosuch"}, 3},
                                                            {{"--nosuch"}, 3},
                                                            {{"list"}, 0}};
  for (const auto& [command, code] : cases) {
    EXPECT_EQ(run_child(kProgram, command, [] { close(2); }).code, code) << joined(command);
    EXPECT_EQ(run_child(kProgram, command, [] { redirect(2, "/dev/full"); }).code, code)
        << joined(command);
    EXPECT_EQ(run_child(kProgram, command, [] { to_nobody(2); }).code, code) << joined(command);
    EXPECT_EQ(run_child(kProgram, command, [] { close(0), close(2); }).code, code)
        << joined(command);
  }
}

// A closed stderr leaves its number to the next file that is opened.
TEST(CliOutput, AnErrorNeverGoesIntoAFile) {
  const Folder folder;
  fs::copy_file(some_case(), folder / "case.repro");
  const Ended ended =
      run_child(kProgram, {"minimize", folder / "case.repro"}, [] { close(1), close(2); });
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(read_file(folder / "case.min.repro"), StartsWith("afterlife reproducer"));
  EXPECT_THAT(read_file(folder / "case.min.repro"), ::testing::Not(HasSubstr("afterlife:")));
}

TEST(CliOutput, AFileThatMayNotGrowIsOneLineAndExitCode2) {
  const Folder folder;
  const Ended ended = run_child(kProgram, {"minimize", some_case(), "--out", folder / "small"}, [] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
  });
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(folder.files().empty());
}

Ended run_limited(int resource, rlim_t bytes, const std::vector<std::string>& command) {
  return run_child(kProgram, command, [&] {
    const rlimit limit{bytes, bytes};
    setrlimit(static_cast<__rlimit_resource>(resource), &limit);
  });
}

/// The least limit, but for 64 KiB, under which the command does what it does.
rlim_t least_limit(int resource, const std::vector<std::string>& command) {
  rlim_t low = 0;
  rlim_t high = rlim_t{1} << 40;
  EXPECT_EQ(run_limited(resource, high, command).code, 0);
  while (high - low > (rlim_t{64} << 10)) {
    const rlim_t middle = low + (high - low) / 2;
    (run_limited(resource, middle, command).code == 0 ? high : low) = middle;
  }
  return high;
}

/// Below the first limit the loader complains, with its own code and words, or the kernel does.
void sweep(int resource, const std::vector<std::string>& command) {
  const rlim_t loaded = least_limit(resource, {"--help"});
  const rlim_t enough = least_limit(resource, command);
  std::vector<rlim_t> limits;
  for (rlim_t bytes = loaded; bytes < enough; bytes += bytes / 2) limits.push_back(bytes);
  for (rlim_t below = 0; below < 32 && enough > loaded + (below << 18); ++below)
    limits.push_back(enough - (below << 18));  // Where all is there but the last.
  for (const rlim_t bytes : limits) {
    const Ended ended = run_limited(resource, bytes, command);
    if (ended.code != 0) expect_one_line(ended, joined(command) + "with " + std::to_string(bytes));
  }
}

TEST(CliOutput, UnderALimitOnMemoryThereIsAnAnswerOrOneLine) {
  if (kAsan || kTsan) GTEST_SKIP() << "a sanitizer needs its address space";
  for (const int resource : {int{RLIMIT_AS}, int{RLIMIT_DATA}}) {
    sweep(resource, {"replay", some_case(), "--json"});
    sweep(resource, {"list"});
  }
}

/// If the program is just loaded, each of these steps may be where the next thing lacks its memory:
/// what is smallest among them takes 128 KiB.
void sweep_start(int resource, const std::vector<std::string>& command) {
  constexpr rlim_t kStepBytes = rlim_t{96} << 10;
  const rlim_t loaded = least_limit(resource, {"--help"});
  for (rlim_t step = 0; step < 64; ++step) {
    const Ended ended = run_limited(resource, loaded + step * kStepBytes, command);
    if (ended.code == 0 || ended.code == 1) continue;  // An answer.
    expect_one_line(ended, joined(command) + "at step " + std::to_string(step));
  }
}

TEST(CliOutput, UnderALimitOnMemoryThatJustLoadsTheProgramThereIsAnAnswerOrOneLine) {
  if (kAsan || kTsan) GTEST_SKIP() << "a sanitizer needs its address space";
  const Folder folder;
  for (const int resource : {int{RLIMIT_AS}, int{RLIMIT_DATA}})
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"list"},
          {"replay", some_case()},
          {"minimize", some_case(), "--out", folder / "small"},
          {"fuzz", some_variant(), "--runs", "1", "--out", folder / "found"},
          {"prove", some_variant(), "--k", "0"}})
      sweep_start(resource, command);
}

// ---- what files say ----

/// A case with `line` put in before its first choice.
std::string with_line(const std::string& line) {
  std::string text = read_file(some_case());
  text.insert(text.find("\ntasks") + 1, line + "\n");
  return text;
}

void expect_plain_text(const Ended& ended, const std::string& what) {
  for (const std::string* text : {&ended.out, &ended.err})
    for (const char c : *text)
      ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << what << ": " << *text;
  EXPECT_LT(ended.err.size(), 5000u) << what;
}

TEST(CliOutput, NothingOfAFileReachesTheTerminalButText) {
  const Folder folder;
  const std::string file = folder / "case.repro";
  const std::string escapes =
      "\x1b[31m\x07\xc2\x9b"
      "2J\x7f";
  const std::string text = read_file(some_case());
  const std::vector<std::string> cases{
      with_line("0:0 " + escapes + " 1"),
      with_line(escapes),
      with_line("tasks " + escapes),
      with_line("0:0 op " + escapes),
      with_line("fault " + escapes),
      with_line(escapes + std::string(900'000, 'x') + ":0 of 0:0 lag 1"),
      with_line("0:0 op " + std::string(900'000, 'x')),
      with_line("fault " + std::string(900'000, 'x')),
      with_line("0:0 lag 1\xff"),
      with_line("fault \xc3"),
  };
  for (const std::string& damaged : cases)
    for (const std::vector<std::string>& command : {std::vector<std::string>{"replay", file},
                                                    {"replay", file, "--json"},
                                                    {"minimize", file}}) {
      write_file(file, damaged);
      const Ended ended = run_child(kProgram, command);
      EXPECT_THAT(ended.code, ::testing::AnyOf(0, 1, 2)) << ended.err;
      if (ended.code == 2) expect_one_line(ended, command[0]);
      expect_plain_text(ended, command[0] + ": " + damaged.substr(0, 300));
      EXPECT_THAT(ended.err, ::testing::Not(HasSubstr("json.exception")));
    }
  write_file(folder / escapes, "nothing");
  expect_plain_text(run_child(kProgram, {"replay", folder / escapes}), "a file's name");
  expect_plain_text(run_child(kProgram, {escapes}), "a command");
}

TEST(CliOutput, AChainOfCausesMayBeAsLongAsTheFile) {
  const Folder folder;
  const std::string file = folder / "case.repro";
  std::string chain;
  for (int i = 0; i < 100'000; ++i) chain += "a:0 of ";
  write_file(file, with_line(chain + "0:0 lag 1"));
  const Ended ended = run_child(kProgram, {"replay", file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 choice was never made: a:0 of a:0 of "));
}

TEST(CliOutput, ADecisionThatIsNeverAskedIsSaid) {
  const Folder folder;
  const std::string file = folder / "case.repro";
  write_file(file, with_line("0:60000 lag 1\n0:60001 lag 2"));
  const Ended ended = run_child(kProgram, {"replay", file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("2 choices were never made: "));
  EXPECT_THAT(ended.out, HasSubstr(":60000 lag 1\n"));
  EXPECT_THAT(run_child(kProgram, {"replay", file, "--json"}).out,
              HasSubstr("\"never_asked\": \"2 choices"));
  EXPECT_THAT(run_child(kProgram, {"minimize", file}).out,
              HasSubstr("of the file, 2 choices were never made"));
  const Ended whole = run_child(kProgram, {"replay", some_case()});
  EXPECT_THAT(whole.out, ::testing::Not(HasSubstr("never made")));
}

}  // namespace
}  // namespace harness
