// SPDX-License-Identifier: Apache-2.0
// `afterlife minimize`: the file that it writes, and those that it leaves alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/base/tests/child.h"
#include "harness/run/tables.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Ended minimize(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "minimize");
  return run_child("afterlife", std::move(arguments));
}

/// A case to minimize: the first that the tests replay.
std::string some_case() {
  std::vector<fs::path> files;
  for (const auto& path : fs::directory_iterator("corpus"))
    if (fs::is_directory(path.path() / "smallest"))
      for (const auto& file : fs::directory_iterator(path.path() / "smallest"))
        files.push_back(file.path());
  return read_file(*std::min_element(files.begin(), files.end()));
}

void expect_refusal(const Ended& ended, const std::string& what) {
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("afterlife: "));
  EXPECT_THAT(ended.err, HasSubstr(what));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
}

TEST(CliMinimize, WritesBesideTheFileUnlessToldOtherwise) {
  const Folder folder;
  const std::string text = some_case();
  write_file(folder / "found.repro", text);
  ASSERT_EQ(minimize({folder / "found.repro"}).code, 0);
  EXPECT_EQ(read_file(folder / "found.repro"), text);
  EXPECT_THAT(read_file(folder / "found.min.repro"), StartsWith("afterlife reproducer"));
  write_file(folder / "other", text);
  ASSERT_EQ(minimize({folder / "other"}).code, 0);
  EXPECT_EQ(read_file(folder / "other.min.repro"), read_file(folder / "found.min.repro"));
  EXPECT_EQ(folder.files().size(), 4u);
}

TEST(CliMinimize, KeepsTheModeAndTheCommentsOfAFileThatItReplaces) {
  const Folder folder;
  const std::string file = folder / "found.repro";
  std::string text = some_case();
  text.insert(text.find('\n') + 1, "# seen on Monday's build\n");
  write_file(file, text);
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  ASSERT_EQ(minimize({file, "--out", file}).code, 0);
  EXPECT_THAT(read_file(file), HasSubstr("# seen on Monday's build\n"));
  struct stat status{};
  ::stat(file.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(CliMinimize, WhoLinksToAFileThatItReplacesKeepsTheOld) {
  const Folder folder;
  const std::string file = folder / "found.repro";
  const std::string text = some_case() + "# after the end\n";
  write_file(file, text);
  fs::create_hard_link(file, folder / "link");
  ASSERT_EQ(minimize({file, "--out", file}).code, 0);
  EXPECT_NE(read_file(file), text);
  EXPECT_EQ(read_file(folder / "link"), text);
}

TEST(CliMinimize, ReplacesNothingThatIsNoRegularFileOrIsReadOnly) {
  const Folder folder;
  write_file(folder / "found.repro", some_case());
  write_file(folder / "kept", "old");
  fs::create_symlink(folder / "kept", folder / "link");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder / "folder");
  write_file(folder / "locked", "old");
  ASSERT_EQ(::chmod((folder / "locked").c_str(), 0400), 0);
  const auto before = folder.files();
  expect_refusal(minimize({folder / "found.repro", "--out", folder / "link"}), "symbolic link");
  expect_refusal(minimize({folder / "found.repro", "--out", folder / "pipe"}), "a pipe");
  expect_refusal(minimize({folder / "found.repro", "--out", folder / "folder"}), "a folder");
  expect_refusal(minimize({folder / "found.repro", "--out", folder / "locked"}), "read-only");
  EXPECT_EQ(folder.files(), before);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "kept"), "old");
  EXPECT_EQ(read_file(folder / "locked"), "old");
}

TEST(CliMinimize, StoppedIsExitCode4AndWritesWhatItHas) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    write_file(folder / "found.repro", some_case());
    Child child("afterlife", {"minimize", folder / "found.repro", "--json"});
    child.signal_when_taken(signal);
    const Ended ended = child.wait();
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("\"stopped\": true"));
    EXPECT_EQ(run_child("afterlife", {"replay", folder / "found.min.repro"}).code, 0);
  }
}

TEST(CliMinimize, TheFolderOfASearchIsWrittenTheSameWay) {
  const Folder folder;
  const Scenario& path = *tables::scenarios().front();
  const auto unsound = std::find_if(
      path.variants.begin(), path.variants.end(),
      [](const VariantInfo& variant) { return variant.claim.kind == ClaimKind::unsound; });
  ASSERT_NE(unsound, path.variants.end());
  const std::string target = std::string(path.name.view()) + "/" + unsound->name.c_str();
  write_file(folder / "victim", "old");
  const std::vector<std::string> search{"fuzz", target,  "--first",       "--runs",
                                        "3000", "--out", folder / "found"};
  run_child("afterlife", search);
  const auto found = folder.files();
  ASSERT_GT(found.size(), 2u);
  for (const std::string& file : found) {
    if (!file.ends_with(".repro")) continue;
    fs::remove(file);
    fs::create_symlink(folder / "victim", file);
  }
  const Ended again = run_child("afterlife", search);
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("is a symbolic link"));
  EXPECT_EQ(read_file(folder / "victim"), "old");
  EXPECT_EQ(folder.files(), found);
}

}  // namespace
}  // namespace harness
