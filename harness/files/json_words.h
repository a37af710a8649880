// SPDX-License-Identifier: Apache-2.0
// JSON words: what the JSON library says of a text, for a message.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Returns the words without "[json.exception.type_error.302] " before them.
inline std::string json_words(std::string_view what) {
  constexpr std::string_view kMark = "[json.exception.";
  const std::size_t end = what.find("] ");
  if (what.starts_with(kMark) && end != what.npos) what.remove_prefix(end + 2);
  return std::string(what);
}

}  // namespace harness
