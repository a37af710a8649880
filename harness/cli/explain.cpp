// SPDX-License-Identifier: Apache-2.0
// explain: runs a reproducer with the instruments of its path enabled, and reports what they found.
#include "harness/cli/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/printable.h"
#include "harness/cli/footer.h"
#include "harness/client/command/run_client.h"
#include "harness/command/exit_code.h"
#include "harness/command/gather.h"
#include "harness/command/interrupt.h"
#include "harness/command/streams.h"
#include "harness/report/explanation.h"

namespace harness::entries {
namespace {

/// Repeated because some instruments see only part of a run. More runs show nothing new.
constexpr int kRunLimit = 64;

void require_instruments(const Scenario& scenario) {
  if (scenario.make_instruments != nullptr) return;
  std::string with;
  for (const Scenario* other : tables::scenarios())
    if (other->make_instruments != nullptr) with += fmt::format(" {}", other->name.view());
  throw UsageError(fmt::format("path {} has no instruments to explain with; these have:{}",
                               scenario.name.view(), with.empty() ? " none" : with));
}

/// Returns the set of instruments with these names.
InstrumentSet find_instruments(const Scenario& scenario, const std::vector<std::string>& names) {
  InstrumentSet set = 0;
  for (const std::string& name : names) {
    std::string known;
    InstrumentSet found = 0;
    for (std::size_t i = 0; i < scenario.instruments.size(); ++i) {
      known += fmt::format(" {}", scenario.instruments[i].name.view());
      if (scenario.instruments[i].name.view() == name) found = InstrumentSet{1} << i;
    }
    if (found == 0)
      throw UsageError(fmt::format("there is no instrument '{}'; available:{}", name, known));
    set |= found;
  }
  return set;
}

reports::Explanation explain(const Scenario& scenario, const Instruments& instruments,
                             InstrumentSet without) {
  reports::Explanation explanation;
  explanation.path = scenario.name.view();
  explanation.diagnosis = instruments.diagnose(without);
  explanation.record = instruments.record();
  const auto all =
      static_cast<InstrumentSet>((std::uint64_t{1} << scenario.instruments.size()) - 1);
  for (std::size_t i = 0; i < scenario.instruments.size(); ++i) {
    const Label name = scenario.instruments[i].name;
    const InstrumentSet only_this = InstrumentSet{1} << i;
    if ((without & only_this) != 0)
      explanation.without.push_back(name);
    else
      explanation.shares.push_back({name, instruments.diagnose(all & ~only_this),
                                    instruments.diagnose(without | only_this)});
  }
  return explanation;
}

}  // namespace

CLI::App* add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = app.add_subcommand("explain",
                                         "Run a reproducer with the instruments of its path, and "
                                         "print which class of writer caused the fault");
  command->add_option("file", options.file, "Reproducer of a path that has instruments")
      ->required()
      ->type_name("FILE");
  command->add_option("--without", options.without, "Instrument to leave out; may be repeated")
      ->type_name("INSTRUMENT");
  command->add_flag("--json", options.json, "One JSON object on stdout, with the judged record");
  command->footer(claim_footer(
      "  afterlife explain corpus/managed_dict/repros/incref_tagged_word-chunk_freed.repro\n"
      "  afterlife explain found.repro --without debug_allocator"));
  return command;
}

int explain(const ExplainOptions& options) {
  require_no_finding({options.file}, "`explain`");
  end_on_interrupts();
  const Reproducer recorded = read_reproducer(options.file);
  const Scenario& scenario = *recorded.the_case.scenario;
  require_instruments(scenario);
  const InstrumentSet without = find_instruments(scenario, options.without);
  const std::unique_ptr<Instruments> instruments = scenario.make_instruments();
  Runner runner;
  int runs = 0;
  Reproducer now;
  do {
    const Outcome& outcome = runner.run(recorded.the_case, *instruments);
    if (runs == 0) now = describe(runner, outcome, recorded.the_case);
  } while (++runs < kRunLimit && instruments->wants_another_run());

  reports::Explanation explanation = explain(scenario, *instruments, without);
  const std::vector<std::string>& faults = recorded.faults.empty() ? now.faults : recorded.faults;
  if (!faults.empty()) explanation.signature = faults.front();
  fmt::print("{}\n", options.json ? reports::to_json(explanation)
                                  : reports::to_text(explanation, reports::Terminal::of(1)));
  const bool as_recorded =
      recorded.faults.empty() ||
      std::find(now.faults.begin(), now.faults.end(), recorded.faults.front()) != now.faults.end();
  if (!as_recorded)
    say_error(fmt::format("the file has a fault that the run does not have: {}",
                          shown(recorded.faults.front(), kShownSignatureBytes)));
  return as_recorded ? kAsClaimed : kNotAsClaimed;
}

}  // namespace harness::entries
