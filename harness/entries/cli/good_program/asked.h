// SPDX-License-Identifier: Apache-2.0
// Asked: a program of some revision carries out a command and prints JSON.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "harness/process/process.h"

namespace harness::entries {

/// The user interrupted the command.
struct AskingStopped {};

/// One JSON object, or why there is none.
struct Answer {
  std::optional<nlohmann::json> said;
  std::string why;
};

/// Runs the command, which may end with 0 or 1, and is ended after this many seconds. Throws
/// AskingStopped where `stop` is set.
Answer ask(const Command& command, const std::atomic<bool>& stop, double seconds = 3600);

/// Returns the faults in an answer of `replay` or `fuzz`, by their signatures.
std::set<std::string> signatures_in(const nlohmann::json& answer);

}  // namespace harness::entries
