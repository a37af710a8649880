// SPDX-License-Identifier: Apache-2.0
// Comparison: the result of a finished trial, and everything that a report of it needs.
#pragma once

#include <string>

#include "harness/gate/sample_file.h"
#include "harness/gate/trial.h"

namespace harness::gate {

/// The result of the gate.
enum class Outcome : unsigned char { passed, regressed, failed, undecided, stopped };

struct Comparison {
  Plan plan;
  Result result;
  std::string failure;  ///< Why a side could not be measured; "" if it could.

  /// Returns the worst part: a failure to measure, then a slower or missing benchmark, then a stop,
  /// then an undecided benchmark.
  Outcome outcome() const {
    if (!failure.empty()) return Outcome::failed;
    if (result.count(Verdict::slower) + result.count(Verdict::gone) > 0) return Outcome::regressed;
    if (result.end == End::stopped) return Outcome::stopped;
    const std::size_t open = result.count(Verdict::undecided) + result.count(Verdict::too_noisy);
    return open > 0 || result.end != End::complete ? Outcome::undecided : Outcome::passed;
  }
};

}  // namespace harness::gate
