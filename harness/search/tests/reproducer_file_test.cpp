// SPDX-License-Identifier: Apache-2.0
// Writing files in the presence of links, pipes and read-only files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/base/files/whole_file.h"
#include "harness/base/tests/child.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Returns the complaint of write_whole_file(), or nothing.
std::string refusal(const std::string& file) {
  try {
    write_whole_file(file, "new");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

mode_t mode_of(const std::string& file) {
  struct stat status{};
  return ::lstat(file.c_str(), &status) == 0 ? status.st_mode : 0;
}

TEST(WholeFile, ALinkIsNotReplaced) {
  const Folder folder;
  write_file(folder / "kept", "old");
  fs::create_symlink(folder / "kept", folder / "link");
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  EXPECT_THAT(refusal(folder / "link"), HasSubstr("link: is a symbolic link"));
  EXPECT_THAT(refusal(folder / "dangling"), HasSubstr("dangling: is a symbolic link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "kept"), "old");
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
  EXPECT_EQ(folder.files().size(), 3u);
}

TEST(WholeFile, APipeOrAFolderIsNotReplaced) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder / "folder");
  EXPECT_THAT(refusal(folder / "pipe"), HasSubstr("pipe: is a pipe"));
  EXPECT_THAT(refusal(folder / "folder"), HasSubstr("folder: is a folder"));
  EXPECT_TRUE(S_ISFIFO(mode_of(folder / "pipe")));
  EXPECT_EQ(folder.files().size(), 2u);
}

TEST(WholeFile, AReadOnlyFileIsNotReplaced) {
  const Folder folder;
  write_file(folder / "kept", "old");
  ASSERT_EQ(::chmod((folder / "kept").c_str(), 0444), 0);
  EXPECT_THAT(refusal(folder / "kept"), HasSubstr("kept: is read-only"));
  EXPECT_EQ(read_file(folder / "kept"), "old");
}

TEST(WholeFile, TheModeOfAReplacedFileIsKept) {
  const Folder folder;
  write_file(folder / "file", "old");
  for (const mode_t mode : {0600u, 0640u, 0755u}) {
    ASSERT_EQ(::chmod((folder / "file").c_str(), mode), 0);
    EXPECT_EQ(refusal(folder / "file"), "");
    EXPECT_EQ(mode_of(folder / "file") & 07777, mode);
  }
  EXPECT_EQ(read_file(folder / "file"), "new");
}

/// Reads what a descriptor shows.
std::string read_open(int opened) {
  std::string text(100, 0);
  const ssize_t count = ::pread(opened, text.data(), text.size(), 0);
  return text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
}

// A draft takes the name: the file that had it is never half one thing and half another.
TEST(WholeFile, OpenHandlesAndHardLinksKeepTheOldContent) {
  const Folder folder;
  write_file(folder / "file", "old");
  fs::create_hard_link(folder / "file", folder / "link");
  const int opened = ::open((folder / "file").c_str(), O_RDONLY);
  EXPECT_EQ(refusal(folder / "file"), "");
  EXPECT_EQ(read_file(folder / "file"), "new");
  EXPECT_EQ(read_file(folder / "link"), "old");
  EXPECT_EQ(read_open(opened), "old");
  ::close(opened);
  EXPECT_EQ(folder.files().size(), 2u);
}

TEST(WholeFile, ANewFileHasTheModeOfTheUmask) {
  const Folder folder;
  const mode_t before = ::umask(027);
  EXPECT_EQ(refusal(folder / "file"), "");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "file") & 07777, 0640u);
}

TEST(WholeFile, APlantedDraftIsNeitherFollowedNorReplaced) {
  const Folder folder;
  write_file(folder / "victim", "old");
  const std::string pid = std::to_string(::getpid());
  const std::string planted[] = {folder / ("file." + pid + ".draft"),
                                 folder / ("file." + pid + "-0.draft")};
  for (const std::string& draft : planted) fs::create_symlink(folder / "victim", draft);
  EXPECT_EQ(refusal(folder / "file"), "");
  EXPECT_EQ(read_file(folder / "victim"), "old");
  EXPECT_EQ(read_file(folder / "file"), "new");
  for (const std::string& draft : planted) EXPECT_TRUE(fs::is_symlink(draft));
  EXPECT_EQ(folder.files().size(), 4u);
}

TEST(WholeFile, TheLongestPossibleNameIsWritten) {
  const Folder folder;
  EXPECT_EQ(refusal(folder / std::string(255, 'n')), "");
  EXPECT_EQ(folder.files().size(), 1u);
  EXPECT_THAT(refusal(folder / std::string(256, 'n')), HasSubstr("cannot create"));
  EXPECT_EQ(folder.files().size(), 1u);
}

TEST(WholeFile, AnUnwritableFolderIsRefusedBeforeWriting) {
  const Folder folder;
  std::string why;
  try {
    require_replaceable(folder / "nowhere/file");
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  EXPECT_THAT(why, HasSubstr("nowhere/file: cannot create"));
  write_file(folder / "file", "old");
  require_replaceable(folder / "file");
  require_replaceable(folder / "new");
  EXPECT_EQ(folder.files().size(), 1u);
  EXPECT_EQ(read_file(folder / "file"), "old");
}

// ---- comments ----

constexpr const char* kText =
    "afterlife reproducer 1\n# found on a Monday\npath toy\nvariant borrow\nconfig boxes=one\n"
    "device none   # the only one\ntasks user\n# keeps it\nuser:0 op store\nuser:1  op jump # "
    "gone\n"
    "# before the fault\nfault x #1 y\ntrace 00000000000000aa\n# last\nend\n# after\n";

TEST(Comments, StayWithTheirLines) {
  const std::string text =
      "afterlife reproducer 1\npath toy\nvariant borrow\nconfig boxes=one\ndevice none\ntasks "
      "user\n"
      "user:0 op store\nfault x #1 y\ntrace 00000000000000bb\nend\n";
  EXPECT_EQ(
      keep_comments(kText, text),
      "afterlife reproducer 1\n# gone\n# after\n# found on a Monday\npath toy\nvariant borrow\n"
      "config boxes=one\ndevice none  # the only one\ntasks user\n# keeps it\nuser:0 op store\n"
      "# before the fault\nfault x #1 y\ntrace 00000000000000bb\n# last\nend\n");
}

TEST(Comments, AreKeptOnce) {
  const std::string text = "afterlife reproducer 1\npath toy\nuser:0 op store\nend\n";
  const std::string once = keep_comments(kText, text);
  EXPECT_EQ(keep_comments(once, text), once);
  EXPECT_EQ(keep_comments(text, text), text);
}

TEST(Comments, AHashSignInQuotesIsNotAComment) {
  const std::string text = "afterlife reproducer 1\n\"a # b\":0 of 0:0 lag 1\nend\n";
  EXPECT_EQ(keep_comments(text, text), text);
}

}  // namespace
}  // namespace harness
