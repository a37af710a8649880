// SPDX-License-Identifier: Apache-2.0
// memory: measures the peak memory of a search, and its growth with the number of runs.
#pragma once

#include <cstdint>
#include <string>

namespace harness::entries {

struct MemoryOptions {
  std::string target;  ///< "" = the first sound variant of each path, "path" = of that path.
  std::uint64_t runs = 20'000;
  std::uint64_t seed = 1;
  bool json = false;
};

/// Runs the command and returns its exit code.
int memory(const MemoryOptions& options);

}  // namespace harness::entries
