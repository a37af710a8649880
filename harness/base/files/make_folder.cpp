// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/make_folder.h"

#include <filesystem>

#include "harness/base/files/fail.h"

namespace harness {

void make_folder(const std::string& folder, std::string_view advice) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    fail(folder, fmt::format("cannot make the folder: {}{}{}", failed.message(),
                             advice.empty() ? "" : "; ", advice));
}

}  // namespace harness
