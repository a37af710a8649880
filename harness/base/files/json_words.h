// SPDX-License-Identifier: Apache-2.0
// JSON words: an error message of the JSON library, for our messages.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Returns the message without "[json.exception.type_error.302] " before it.
inline std::string json_words(std::string_view what) {
  constexpr std::string_view kMark = "[json.exception.";
  const std::size_t end = what.find("] ");
  if (what.starts_with(kMark) && end != what.npos) what.remove_prefix(end + 2);
  return std::string(what);
}

}  // namespace harness
