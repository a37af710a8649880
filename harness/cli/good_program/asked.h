// SPDX-License-Identifier: Apache-2.0
// Asked: runs a command with the program of some revision, which prints JSON.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "harness/base/process/process.h"

namespace harness::entries {

/// The user interrupted the command.
struct AskingStopped {};

/// One JSON object, or the reason why there is none.
struct Answer {
  std::optional<nlohmann::json> said;
  std::string why;
};

/// Runs the command, which may exit with 0 or 1, and kills it after this many seconds. Throws
/// BisectionStopped if `stop` is set.
Answer ask(const Command& command, const std::atomic<bool>& stop, double seconds = 3600);

/// Returns the faults in an answer of `replay` or `fuzz`, by their signatures.
std::set<std::string> signatures_in(const nlohmann::json& answer);

}  // namespace harness::entries
