// SPDX-License-Identifier: Apache-2.0
// Symptoms: what a user of the real system sees of a fault, which is not a word of the model.
//
// A path's table says it, in scenarios/<path>/symptoms.cpp; the build finds that file, and a path
// may have none. A row fits by what a run shows: the fault, its object and sites, its detail and
// the config; never by the variant. The first row that fits is it; where none does, nothing is
// said.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/fault.h"
#include "harness/scenario.h"

namespace harness {

/// One row. What is left empty fits anything.
struct Symptom {
  FaultKind kind{};
  Label object;
  Label death;
  Label use;
  std::string_view detail = {};  ///< A part of the fault's detail.
  std::string_view config = {};  ///< One value of one axis: "backend=cpu".
  /// In a line; "{}" stands for the fault's detail.
  std::string_view sees = {};
  std::string_view source = {};  ///< The upstream code, document or report that says so.
};

/// The rows of a path; the order counts.
struct SymptomTable {
  Label path;
  std::span<const Symptom> rows;
};

namespace tables {
/// Returns the tables of the paths that have one. The build makes it, as those of tables.h.
std::span<const SymptomTable* const> symptoms();
}  // namespace tables

/// Returns the row of the scenario's table that fits, or null.
const Symptom* symptom_of(const Scenario& scenario, const Config& config, const Fault& fault);

/// Returns whether a row fits.
bool fits(const Symptom& symptom, const Scenario& scenario, const Config& config,
          const Fault& fault);

/// Returns what is seen, with the fault's detail where the row asks for it.
std::string in_words(const Symptom& symptom, const Fault& fault);

}  // namespace harness
