// SPDX-License-Identifier: Apache-2.0
// Reading whole files and their beginnings, with limits; pipes. Creating and locking folders.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "harness/base/files/held_folder.h"
#include "harness/base/files/make_folder.h"
#include "harness/base/files/read.h"
#include "harness/base/tests/folder.h"

namespace harness {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr FileKind kNote{"note", std::size_t{1} << 20};

class Files : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }

  std::string written(std::size_t bytes) const {
    std::ofstream(path("note")) << std::string(bytes, 'x');
    return path("note");
  }

  static std::string complaint(const std::string& file) {
    try {
      read_whole_file(file, kNote);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

 private:
  Folder folder_;
};

TEST_F(Files, AreReadWholeUpToTheirSizeLimit) {
  EXPECT_EQ(read_whole_file(written(kNote.byte_limit), kNote).size(), kNote.byte_limit);
  EXPECT_THAT(complaint(written(kNote.byte_limit + 1)),
              EndsWith("note: is over 1 MiB, which no note is: is it the right file?"));
  EXPECT_EQ(read_whole_file(written(kNote.byte_limit + 1)).size(), kNote.byte_limit + 1);
}

TEST_F(Files, AreRefusedInOneLineWithTheirName) {
  EXPECT_THAT(complaint(path("none")), HasSubstr("none: cannot open: No such file"));
  EXPECT_THAT(complaint(path("")), HasSubstr("is a folder: expected the file of a note"));
  EXPECT_THAT(complaint(path("two\nlines")), HasSubstr("two\\nlines: cannot open"));
}

TEST_F(Files, APipeIsReadUntilItsWriterCloses) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::fstream keeps_it_open(path("pipe"), std::ios::in | std::ios::out);
  std::jthread writer([&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      keeps_it_open << "part" << std::flush;
    }
    keeps_it_open.close();
  });
  EXPECT_EQ(read_whole_file(path("pipe"), kNote), "partpartpart");
}

TEST_F(Files, ReadingABeginningReturnsTheBytesAvailable) {
  std::ofstream(path("note")) << "begin, and more";
  EXPECT_EQ(read_begin(path("note"), 5), "begin");
  EXPECT_EQ(read_begin(path("note"), 64), "begin, and more");
  EXPECT_EQ(read_begin(path("none"), 64), "");
  EXPECT_EQ(read_begin(path(""), 64), "");
}

// A child of a program may hold the folder for a moment longer than the program does.
TEST_F(Files, ALockedFolderThatIsUnlockedSoonIsWaitedFor) {
  auto held = std::make_unique<HeldFolder>(path(""));
  std::jthread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    held.reset();
  });
  EXPECT_NO_THROW(HeldFolder{path("")});
}

TEST_F(Files, AFolderThatStaysLockedIsRefused) {
  const HeldFolder held(path(""));
  EXPECT_THROW(HeldFolder{path("")}, std::runtime_error);
}

TEST_F(Files, AFolderIsCreatedWithItsParents) {
  make_folder(path("a/b/c"));
  EXPECT_TRUE(std::filesystem::is_directory(path("a/b/c")));
  make_folder(path("a/b"));  // It is there.
}

TEST_F(Files, AFolderBelowAFileIsRefusedInOneLineWithAdvice) {
  const std::string file = written(1);
  try {
    make_folder(file + "/a", "choose another");
    ADD_FAILURE() << "it was made";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), file + "/a: cannot make the folder: Not a directory; choose another");
  }
}

}  // namespace
}  // namespace harness
