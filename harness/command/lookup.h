// SPDX-License-Identifier: Apache-2.0
// Lookup: finds the objects with the names on a command line. Errors: UsageError with a suggestion,
// or a list of known names.
#pragma once

#include <string>
#include <vector>

#include "harness/run/run.h"

namespace harness::entries {

/// Refuses an unknown name: `what` is wrong, and these names are known. Errors: UsageError.
[[noreturn]] void refuse_unknown(const std::string& what, const std::string& name,
                                 const std::vector<std::string>& known);

struct Target {
  const Scenario* scenario;
  std::size_t variant;
};

/// Returns all variants of all paths for "", all of a path for "path", one for "path/variant".
std::vector<Target> find_targets(const std::string& name);

const Scenario& find_path(const std::string& name);
/// Returns the index of a window.
std::size_t find_window(const Scenario& scenario, const std::string& name);

/// Returns the index of the window with this name, or -1.
int window_index(const Scenario& scenario, const std::string& name);

/// Returns the targets whose path has this window; all if it is "".
std::vector<Target> with_window(std::vector<Target> targets, const std::string& name);

const StrategyInfo& find_strategy(const std::string& name);
const DeviceInfo& find_device(const std::string& name);

/// Returns the config with these axis values; none if `text` is empty.
std::vector<Config> find_configs(const Scenario& scenario, const std::string& text);

std::string name_of(const Target& target);

/// Returns the command that calls this program from the current folder.
std::string program_name();

}  // namespace harness::entries
