// SPDX-License-Identifier: Apache-2.0
// Futility: estimates whether more rounds can still decide a benchmark.
//
// Source: predictive power (Spiegelhalter, Freedman and Blackburn 1986, "Monitoring clinical
// trials: conditional or predictive power?"): the probability, given the data and no prior, that
// the last look has a verdict. We depart from the paper in that the interval is assumed to shrink
// faster than by the square root of the rounds, as recorded ones do
// (harness/docs/explanation/gate.md has the figures).
#pragma once

#include <cstddef>

#include "harness/gate/rule.h"

namespace harness::gate {

/// Returns the probability that an undecided benchmark has a verdict after `rounds` rounds in
/// total.
double chance_of_verdict(const Estimate& estimate, std::size_t rounds, const Rule& rule);

/// Returns whether to give up an undecided benchmark, because that probability is too small.
bool is_futile(const Estimate& estimate, const Rule& rule);

}  // namespace harness::gate
