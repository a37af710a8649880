// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/effectiveness_canaries.h"

#include <algorithm>

namespace harness::gate {
namespace {

constexpr const char* kUnchanged = "unchanged";
constexpr const char* kHalfWasted = "half_wasted";
constexpr const char* kOneWindow = "one_window";

bool is_red(const SideSample& base, const SideSample& head, const EffectivenessRule& rule) {
  return std::ranges::any_of(compare(base, head, rule), [](const EffectivenessRow& row) {
    return row.verdict == Verdict::slower || row.verdict == Verdict::gone;
  });
}

EffectivenessCanary judge(const EffectivenessRecord& record, const EffectivenessRule& terms,
                          const char* program, bool each_window) {
  EffectivenessCanary canary{.program = program,
                             .each_window = each_window,
                             .is_false_alarm = program == std::string(kUnchanged),
                             .searches = each_window ? kSearchesOfWindows : kSearches,
                             .red = {}};
  EffectivenessRule rule = terms;
  rule.each_window = each_window;
  rule.factor = each_window ? kFactorOfWindow : kFactor;
  const std::size_t count = canary.searches, step = canary.is_false_alarm ? 2 * count : count;
  const std::size_t least = std::min(record.of(kUnchanged).size(), record.of(program).size());
  for (std::size_t begin = 0; begin + step <= least; begin += step)
    canary.red.add(is_red(record.side(kUnchanged, begin, count),
                          record.side(program, begin + step - count, count), rule));
  canary.health = health_of(canary.red, canary.is_false_alarm);
  return canary;
}

}  // namespace

std::vector<EffectivenessCanary> judge_effectiveness(const EffectivenessRecord& record,
                                                     const EffectivenessRule& rule) {
  return {judge(record, rule, kUnchanged, false), judge(record, rule, kHalfWasted, false),
          judge(record, rule, kUnchanged, true), judge(record, rule, kOneWindow, true)};
}

}  // namespace harness::gate
