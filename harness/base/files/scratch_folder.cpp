// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/scratch_folder.h"

#include <cstdlib>
#include <filesystem>

#include "harness/base/files/fail.h"

namespace harness {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& prefix)
    : name_((fs::temp_directory_path() / (prefix + "-XXXXXX")).string()) {
  if (::mkdtemp(name_.data()) == nullptr) fail_by_errno(name_, "make this folder");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(name_, ignored);
}

}  // namespace harness
