// SPDX-License-Identifier: Apache-2.0
// Memory that is moved to a file to have several addresses: its content is kept, and untouched
// pages cost nothing.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "harness/devices/sim/memory/touched_pages.h"
#include "harness/devices/sim/memory/views.h"

namespace harness::testing {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{64} << 30;
constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;

/// A range of 64 GiB for the memory, followed by a range for a view of all of it.
class MemoryAtSeveralAddresses : public ::testing::Test {
 protected:
  MemoryAtSeveralAddresses()
      : low_(reinterpret_cast<std::uint64_t>(mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                                                  0))),
        page_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))) {
    madvise(reinterpret_cast<void*>(low_), 2 * kBytes, MADV_NOHUGEPAGE);
  }
  ~MemoryAtSeveralAddresses() override { munmap(reinterpret_cast<void*>(low_), 2 * kBytes); }

  void write(std::uint64_t offset, const char* text) const {
    std::strcpy(reinterpret_cast<char*>(low_ + offset), text);
  }
  std::string read(std::uint64_t offset) const { return reinterpret_cast<char*>(low_ + offset); }

  /// Returns the allocated size of the file of simulated memory, in bytes.
  static std::uint64_t file_bytes() {
    struct stat found{};
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(each.path(), gone);
      struct stat status{};
      if (target.starts_with("/memfd:simulated") && stat(each.path().c_str(), &status) == 0 &&
          status.st_size == static_cast<off_t>(kBytes))
        found = status;
    }
    return static_cast<std::uint64_t>(found.st_blocks) * 512;
  }

  std::uint64_t low_;
  std::uint64_t page_;
};

TEST_F(MemoryAtSeveralAddresses, UntouchedPagesAreHoles) {
  const std::uint64_t far = kBytes - 2 * kUnit;
  write(0, "first");
  write(5 * kUnit, "in the middle");
  write(far, "last");
  devices::MemoryViews views(low_, kBytes);
  views.map(low_ + kBytes, low_ + far, kUnit, low_ + kBytes - kUnit);
  EXPECT_TRUE(views.shared());
  EXPECT_EQ(file_bytes(), 3 * page_);
  EXPECT_EQ(read(0), "first");
  EXPECT_EQ(read(5 * kUnit), "in the middle");
  EXPECT_EQ(read(kBytes), "last");
  write(kBytes, "by the view");
  EXPECT_EQ(read(far), "by the view");
}

TEST_F(MemoryAtSeveralAddresses, TouchedPagesAreReportedInRuns) {
  for (const std::uint64_t page : {1, 2, 3, 5000, 9999}) write(page * page_, "touched");
  devices::TouchedPages touched(low_, low_ + 10000 * page_);
  std::uint64_t expected[][2] = {{1, 4}, {5000, 5001}, {9999, 10000}};
  for (const auto& [from, to] : expected) {
    const devices::PageRun run = touched.next();
    EXPECT_EQ((run.low - low_) / page_, from);
    EXPECT_EQ((run.high - low_) / page_, to);
  }
  const devices::PageRun last = touched.next();
  EXPECT_EQ(last.low, last.high);
}

}  // namespace
}  // namespace harness::testing
