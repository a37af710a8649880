// SPDX-License-Identifier: Apache-2.0
// The command `diverge`: which function behaves differently than it did in a revision, or program,
// that does not show what a reproducer shows.
#pragma once

#include <string>

#include "harness/entries/cli/bisect/builds.h"

namespace harness::entries {

struct DivergeOptions {
  std::string file;
  std::string good;  ///< A revision that does not show it; "" = the program below.
  std::string bad = "HEAD";
  std::string good_program;  ///< In place of a revision: what that was built as.
  std::string bad_program;   ///< Likewise.
  BuildCommand build{"./scripts/build.sh flow afterlife", "build/flow/afterlife"};
  bool json = false;
};
int diverge(const DivergeOptions& options);

}  // namespace harness::entries
