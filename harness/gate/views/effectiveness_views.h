// SPDX-License-Identifier: Apache-2.0
// Effectiveness views: how soon searches find faults, whether a head finds them later than its
// base, and the error rates of that comparison, as tables and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/effectiveness.h"
#include "harness/gate/effectiveness_canaries.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns a row for each window: the searches with a fault in it, and after how many runs.
std::string searches_table(const gate::SideSample& side, const Terminal& terminal);

/// A comparison: its tests, and the rule by which they were judged.
struct EffectivenessReport {
  std::vector<gate::EffectivenessRow> rows;
  gate::EffectivenessRule rule;
  std::uint64_t searches = 0;  ///< On each side, for each variant.

  /// Returns whether a row has this verdict.
  bool has(gate::Verdict verdict) const;
};

/// Returns a row for each test, and a line with the effect that the tests could have detected.
std::string effectiveness_table(const EffectivenessReport& report, const Terminal& terminal);
/// Returns one object. Equal comparisons give equal bytes.
std::string effectiveness_json(const EffectivenessReport& report);

/// Returns a row for each canary.
std::string effectiveness_canary_table(const std::vector<gate::EffectivenessCanary>& canaries,
                                       const Terminal& terminal);
/// Returns one object. Equal records give equal bytes.
std::string effectiveness_canary_json(const std::vector<gate::EffectivenessCanary>& canaries);

}  // namespace harness::reports
