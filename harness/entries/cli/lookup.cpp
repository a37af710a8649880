#include "harness/entries/cli/lookup.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/entries/cli/commands.h"

namespace harness::entries {
namespace {

template <class Info>
std::string names(std::span<const Info* const> table) {
  std::string text;
  for (const Info* info : table) text += fmt::format(" {}", info->name.view());
  return text.empty() ? " none" : text;
}

template <class Info>
const Info& require(std::span<const Info* const> table, const std::string& name, const char* kind) {
  if (const Info* info = find(table, name)) return *info;
  throw UsageError(fmt::format("no {} is called '{}'; there is:{}", kind, name, names(table)));
}

std::size_t variant_index(const Scenario& scenario, const std::string& name) {
  try {
    return variant_named(scenario, name);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

std::vector<Target> find_targets(const std::string& name) {
  const std::size_t slash = name.find('/');
  std::vector<Target> targets;
  if (slash != std::string::npos) {
    const Scenario& scenario = require(tables::scenarios(), name.substr(0, slash), "path");
    return {{&scenario, variant_index(scenario, name.substr(slash + 1))}};
  }
  if (!name.empty()) require(tables::scenarios(), name, "path");
  for (const Scenario* scenario : tables::scenarios()) {
    if (!name.empty() && scenario->name.view() != name) continue;
    for (std::size_t i = 0; i < scenario->variants.size(); ++i) targets.push_back({scenario, i});
  }
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
    return {parse_config(scenario, text)};
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
