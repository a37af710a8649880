// SPDX-License-Identifier: Apache-2.0
// JSON text: prints all our JSON objects.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace harness::reports {

/// Returns ASCII text, so that its strings cannot control a terminal. Bytes that are not valid
/// UTF-8 (in a file name) become U+FFFD.
inline std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace harness::reports
