// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/command/effectiveness/effectiveness.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/gate/effectiveness_file.h"
#include "harness/gate/effectiveness_record.h"
#include "harness/gate/views/effectiveness_views.h"

namespace harness::entries {
namespace {

using gate::Health;
using gate::Verdict;
using reports::Terminal;

int measure(const EffectivenessOptions& options) {
  const gate::SideSample side = searched(options);
  if (options.json)
    fmt::print("{}\n", gate::to_json(side));
  else
    fmt::print("{}", reports::searches_table(side, Terminal::of(1)));
  return kAsClaimed;
}

int code_of(const reports::EffectivenessReport& report) {
  if (report.has(Verdict::slower) || report.has(Verdict::gone)) return kNotAsClaimed;
  return report.has(Verdict::undecided) ? kUndecided : kAsClaimed;
}

int compare(const EffectivenessOptions& options) {
  const gate::SideSample base = gate::read_side(options.compare[0]);
  const gate::SideSample head = gate::read_side(options.compare[1]);
  gate::EffectivenessRule rule;
  rule.each_window = options.windows;
  if (options.windows) rule.factor = gate::kFactorOfWindow;
  const reports::EffectivenessReport report{gate::compare(base, head, rule), rule,
                                            std::min(base.search_count(), head.search_count())};
  if (options.json)
    fmt::print("{}\n", reports::effectiveness_json(report));
  else
    fmt::print("{}", reports::effectiveness_table(report, Terminal::of(1)));
  return code_of(report);
}

int judge_itself(const EffectivenessOptions& options) {
  const auto canaries = gate::judge_effectiveness(gate::EffectivenessRecord(options.canaries), {});
  if (options.json)
    fmt::print("{}\n", reports::effectiveness_canary_json(canaries));
  else
    fmt::print("{}", reports::effectiveness_canary_table(canaries, Terminal::of(1)));
  const bool is_red = std::ranges::any_of(
      canaries, [](const auto& canary) { return canary.health == Health::red; });
  return is_red ? kNotAsClaimed : kAsClaimed;
}

}  // namespace

int effectiveness(const EffectivenessOptions& options) {
  const bool compares = !options.compare.empty(), judges = !options.canaries.empty();
  if (compares + judges + !options.target.empty() > 1)
    throw UsageError("name a variant, --compare or --canaries, and only one of them");
  if (options.windows && !compares) throw UsageError("--windows is for --compare");
  end_on_interrupts();
  if (compares) return compare(options);
  return judges ? judge_itself(options) : measure(options);
}

}  // namespace harness::entries
