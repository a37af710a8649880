// SPDX-License-Identifier: Apache-2.0
// The command `bisect`: which commit made a fault, or removed it.
#pragma once

#include <cstdint>
#include <string>

#include "harness/entries/cli/bisect/builds.h"

namespace harness::entries {

struct BisectOptions {
  std::string file;
  std::string good;  ///< A revision that does not show it.
  std::string bad = "HEAD";
  BuildCommand build{"./scripts/build.sh dev afterlife", "build/dev/afterlife"};
  std::uint64_t runs = 32'000;  ///< At most, to measure how long a search takes to find it.
  bool step = false;            ///< Judge the tree of the current folder, for `git bisect run`.
  bool fixed = false;           ///< The other way round: 0 if it is shown.
  bool json = false;
};
int bisect(const BisectOptions& options);

}  // namespace harness::entries
