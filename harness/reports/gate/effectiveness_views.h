// SPDX-License-Identifier: Apache-2.0
// Effectiveness views: how soon searches found what there is, whether a head does so later than its
// base, and how often that comparison is wrong, as tables and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/effectiveness.h"
#include "harness/gate/effectiveness_canaries.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Returns a row for each window: in how many searches it had a fault, and after how many runs.
std::string searches_table(const gate::SideSample& side, const Terminal& terminal);

/// A comparison: its tests, and the terms on which they were judged.
struct EffectivenessReport {
  std::vector<gate::EffectivenessRow> rows;
  gate::EffectivenessRule rule;
  std::uint64_t searches = 0;  ///< On a side, of each variant.

  /// Returns whether a row has this verdict.
  bool has(gate::Verdict verdict) const;
};

/// Returns a row for each test, and a line that says what they would have found.
std::string effectiveness_table(const EffectivenessReport& report, const Terminal& terminal);
/// Returns one object; equal comparisons make equal bytes.
std::string effectiveness_json(const EffectivenessReport& report);

/// Returns a row for each canary.
std::string effectiveness_canary_table(const std::vector<gate::EffectivenessCanary>& canaries,
                                       const Terminal& terminal);
/// Returns one object; equal records make equal bytes.
std::string effectiveness_canary_json(const std::vector<gate::EffectivenessCanary>& canaries);

}  // namespace harness::reports
