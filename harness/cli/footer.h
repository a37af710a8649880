// SPDX-License-Identifier: Apache-2.0
// Footer: the end of the help of a command that judges claims.
#pragma once

#include <string>

#include "harness/command/arguments.h"

namespace harness::entries {

inline constexpr const char* kClaimExitCodes =
    "Exit: 0 every claim holds, 1 one does not, 2 a file, the disk or the GPU, 3 usage, 4 stopped, "
    "5 undecided (gate, prove).";

inline std::string claim_footer(const char* examples) {
  return help_footer(examples, kClaimExitCodes);
}

}  // namespace harness::entries
