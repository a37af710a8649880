// SPDX-License-Identifier: Apache-2.0
// Tapes JSON: kept tapes in plans and records.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "harness/nightly/tapes/shortest_tapes.h"

namespace harness::nightly {

/// Returns an array with an object for each tape.
nlohmann::json to_json(std::span<const KeptTape> tapes);

/// Parses such an array. Errors: nlohmann::json::exception, NotAName.
std::vector<KeptTape> tapes_in(const nlohmann::json& json);

}  // namespace harness::nightly
