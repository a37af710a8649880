// SPDX-License-Identifier: Apache-2.0
// The cache of compiled code: which files it keeps, and which it evicts.
#include "harness/base/files/content_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "harness/base/tests/child.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

class ContentCacheFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::permissions(folder_.path(), fs::perms::owner_all);
    ::setenv("AFTERLIFE_PTX_CACHE", folder_.path().c_str(), 1);
  }
  void TearDown() override { ::unsetenv("AFTERLIFE_PTX_CACHE"); }

  /// Makes a file that was last used this many hours ago.
  fs::path make(const std::string& name, std::size_t bytes, int hours_ago) const {
    const fs::path file = folder_.path() / name;
    std::ofstream(file) << std::string(bytes, 'x');
    fs::last_write_time(file, fs::file_time_type::clock::now() - hours(hours_ago));
    return file;
  }
  std::uintmax_t bytes() const {
    std::uintmax_t all = 0;
    for (const auto& file : fs::directory_iterator(folder_.path())) all += file.file_size();
    return all;
  }
  static std::size_t count(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  Folder folder_;
};

TEST_F(ContentCacheFolder, ManySmallFilesAreKept) {
  for (int i = 0; i < 1500; ++i) make(std::to_string(i), 10, i);
  ContentCache().bound();
  EXPECT_EQ(count(folder_.path()), 1500u);
}

TEST_F(ContentCacheFolder, TheLeastRecentlyUsedFilesAreEvicted) {
  std::vector<fs::path> files;
  for (int i = 0; i < 10; ++i) files.push_back(make(std::to_string(i), 100, 10 - i));
  const ContentCache cache;
  EXPECT_TRUE(cache.has(files[0].string())) << "which is a use of it";
  cache.bound(550);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(fs::exists(files[static_cast<std::size_t>(i)]), i == 0 || i > 5) << i;
}

TEST_F(ContentCacheFolder, AFileBeingWrittenIsKeptForADay) {
  const fs::path fresh = make("draft-aaaaaa.so", 100, 2);
  const fs::path other = make("0123.nvrtc.42-0.draft", 10, 2);
  const fs::path left = make("draft-bbbbbb", 100, 30);
  const fs::path done = make("done.so", 100, 1);
  ContentCache().bound(150);
  EXPECT_TRUE(fs::exists(fresh) && fs::exists(other));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(done));
}

TEST_F(ContentCacheFolder, ConcurrentUsersLeaveWholeFilesWithinTheLimit) {
  constexpr std::uintmax_t kLimit = 4000;
  const std::string text(100, 'y');
  const auto work = [&](int who) {
    const ContentCache cache;
    for (int i = 0; i < 150; ++i) {
      const std::string file = cache.file_for("tool", std::to_string(i % 70), ".so");
      if (cache.has(file)) {
        std::ifstream in(file);  // Which may be gone, and is never half of one.
        const std::string found{std::istreambuf_iterator<char>(in), {}};
        if (in.is_open()) EXPECT_EQ(found, text);
        continue;
      }
      const std::string draft = cache.folder() + "/draft-" + std::to_string(who);
      std::ofstream(draft) << text;
      EXPECT_EQ(std::rename(draft.c_str(), file.c_str()), 0) << "a draft stays its writer's";
      cache.bound(kLimit);
    }
  };
  std::vector<std::thread> all;
  for (int who = 0; who < 4; ++who) all.emplace_back(work, who);
  for (std::thread& one : all) one.join();
  ContentCache().bound(kLimit);
  EXPECT_LE(bytes(), kLimit);
  EXPECT_GT(bytes(), kLimit / 2);
}

}  // namespace
}  // namespace harness
