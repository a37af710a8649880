// SPDX-License-Identifier: Apache-2.0
// Sample file: all samples of a trial in the order of measurement, one line of JSON each, from
// which all figures can be recomputed.
//
// The first line has the rule and the commands; then there is a line per process; the last line has
// the reason for the end. A file without the last line results from a crash, and counts as stopped.
// Errors: std::runtime_error, with the name of the file.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/gate/commands.h"

namespace harness::gate {

/// The parameters of a comparison: the commands and the rule.
struct Plan {
  Command base;
  Command head;
  Rule rule;
  double repetition_seconds = kRepetitionSeconds;  ///< For commands with a placeholder.
  bool operator==(const Plan&) const = default;
};

/// Writes a file line by line. Each line is flushed before the next sample is measured.
class SampleWriter {
 public:
  SampleWriter(std::string file, const Plan& plan);
  ~SampleWriter();
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  /// Writes a line. Errors: throws if the file cannot be written.
  void add(const Sample& sample);
  /// Writes the last line with the reason for the end. `is_unjudged`: the last look was not
  /// computed.
  void end(End why, bool is_unjudged);

 private:
  void write(const std::string& line);

  std::string file_;
  std::FILE* stream_;
};

/// A source that replays the measurements of a file.
class Recorded : public Source {
 public:
  /// `seconds`: time limit for reading and computing; 0 for none.
  explicit Recorded(const std::string& file, double seconds = 0);

  const Plan& plan() const { return plan_; }
  std::optional<Round> measure(const Request& request) override;
  End why_ended() const override {
    if (is_late_) return End::out_of_time;
    return end_ == End::complete ? End::stopped : end_;
  }
  /// Also ends the look that was not computed in the original trial, so that there is no verdict
  /// here either.
  bool must_end() override;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double seconds_;
  bool is_late_ = false;  ///< The limit was reached while it was computed.
  Plan plan_;
  std::vector<Sample> samples_;
  std::size_t next_ = 0;
  End end_ = End::stopped;
  bool is_unjudged_ = false;
};

}  // namespace harness::gate
