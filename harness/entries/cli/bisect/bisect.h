// SPDX-License-Identifier: Apache-2.0
// The command `bisect`: finds the commit that introduced a fault, or removed it.
#pragma once

#include <cstdint>
#include <string>

#include "harness/entries/cli/bisect/builds.h"

namespace harness::entries {

struct BisectOptions {
  std::string file;
  std::string good;  ///< A revision that does not show the fault.
  std::string bad = "HEAD";
  BuildCommand build{"./scripts/build.sh dev afterlife", "build/dev/afterlife"};
  std::uint64_t runs = 32'000;  ///< Limit for measuring how long a search takes to find it.
  bool step = false;            ///< Judge the current folder's source tree, for `git bisect run`.
  bool fixed = false;           ///< Find the fix: the exit code is 0 if the fault is shown.
  bool json = false;
};
int bisect(const BisectOptions& options);

}  // namespace harness::entries
