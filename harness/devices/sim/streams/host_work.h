// SPDX-License-Identifier: Apache-2.0
// HostWork: a kernel whose body is a function of the program, and the memory that it declares to
// use.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/base.h"
#include "harness/driver/cuda/host_work.h"

namespace harness::devices {

/// Rows that the function uses, and the memory that they referred to at the launch.
struct HostWorkRange {
  std::uint64_t address = 0;
  BirthId birth = BirthId::none;  ///< None if there was no device memory.
  std::uint64_t bytes = 0;        ///< Bytes of a row.
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;
  int use = 0;  ///< AFTERLIFE_READS and similar.
};

struct HostWork {
  AfterlifeHostWork function = nullptr;
  void* data = nullptr;
  void (*release)(void*) = nullptr;  ///< Null if a graph owns the data.
  std::vector<HostWorkRange> ranges;

  void clear() {
    function = nullptr;
    data = nullptr;
    release = nullptr;
    ranges.clear();
  }
};

}  // namespace harness::devices
