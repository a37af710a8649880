// SPDX-License-Identifier: Apache-2.0
// JSON text: how every JSON object of ours is printed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace harness::reports {

/// In ASCII, so that no text in it reaches a terminal as anything but text; bytes that are no UTF-8
/// (of a file's name) are U+FFFD.
inline std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace harness::reports
