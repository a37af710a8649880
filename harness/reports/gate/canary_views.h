// SPDX-License-Identifier: Apache-2.0
// Canary views: how often the gate was wrong, as a table for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/canaries.h"
#include "harness/gate/effectiveness_canaries.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// A record judged by the gate as it is, and by broken ones.
struct CanaryReport {
  std::vector<gate::CanaryRow> rows;
  std::vector<gate::PlantedRow> plants;
  std::vector<gate::EffectivenessCanary> searches = {};  ///< From the other record, if any.

  /// Returns how much giving up saved and lost in all rows.
  gate::Curtailing curtailing() const;
  /// Returns whether a row is red, too many verdicts are lost by giving up, or a broken gate was
  /// not seen in samples enough.
  bool is_red() const;
};

/// Returns what became of a gate that was broken on purpose.
std::string words_of(const gate::PlantedRow& row);

/// Returns the table, and a line for each broken gate.
std::string canary_table(const CanaryReport& report, const Terminal& terminal);

/// Returns one object; equal records make equal bytes.
std::string canary_json(const CanaryReport& report);

}  // namespace harness::reports
