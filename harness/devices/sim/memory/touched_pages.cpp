// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/touched_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace harness::devices {

TouchedPages::TouchedPages(std::uint64_t low, std::uint64_t high)
    : page_bytes_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))),
      at_(low),
      high_(high),
      file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

TouchedPages::~TouchedPages() {
  if (file_ >= 0) close(file_);
}

/// Reads the entries from the current page on. If there are none, the kernel does not reveal them.
void TouchedPages::read_entries() {
  first_ = at_ / page_bytes_;
  const std::uint64_t left = (high_ - at_ + page_bytes_ - 1) / page_bytes_;
  const std::size_t wanted = std::min<std::uint64_t>(left, entries_.size()) * sizeof(entries_[0]);
  const ssize_t bytes =
      pread(file_, entries_.data(), wanted, static_cast<off_t>(first_ * sizeof(entries_[0])));
  count_ = bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / sizeof(entries_[0]);
}

bool TouchedPages::is_touched(std::uint64_t page) {
  constexpr std::uint64_t kInSwapOrPresent = std::uint64_t{3} << 62;
  if (page - first_ >= count_) read_entries();
  return count_ == 0 || (entries_[page - first_] & kInSwapOrPresent) != 0;
}

PageRun TouchedPages::next() {
  while (at_ < high_ && !is_touched(at_ / page_bytes_)) at_ += page_bytes_;
  const std::uint64_t low = std::min(at_, high_);
  const std::uint64_t most = low + entries_.size() * page_bytes_;
  while (at_ < std::min(high_, most) && is_touched(at_ / page_bytes_)) at_ += page_bytes_;
  return {low, std::min(at_, high_)};
}

}  // namespace harness::devices
