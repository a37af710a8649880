// SPDX-License-Identifier: Apache-2.0
#include "harness/command/lookup.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "harness/base/printable.h"
#include "harness/base/suggest.h"
#include "harness/command/exit_code.h"
#include "harness/run/whole_config.h"

namespace harness::entries {

void refuse_unknown(const std::string& what, const std::string& name,
                    const std::vector<std::string>& known) {
  const std::string meant = did_you_mean(name, known);
  throw UsageError(what +
                   (meant.empty() ? fmt::format("; available: {}", fmt::join(known, " ")) : meant));
}

namespace {

template <class Info>
const Info& require(std::span<const Info* const> table, const std::string& name, const char* kind) {
  if (const Info* info = find(table, name)) return *info;
  std::vector<std::string> known;
  for (const Info* info : table) known.emplace_back(info->name.view());
  refuse_unknown(fmt::format("there is no {} '{}'", kind, name), name, known);
}

/// Returns the index of `name` in a path's variants or windows. Throws UsageError if it is unknown.
template <class Infos>
std::size_t require_in(const Scenario& scenario, const Infos& infos, const std::string& name,
                       const char* kind) {
  std::vector<std::string> known;
  for (const auto& info : infos) {
    if (info.name.view() == name) return known.size();
    known.emplace_back(info.name.view());
  }
  refuse_unknown(fmt::format("path {} has no {} '{}'", scenario.name.view(), kind, name), name,
                 known);
}

}  // namespace

std::vector<Target> find_targets(const std::string& name) {
  const std::size_t slash = name.find('/');
  std::vector<Target> targets;
  if (slash != std::string::npos) {
    const Scenario& scenario = find_path(name.substr(0, slash));
    return {
        {&scenario, require_in(scenario, scenario.variants, name.substr(slash + 1), "variant")}};
  }
  if (!name.empty()) find_path(name);
  for (const Scenario* scenario : tables::scenarios()) {
    if (!name.empty() && scenario->name.view() != name) continue;
    for (std::size_t i = 0; i < scenario->variants.size(); ++i) targets.push_back({scenario, i});
  }
  return targets;
}

const Scenario& find_path(const std::string& name) {
  return require(tables::scenarios(), name, "path");
}

std::size_t find_window(const Scenario& scenario, const std::string& name) {
  return require_in(scenario, scenario.windows, name, "window");
}

int window_index(const Scenario& scenario, const std::string& name) {
  for (std::size_t i = 0; i < scenario.windows.size(); ++i)
    if (scenario.windows[i].name.view() == name) return static_cast<int>(i);
  return -1;
}

std::vector<Target> with_window(std::vector<Target> targets, const std::string& name) {
  if (name.empty()) return targets;
  std::vector<std::string> known;
  const Scenario* last = nullptr;
  for (const Target& target : targets) {
    if (std::exchange(last, target.scenario) == target.scenario) continue;
    for (const Window& window : target.scenario->windows) known.emplace_back(window.name.view());
  }
  std::erase_if(targets,
                [&](const Target& target) { return window_index(*target.scenario, name) < 0; });
  if (targets.empty()) refuse_unknown(fmt::format("there is no window '{}'", name), name, known);
  return targets;
}

const StrategyInfo& find_strategy(const std::string& name) {
  return require(tables::strategies(), name, "strategy");
}

const DeviceInfo& find_device(const std::string& name) {
  return require(tables::devices(), name, "device");
}

std::vector<Config> find_configs(const Scenario& scenario, const std::string& text) {
  if (text.empty()) return {};
  try {
    return {parse_whole_config(scenario, text)};
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

std::string name_of(const Target& target) {
  return fmt::format("{}/{}", target.scenario->name.view(),
                     target.scenario->variants[target.variant].name.view());
}

std::string program_name() {
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  if (none) return "afterlife";
  const std::filesystem::path near = std::filesystem::proximate(self, none);
  if (none || near.empty() || *near.begin() == "..") return self.string();
  return "./" + near.string();
}

}  // namespace harness::entries
