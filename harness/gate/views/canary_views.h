// SPDX-License-Identifier: Apache-2.0
// Canary views: the error rates of the gate, as a table for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/canaries.h"
#include "harness/gate/effectiveness_canaries.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// The results of the gate, and of deliberately broken ones, on a record.
struct CanaryReport {
  std::vector<gate::CanaryRow> rows;
  std::vector<gate::PlantedRow> plants;
  std::vector<gate::EffectivenessCanary> searches = {};  ///< From the other record, if any.

  /// Returns the savings and losses by giving up, over all rows.
  gate::Curtailing curtailing() const;
  /// Returns whether a row is red, giving up loses too many verdicts, or a broken gate was not
  /// detected in enough samples.
  bool is_red() const;
};

/// Returns the result for a deliberately broken gate.
std::string words_of(const gate::PlantedRow& row);

/// Returns the table, and a line for each broken gate.
std::string canary_table(const CanaryReport& report, const Terminal& terminal);

/// Returns one object. Equal records give equal bytes.
std::string canary_json(const CanaryReport& report);

}  // namespace harness::reports
