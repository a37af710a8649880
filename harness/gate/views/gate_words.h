// SPDX-License-Identifier: Apache-2.0
// Gate words: figures and verdicts of the gate in words, common to all its views.
#pragma once

#include <string>

#include "harness/gate/comparison.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns "+1.2 %" for the logarithm of a ratio; "?" if it is infinite.
std::string percent(double log_ratio);

/// Returns the ratio of the head to the base: "+1.2 %", or "" if there is no estimate.
std::string ratio_of(const gate::Row& row);

/// Returns "-0.3 % .. +2.7 %", or "".
std::string interval_of(const gate::Row& row);

/// Returns the verdict and its reason, if there is one: "too noisy (4.1 %)" with the noise floor,
/// "pass (first +5.1 %)" for a failure that was not confirmed.
std::string verdict_of(const gate::Row& row);

/// Returns the colour of a verdict: red for failures.
Colour colour_of(gate::Verdict verdict);

/// Returns a value with four digits; "" if there is none.
std::string value_in_words(double value);

/// The 20 % quantiles of both sides: "1.234 us" and "987.6 us", in the unit of the shorter one; ""
/// if there is none, and without a unit if a program printed only a number.
struct Sides {
  std::string base, head;
};

/// Returns them in words.
Sides sides_of(const gate::Row& row);

/// Returns "4 benchmarks: 3 pass, 1 slower; 60 rounds", and the reason for the end.
std::string summary_of(const gate::Comparison& comparison);

/// Returns whether a command of the plan lets the gate choose the length of a repetition.
bool has_min_time_place(const gate::Plan& plan);

/// Returns a line that says how undecided benchmarks may be decided; "" if there is no advice.
std::string advice_of(const gate::Comparison& comparison);

/// Returns "passed", "regressed", "failed", "undecided" or "stopped".
std::string_view name_of(gate::Outcome outcome);

/// Returns the words of a command as one line for a shell.
std::string command_line(const Command& command);

}  // namespace harness::reports
