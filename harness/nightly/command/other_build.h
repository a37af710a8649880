// SPDX-License-Identifier: Apache-2.0
// Other build: the program of another build of this source tree, in a folder beside this program's:
// build/NAME/PROGRAM.
#pragma once

#include <string>

namespace harness::entries {

struct OtherBuild {
  std::string program;  ///< Its path, whether it exists or not.
  std::string why_not;  ///< Why it is missing, with the command that builds it; "" = it exists.
  bool is_own = false;  ///< It is this program itself.
};

/// Returns the program with this name in that build; "" = this program's name. Errors:
/// std::filesystem::filesystem_error.
OtherBuild other_build(const std::string& build, const std::string& name = "");

}  // namespace harness::entries
