// SPDX-License-Identifier: Apache-2.0
// gate: compares two benchmark commands, and judges the difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace harness::entries {

struct GateOptions {
  std::vector<std::string> base;  ///< The command, one element per word.
  std::vector<std::string> head;
  std::size_t rounds = 160;      ///< Largest number of rounds of a measurement.
  double seconds = 0;            ///< Time limit in seconds; 0 = none.
  double timeout_seconds = 600;  ///< Time limit of one process.
  double min_time = 0.001;       ///< Seconds of one repetition.
  std::uint64_t seed = 1;
  std::size_t calibrating_rounds =
      0;  ///< Compares `base` with itself for this many rounds; 0 = compares it with the head.
  std::string samples;    ///< File for all samples; "" = none, likewise below.
  std::string recompute;  ///< File of samples to judge; nothing is run.
  std::string canaries;   ///< Record of canaries, for the error rates of the gate.
  std::string searches;   ///< Record of searches, for the page with the error rates.
  std::string rates;      ///< Record of canaries, for the page of a comparison.
  std::string junit;
  std::string markdown;
  std::string html;
  bool json = false;
};

/// Runs the command and returns its exit code.
int gate(const GateOptions& options);

}  // namespace harness::entries
