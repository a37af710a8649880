// SPDX-License-Identifier: Apache-2.0
// How it works. For each address range, the system reports how much anonymous memory it has. A
// range counts if at least half of it is anonymous, like a heap, unlike reserved memory. For each
// page, the system reports whether it is exclusive to the process: in a fork, a page is exclusive
// once it was written to. Notes are in memory that the forks share, far away from addresses that
// the program will use.
#include "harness/client/inside/libcuda/own_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace harness::entries {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uint32_t kNotedRuns = 8;                    ///< Later runs write to few other pages.
constexpr std::uintptr_t kAddressHint = 0x1000'0000'0000;  ///< An address that is usually unused.

// Bits of a page in /proc/self/pagemap.
constexpr std::uint64_t kIsPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kIsOfFile = std::uint64_t{1} << 61;
constexpr std::uint64_t kIsExclusive = std::uint64_t{1} << 56;

bool is_written(std::uint64_t page) {
  return (page & (kIsPresent | kIsOfFile | kIsExclusive)) == (kIsPresent | kIsExclusive);
}

void copy_pages(std::size_t begin, std::size_t count) {
#ifndef MADV_POPULATE_WRITE
  constexpr int MADV_POPULATE_WRITE = 23;  // Linux 5.14.
#endif
  ::madvise(reinterpret_cast<void*>(begin), count * kPageBytes, MADV_POPULATE_WRITE);
}

struct Addresses {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Addresses> find_own() {
  constexpr std::size_t kKilobyte = 1024;
  std::vector<Addresses> own;
  std::ifstream smaps("/proc/self/smaps");
  Addresses range;
  bool is_private = false;
  for (std::string line; std::getline(smaps, line);) {
    Addresses read;  // Separate variables, because "Anonymous" begins with a hexadecimal digit.
    std::size_t kilobytes = 0;
    char rights[5]{};
    if (std::sscanf(line.c_str(), "%zx-%zx %4s", &read.begin, &read.end, rights) == 3) {
      range = read;
      is_private = std::string(rights) == "rw-p";
    } else if (std::sscanf(line.c_str(), "Anonymous: %zu kB", &kilobytes) == 1) {
      if (is_private && kilobytes * kKilobyte >= (range.end - range.begin) / 2)
        own.push_back(range);
    }
  }
  return own;
}

}  // namespace

struct OwnMemory::Notes {
  std::atomic<std::uint32_t> run_count = 0;  ///< Number of runs that have noted their pages.
};

OwnMemory OwnMemory::find() {
  if (std::thread::hardware_concurrency() < 2) return {};
  const std::vector<Addresses> own = find_own();
  std::vector<Range> ranges;
  std::size_t page_count = 0;
  for (const Addresses& each : own) {
    ranges.push_back({each.begin, (each.end - each.begin) / kPageBytes, page_count});
    page_count += ranges.back().page_count;
  }
  constexpr std::size_t kNotesBytes = sizeof(Range);  // So that the ranges after it are aligned.
  static_assert(sizeof(Notes) <= kNotesBytes);
  const std::size_t bytes = kNotesBytes + ranges.size() * sizeof(Range) + page_count;
  void* memory = ::mmap(reinterpret_cast<void*>(kAddressHint), bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  OwnMemory found;
  found.notes_ = new (memory) Notes;
  found.ranges_ = {reinterpret_cast<Range*>(static_cast<std::byte*>(memory) + kNotesBytes),
                   ranges.size()};
  std::ranges::copy(ranges, found.ranges_.begin());
  found.is_written_ = {reinterpret_cast<std::uint8_t*>(found.ranges_.data() + ranges.size()),
                       page_count};
  return found;
}

void OwnMemory::copy() const {
  if (notes_ == nullptr || notes_->run_count == 0) return;
  for (const Range& range : ranges_) {
    const auto pages = is_written_.subspan(range.first_page, range.page_count);
    for (auto at = pages.begin(); (at = std::find(at, pages.end(), 1)) != pages.end();) {
      const auto end = std::find(at, pages.end(), 0);
      copy_pages(range.begin + static_cast<std::size_t>(at - pages.begin()) * kPageBytes,
                 static_cast<std::size_t>(end - at));
      at = end;
    }
  }
}

void OwnMemory::note_written() const {
  if (notes_ == nullptr || notes_->run_count >= kNotedRuns) return;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return;
  for (const Range& range : ranges_) note_range(range, pagemap);
  ::close(pagemap);
  ++notes_->run_count;
}

void OwnMemory::note_range(const Range& range, int pagemap) const {
  std::array<std::uint64_t, 512> pages{};
  for (std::size_t done = 0; done < range.page_count; done += pages.size()) {
    const std::size_t count = std::min(pages.size(), range.page_count - done);
    const std::size_t bytes = count * sizeof pages[0];
    const std::size_t place = (range.begin / kPageBytes + done) * sizeof pages[0];
    if (::pread(pagemap, pages.data(), bytes, static_cast<off_t>(place)) !=
        static_cast<ssize_t>(bytes))
      return;
    for (std::size_t i = 0; i < count; ++i)
      if (is_written(pages[i])) is_written_[range.first_page + done + i] = 1;
  }
}

}  // namespace harness::entries
