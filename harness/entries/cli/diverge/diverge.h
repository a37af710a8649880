// SPDX-License-Identifier: Apache-2.0
// The command `diverge`: finds the function that behaves differently than in a revision or program
// that does not show the fault of a reproducer.
#pragma once

#include <string>

#include "harness/entries/cli/bisect/builds.h"

namespace harness::entries {

struct DivergeOptions {
  std::string file;
  std::string good;  ///< A revision that does not show it; "" = `good_program`.
  std::string bad = "HEAD";
  std::string good_program;  ///< A program built from the good revision, used instead of it.
  std::string bad_program;   ///< Likewise for the bad revision.
  BuildCommand build{"./scripts/build.sh flow afterlife", "build/flow/afterlife"};
  bool json = false;
};
int diverge(const DivergeOptions& options);

}  // namespace harness::entries
