// SPDX-License-Identifier: Apache-2.0
// Lookup: finds what the names on a command line mean. Errors: UsageError with a suggestion, or a
// list of known names.
#pragma once

#include <string>
#include <vector>

#include "harness/client/search/answers.h"
#include "harness/run.h"

namespace harness::entries {

struct Target {
  const Scenario* scenario;
  std::size_t variant;
};

/// "" = every variant of every path, "path" = every variant of it, "path/variant" = one.
std::vector<Target> find_targets(const std::string& name);

const Scenario& find_path(const std::string& name);
/// Its index.
std::size_t find_window(const Scenario& scenario, const std::string& name);

/// Returns the window called `name`, or -1.
int window_index(const Scenario& scenario, const std::string& name);

/// Returns those whose path has this window; all if it is "".
std::vector<Target> with_window(std::vector<Target> targets, const std::string& name);

const StrategyInfo& find_strategy(const std::string& name);
/// Checks a strategy of `run`. It has different ones, because its runs are processes that share no
/// state.
const client::AnswersInfo& find_answers(const std::string& name);
const DeviceInfo& find_device(const std::string& name);
/// Refuses a device that `run` does not have. Programs call the simulated driver only.
void require_run_device(const std::string& name);

/// Returns the config that `text` spells, axis by axis; none if it is empty.
std::vector<Config> find_configs(const Scenario& scenario, const std::string& text);

std::string name_of(const Target& target);

/// Returns the command with which this program is called from the current folder.
std::string program_name();

}  // namespace harness::entries
