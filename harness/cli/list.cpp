// SPDX-License-Identifier: Apache-2.0
// list: prints the contents of the tables.
#include "harness/cli/list.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/cli/footer.h"
#include "harness/command/exit_code.h"
#include "harness/command/lookup.h"
#include "harness/core/fault/kinds.h"
#include "harness/report/json_text.h"
#include "harness/report/table.h"
#include "harness/run/run.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;
using reports::Colour;
using reports::Table;
using reports::Terminal;

std::string joined(std::span<const Label> labels, const char* separator) {
  std::string text;
  for (const Label& label : labels) {
    if (!text.empty()) text += separator;
    text += label.view();
  }
  return text;
}

template <class Infos>
std::string names(const Infos& infos) {
  std::string text;
  for (const auto& info : infos) {
    if (!text.empty()) text += ' ';
    text += info.name.view();
  }
  return text;
}

void print(const Scenario& scenario, const Terminal& terminal) {
  const auto heading = [&](std::string_view text) { return terminal.paint(Colour::bold, text); };
  const std::string summary(scenario.summary);
  const std::size_t room =
      terminal.width - std::min(terminal.width / 2, scenario.name.view().size() + 2);
  fmt::print("{}  {}\n\n", heading(scenario.name.view()), reports::wrapped(summary, room, 2));
  Table variants({{"variant"}, {"claim"}, {"hazards, and a remark of the author", {}, true}});
  for (const VariantInfo& variant : scenario.variants) {
    std::string words = joined(variant.claim.hazards, ", ");
    if (variant.claim.always) words += " (always)";
    if (*variant.claim.words != '\0')
      words += (words.empty() ? "" : ": ") + std::string(variant.claim.words);
    variants.add({std::string(variant.name.view()),
                  std::string(to_label(variant.claim.kind).view()), words});
  }
  fmt::print("{}\n", variants.to_string(terminal));
  Table windows({{"window"}, {"where the race can happen", {}, true}});
  for (const Window& window : scenario.windows)
    windows.add({std::string(window.name.view()), std::string(window.summary)});
  fmt::print("{}\n", windows.to_string(terminal));
  Table axes({{"config axis"}, {"values, the default first", {}, true}});
  for (const Axis& axis : scenario.axes)
    axes.add({std::string(axis.name.view()), joined(axis.values, " ")});
  fmt::print("{}({} configs)\n\n", axes.to_string(terminal), config_count(scenario));
  for (const Omission& omission : scenario.without)
    fmt::print("{}\n\n", reports::wrapped(fmt::format("without the oracle {}: {}",
                                                      omission.oracle.view(), omission.why),
                                          terminal.width, 5));
  fmt::print("{}\n\n", reports::wrapped("ops: " + names(scenario.ops), terminal.width, 5));
}

template <class Info>
void add_members(Table& table, const char* kind, std::span<const Info* const> members) {
  for (const Info* member : members)
    table.add({std::string(kind), std::string(member->name.view()), std::string(member->summary)});
}

// A kind whose oracle has another name says so, because scenarios disable it by the oracle's name.
void add_faults(Table& table) {
  for (const FaultKindInfo& info : kFaultKinds) {
    std::string words(info.summary);
    if (info.oracle != info.label) words += fmt::format(" (oracle: {})", info.oracle.view());
    table.add({std::string("fault"), std::string(info.label.view()), words});
  }
}

void print_members(const Terminal& terminal) {
  Table table({{"kind"}, {"name"}, {"what it does", {}, true}});
  add_members(table, "strategy", tables::strategies());
  add_members(table, "actor", tables::actors());
  add_members(table, "oracle", tables::oracles());
  add_faults(table);
  add_members(table, "device", tables::devices());
  fmt::print("{}", table.to_string(terminal));
}

void print_report(std::span<const Scenario* const> paths, bool members) {
  const Terminal terminal = Terminal::of(1);
  for (const Scenario* scenario : paths) print(*scenario, terminal);
  if (members) print_members(terminal);
}

template <class Infos>
Json names_json(const Infos& infos) {
  Json names = Json::array();
  for (const auto& info : infos) names.push_back(info.name.view());
  return names;
}

template <class Info>
Json members_json(std::span<const Info* const> members) {
  Json names = Json::array();
  for (const Info* member : members) names.push_back(member->name.view());
  return names;
}

Json labels_json(std::span<const Label> labels) {
  Json names = Json::array();
  for (const Label& label : labels) names.push_back(label.view());
  return names;
}

Json faults_json() {
  Json kinds = Json::array();
  for (const FaultKindInfo& info : kFaultKinds)
    kinds.push_back({{"fault", info.label.view()}, {"oracle", info.oracle.view()}});
  return kinds;
}

Json without_json(const Scenario& scenario) {
  Json omissions = Json::array();
  for (const Omission& omission : scenario.without)
    omissions.push_back({{"oracle", omission.oracle.view()}, {"why", omission.why}});
  return omissions;
}

Json to_json(const Scenario& scenario) {
  Json variants = Json::array();
  for (const VariantInfo& variant : scenario.variants)
    variants.push_back({{"variant", variant.name.view()},
                        {"claim", to_label(variant.claim.kind).view()},
                        {"hazards", labels_json(variant.claim.hazards)},
                        {"always", variant.claim.always}});
  Json axes = Json::object();
  for (const Axis& axis : scenario.axes) axes[axis.name.c_str()] = labels_json(axis.values);
  return {{"path", scenario.name.view()},
          {"variants", variants},
          {"axes", axes},
          {"ops", names_json(scenario.ops)},
          {"windows", names_json(scenario.windows)},
          {"without", without_json(scenario)}};
}

void print_json(std::span<const Scenario* const> scenarios) {
  Json paths = Json::array();
  for (const Scenario* scenario : scenarios) paths.push_back(to_json(*scenario));
  const Json all{{"schema", 1},
                 {"paths", paths},
                 {"strategies", members_json(tables::strategies())},
                 {"actors", members_json(tables::actors())},
                 {"oracles", members_json(tables::oracles())},
                 {"faults", faults_json()},
                 {"devices", members_json(tables::devices())}};
  fmt::print("{}\n", reports::to_text(all));
}

}  // namespace

CLI::App* add_list(CLI::App& app, ListOptions& options) {
  CLI::App* command = app.add_subcommand("list",
                                         "List paths with their variants, configurations, "
                                         "operations and windows, and all strategies and devices");
  command->add_option("path", options.path, "Path to list (default: everything)")
      ->type_name("PATH");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer(claim_footer(
      "  afterlife list\n  afterlife list argpack\n  afterlife list --json | python3 -m "
      "json.tool"));
  return command;
}

int list(const ListOptions& options) {
  std::span<const Scenario* const> paths = tables::scenarios();
  const Scenario* only = options.path.empty() ? nullptr : &find_path(options.path);
  if (only != nullptr) paths = {&only, 1};
  options.json ? print_json(paths) : print_report(paths, only == nullptr);
  return kAsClaimed;
}

}  // namespace harness::entries
