// SPDX-License-Identifier: Apache-2.0
// memory: how much a search takes at most, and by how much that grows with its runs.
#pragma once

#include <cstdint>
#include <string>

namespace harness::entries {

struct MemoryOptions {
  std::string target;  ///< "" = the first sound variant of each path, "path" = of it.
  std::uint64_t runs = 20'000;
  std::uint64_t seed = 1;
  bool json = false;
};

/// Runs the command and returns its exit code.
int memory(const MemoryOptions& options);

}  // namespace harness::entries
