// SPDX-License-Identifier: Apache-2.0
#include "harness/command/plain_words.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/json_words.h"
#include "harness/base/printable.h"

namespace harness::entries {

std::string plain_words(const std::exception& error) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return fmt::format("{}: {}", printable(file->path1().string()), file->code().message());
  if (dynamic_cast<const std::runtime_error*>(&error) != nullptr) return error.what();
  if (dynamic_cast<const nlohmann::json::exception*>(&error) != nullptr)
    return fmt::format("a file that was read is damaged: {}", json_words(error.what()));
  return fmt::format("an internal error ({}): please report it with the command line",
                     error.what());
}

}  // namespace harness::entries
