// SPDX-License-Identifier: Apache-2.0
// counters: the deterministic work of each sound variant in the ordinary use of its path and in the
// committed programs. The numbers are exact and equal on all machines, for a gate to compare.
#include "harness/cli/counters.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/footer.h"
#include "harness/cli/programs.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/report/json_text.h"
#include "harness/report/table.h"
#include "harness/run/run.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;

/// A case, and the name of its counters.
struct Work {
  std::string name;
  Case the_case;
};

/// The counters of one run, in the order of display.
using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

bool is_launch(std::string_view call) {
  return call.starts_with("cuLaunch") || call.starts_with("cuGraphLaunch");
}

Counters count(Runner& runner, const Case& the_case) {
  const Outcome& outcome = runner.run(the_case);
  std::uint64_t births = 0, calls = 0, launches = 0, submits = 0;
  for (const Event& event : runner.history().events()) {
    births += event.kind == EventKind::birth;
    submits += event.kind == EventKind::submit;
    calls += event.kind == EventKind::call;
    launches += event.kind == EventKind::call && is_launch(event.what.view());
  }
  return {{"turns", outcome.turns},
          {"questions", outcome.question_count},
          {"events", runner.history().events().size()},
          {"allocations", births},
          {"calls", calls},
          {"launches", launches},
          {"submissions", submits}};
}

std::vector<Work> works_of(const std::string& corpus, const Target& target) {
  std::vector<Work> works{{name_of(target) + " plain", read_plain(corpus, *target.scenario)}};
  works.back().the_case.variant = target.variant;
  for (const Program& program : read_programs(corpus, *target.scenario)) {
    Case the_case = program.reproducer.the_case;
    the_case.variant = target.variant;
    works.push_back({name_of(target) + " " + program.name, std::move(the_case)});
  }
  return works;
}

reports::Table table_of(const Json& rows) {
  using reports::Align;
  std::vector<reports::Column> columns{{"case", Align::left, true}};
  for (const auto& [key, value] : rows.begin().value().items())
    columns.push_back({key, Align::right});
  reports::Table table(columns);
  for (const auto& [name, counters] : rows.items()) {
    std::vector<reports::Cell> row{{name}};
    for (const auto& [key, value] : counters.items())
      row.push_back({reports::grouped(value.get<std::uint64_t>())});
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

CLI::App* add_counters(CLI::App& app, CountersOptions& options) {
  CLI::App* command = app.add_subcommand(
      "counters",
      "Count the work of sound variants, in ordinary use and in the committed programs");
  command->add_option("target", options.target, "PATH or PATH/VARIANT (default: everything)")
      ->type_name("PATH[/VARIANT]");
  command->add_option("--corpus", options.corpus, "Folder of the corpus (corpus)")
      ->type_name("DIR");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer(claim_footer("  afterlife counters argpack\n  afterlife counters --json"));
  return command;
}

int counters(const CountersOptions& options) {
  end_on_interrupts();
  Runner runner;
  Json rows = Json::object();
  for (const Target& target : find_targets(options.target)) {
    const bool is_sound = target.scenario->variants[target.variant].claim.kind == ClaimKind::sound;
    if (!is_sound && options.target.find('/') == std::string::npos) continue;
    for (const Work& work : works_of(options.corpus, target))
      for (const auto& [key, value] : count(runner, work.the_case)) rows[work.name][key] = value;
  }
  if (rows.empty()) throw UsageError(fmt::format("'{}' has no sound variant", options.target));
  if (options.json)
    fmt::print("{}\n", reports::to_text({{"schema", 1}, {"counters", rows}}));
  else
    fmt::print("{}", table_of(rows).to_string(reports::Terminal::of(1)));
  return kAsClaimed;
}

}  // namespace harness::entries
