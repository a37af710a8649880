// SPDX-License-Identifier: Apache-2.0
// Other build: a program of another build of this tree, in a folder beside this program's own, as
// build/NAME/PROGRAM has it.
#pragma once

#include <string>

namespace harness::entries {

struct OtherBuild {
  std::string program;  ///< Its file, whether it is there or not.
  std::string why_not;  ///< It is not there, and this builds it; "" = it is.
  bool is_own = false;  ///< It is this very program.
};

/// Returns where that build has the program of this name; "" = this program's. Errors:
/// std::filesystem::filesystem_error.
OtherBuild other_build(const std::string& build, const std::string& name = "");

}  // namespace harness::entries
