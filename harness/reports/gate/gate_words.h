// Gate words: figures and verdicts of the gate as all of its views say them.
#pragma once

#include <string>

#include "harness/gate/comparison.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Returns "+1.2 %" of the logarithm of a ratio; "?" where it is infinite.
std::string percent(double log_ratio);

/// Returns how the head compares: "+1.2 %", or "" where there is no estimate.
std::string ratio_of(const gate::Row& row);

/// Returns "-0.3 % .. +2.7 %", or "".
std::string interval_of(const gate::Row& row);

/// Returns the verdict, with its reason where it has one: "too noisy: noise floor 4.1 %".
std::string verdict_of(const gate::Row& row);

/// Returns the colour in which a verdict is shown: red for what fails.
Colour colour_of(gate::Verdict verdict);

/// Returns a sample of a side with four digits; "" where there is none.
std::string value_in_words(double value);

/// Returns "4 benchmarks: 3 pass, 1 slower; 60 rounds", and why it ended.
std::string summary_of(const gate::Comparison& comparison);

/// Returns "passed", "regressed", "failed", "undecided" or "stopped".
std::string_view name_of(gate::Outcome outcome);

/// Returns the words of a command as one line for a shell.
std::string command_line(const Command& command);

}  // namespace harness::reports
