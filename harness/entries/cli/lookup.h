// Lookup: what the names on a command line mean. Errors: UsageError that says what was meant, or
// lists what there is.
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

/// The window called `name`, or -1.
int window_index(const Scenario& scenario, const std::string& name);

/// Those whose path has this window; all when it is "".
std::vector<Target> with_window(std::vector<Target> targets, const std::string& name);

const StrategyInfo& find_strategy(const std::string& name);
/// The strategies of `run` are others: its runs are processes, which share no state.
const client::AnswersInfo& find_answers(const std::string& name);
const DeviceInfo& find_device(const std::string& name);
/// Refuses what `run` has not. A program calls one driver: the simulated one.
void require_run_device(const std::string& name);

/// The config that `text` spells, axis by axis; none when it is empty.
std::vector<Config> find_configs(const Scenario& scenario, const std::string& text);

std::string name_of(const Target& target);

/// How this program is called from the current folder.
std::string program_name();

}  // namespace harness::entries
