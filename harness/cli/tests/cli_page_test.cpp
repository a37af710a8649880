// SPDX-License-Identifier: Apache-2.0
// The page of `afterlife replay FILE --html PAGE`: written whole, in the place of a page or of
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using testing::failing_tape;
using ::testing::HasSubstr;
using testing::program_text;
using testing::reproducer_text;
using testing::run_toys;
using ::testing::StartsWith;
using testing::toy_case;

/// A folder with a case that fails.
class CliPage : public ::testing::Test {
 protected:
  CliPage() { write_file(file(), reproducer_text(toy_case("borrow", failing_tape()))); }

  std::string file() const { return folder_ / "found.repro"; }
  std::string page() const { return folder_ / "page.html"; }
  Ended replay(const std::string& to) const { return run_toys({"replay", file(), "--html", to}); }

  void expect_refused(const std::string& to, const std::string& why) const {
    const Ended ended = replay(to);
    EXPECT_EQ(ended.code, 2) << to;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, StartsWith("afterlife: "));
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
  }

  Folder folder_;
};

TEST_F(CliPage, IsWrittenAndTheStoryIsToldAllTheSame) {
  const Ended ended = replay(page());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, run_toys({"replay", file()}).out + "page written to " + page() + "\n");
  EXPECT_EQ(ended.err, "");
  const std::string text = read_file(page());
  EXPECT_THAT(text, StartsWith("<!doctype html>"));
  EXPECT_THAT(text, EndsWith("</html>\n"));
  EXPECT_THAT(text, HasSubstr("afterlife replay " + file()));
  EXPECT_EQ(folder_.files().size(), 2u) << "a draft was left behind";
}

TEST_F(CliPage, OfTheSameCaseHasTheSameBytes) {
  ASSERT_EQ(replay(page()).code, 0);
  ASSERT_EQ(replay(folder_ / "again.html").code, 0);
  EXPECT_EQ(read_file(page()), read_file(folder_ / "again.html"));
}

TEST_F(CliPage, LeavesStdoutToTheJson) {
  const Ended ended = run_toys({"replay", file(), "--json", "--html", page()});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(nlohmann::json::parse(ended.out)["as_recorded"], true);
  EXPECT_THAT(read_file(page()), StartsWith("<!doctype html>"));
}

TEST_F(CliPage, ReplacesAPageAndKeepsItsMode) {
  write_file(page(), "old");
  ASSERT_EQ(::chmod(page().c_str(), 0640), 0);
  EXPECT_EQ(replay(page()).code, 0);
  EXPECT_THAT(read_file(page()), StartsWith("<!doctype html>"));
  struct stat status{};
  ::stat(page().c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(CliPage, ReplacesNothingElse) {
  write_file(folder_ / "kept", "old");
  fs::create_symlink(folder_ / "kept", folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder_ / "folder");
  write_file(folder_ / "locked", "old");
  ASSERT_EQ(::chmod((folder_ / "locked").c_str(), 0400), 0);
  write_file(folder_ / "other.repro", read_file(file()));
  const auto before = folder_.files();
  expect_refused(folder_ / "link", "symbolic link");
  expect_refused(folder_ / "pipe", "a pipe");
  expect_refused(folder_ / "folder", "a folder");
  expect_refused(folder_ / "locked", "read-only");
  expect_refused(folder_ / "nowhere/page.html", "cannot create");
  expect_refused(file(), "is a reproducer");
  expect_refused(folder_ / "other.repro", "is a reproducer");
  EXPECT_EQ(folder_.files(), before);
  EXPECT_EQ(read_file(folder_ / "kept"), "old");
  EXPECT_EQ(read_file(folder_ / "locked"), "old");
  EXPECT_THAT(read_file(file()), StartsWith("afterlife reproducer"));
}

TEST_F(CliPage, IsAboutOneCase) {
  for (const std::vector<std::string>& files :
       {std::vector<std::string>{file(), file()}, {folder_.path().string()}}) {
    std::vector<std::string> arguments{"replay", "--html", page()};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Ended ended = run_toys(arguments);
    EXPECT_EQ(ended.code, 3);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr("--html is a page about one case"));
    EXPECT_FALSE(fs::exists(page()));
  }
}

TEST_F(CliPage, OfARunThatIsNotAsRecordedSaysSo) {
  std::string text = read_file(file());
  text.replace(text.find("trace ") + 6, 4, "0000");
  write_file(file(), text);
  EXPECT_EQ(replay(page()).code, 1);
  EXPECT_THAT(read_file(page()), HasSubstr("not as recorded: the events differ"));
}

TEST_F(CliPage, OfACaseWithoutAFaultIsWrittenToo) {
  write_file(file(), program_text(toy_case("retain", testing::toy::small_program())));
  EXPECT_EQ(replay(page()).code, 0);
  EXPECT_THAT(read_file(page()), HasSubstr("no fault"));
  EXPECT_THAT(read_file(page()), HasSubstr("it records no run"));
}

TEST_F(CliPage, IsNotWrittenAboutAFileThatCannotBeRead) {
  write_file(file(), "nothing of the kind\n");
  EXPECT_EQ(replay(page()).code, 2);
  EXPECT_FALSE(fs::exists(page()));
}

TEST(CliPageHelp, HasAnExample) {
  const std::string help = run_toys({"replay", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("borrow-nested_replaced.repro --html story.html"));
}

}  // namespace
}  // namespace harness
