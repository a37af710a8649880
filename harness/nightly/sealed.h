// SPDX-License-Identifier: Apache-2.0
// Sealed: a JSON file that names its kind and version, and ends with a hash of the bytes before it,
// so that truncated and modified files are detected.
//
//     {"afterlife_nightly": "plan 1", ..., "seal": "0123456789abcdef"}
//
// Errors: std::runtime_error with one line that names the file.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "harness/base/files/fail.h"
#include "harness/base/files/plain_name.h"

namespace harness::nightly {

/// Returns the text of a file of this kind, in ASCII. Bytes that are not valid UTF-8 become U+FFFD.
std::string sealed(std::string_view kind, nlohmann::json content);

/// Returns the content of a file of this kind, without its seal.
nlohmann::json opened(std::string_view kind, const std::string& text, const std::string& file);

/// Throws the error for a file whose seal is valid, but whose content cannot be read.
[[noreturn]] void refuse_content(std::string_view kind, const std::string& file);

/// Returns the result of `read` for the content.
template <class Read>
auto parse_sealed(std::string_view kind, const std::string& text, const std::string& file,
                  Read read) {
  nlohmann::json content = opened(kind, text, file);
  try {
    return read(std::move(content));
  } catch (const nlohmann::json::exception&) {
    refuse_content(kind, file);
  } catch (const NotAName& error) {
    fail(file, error.what());
  }
}

}  // namespace harness::nightly
