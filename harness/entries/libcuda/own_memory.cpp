// How it works. The system tells of each range of addresses how much of it is the process's own; a
// range counts that is so by half, as a heap is, and as memory that was set aside is not.
#include "harness/entries/libcuda/own_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace harness::entries {

OwnMemory::OwnMemory() {
  constexpr std::size_t kKilobyte = 1024;
  if (std::thread::hardware_concurrency() < 2) return;
  std::ifstream smaps("/proc/self/smaps");
  Range range;
  bool is_private = false;
  for (std::string line; std::getline(smaps, line);) {
    std::size_t begin = 0;  // Its own: "Anonymous" begins with a hexadecimal digit.
    std::size_t end = 0;
    std::size_t kilobytes = 0;
    char rights[5]{};
    if (std::sscanf(line.c_str(), "%zx-%zx %4s", &begin, &end, rights) == 3) {
      range = {begin, end - begin};
      is_private = std::string(rights) == "rw-p";
    } else if (std::sscanf(line.c_str(), "Anonymous: %zu kB", &kilobytes) == 1) {
      if (is_private && kilobytes * kKilobyte >= range.bytes / 2) ranges_.push_back(range);
    }
  }
}

void OwnMemory::copy() const {
#ifndef MADV_POPULATE_WRITE
  constexpr int MADV_POPULATE_WRITE = 23;  // Linux 5.14.
#endif
  for (const Range& range : ranges_)
    ::madvise(reinterpret_cast<void*>(range.begin), range.bytes, MADV_POPULATE_WRITE);
}

}  // namespace harness::entries
