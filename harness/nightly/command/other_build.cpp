// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/other_build.h"

#include <fmt/format.h>

#include <filesystem>

namespace harness::entries {

namespace fs = std::filesystem;

OtherBuild other_build(const std::string& build, const std::string& name) {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const std::string file = name.empty() ? self.filename().string() : name;
  const fs::path program = self.parent_path().parent_path() / build / file;
  OtherBuild other{program.string(), "", program == self};
  if (!fs::exists(program))
    other.why_not = fmt::format("it is not built: ./scripts/build.sh {} {}", build, file);
  return other;
}

}  // namespace harness::entries
