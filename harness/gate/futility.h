// SPDX-License-Identifier: Apache-2.0
// Futility: whether more rounds can still decide a benchmark.
//
// Source: predictive power (Spiegelhalter, Freedman and Blackburn 1986, "Monitoring clinical
// trials: conditional or predictive power?"): the chance, from what is known now and no prior, that
// the last look has a verdict. It departs from the paper in that the interval is taken to shrink
// faster than by the square root of the rounds, as recorded ones do
// (harness/docs/explanation/gate.md has the figures).
#pragma once

#include <cstddef>

#include "harness/gate/rule.h"

namespace harness::gate {

/// Returns the probability that an undecided benchmark has a verdict after `rounds` rounds in all.
double chance_of_verdict(const Estimate& estimate, std::size_t rounds, const Rule& rule);

/// Returns whether an undecided benchmark gets no more rounds, because that probability is too
/// small.
bool is_futile(const Estimate& estimate, const Rule& rule);

}  // namespace harness::gate
