// SPDX-License-Identifier: Apache-2.0
// Sample file: all samples of a trial in the order in which they were measured, a line of JSON
// each, so that every figure can be computed again.
//
// The first line is the rule and the commands; then a line per process; the last says why it ended.
// A file without a last line is one whose writer was killed, and counts as stopped.
// Errors: std::runtime_error, with the name of the file.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "harness/gate/commands.h"

namespace harness::gate {

/// The terms of a comparison: what is compared and how.
struct Plan {
  Command base;
  Command head;
  Rule rule;
  double repetition_seconds = kRepetitionSeconds;  ///< In commands with a place for it.
  bool operator==(const Plan&) const = default;
};

/// Writes a file line by line; each line is on its way to the disk before the next is measured.
class SampleWriter {
 public:
  SampleWriter(std::string file, const Plan& plan);
  ~SampleWriter();
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  /// Writes a line. Errors: a file that takes no more throws.
  void add(const Sample& sample);
  /// Writes the last line, which says why no sample follows.
  /// `is_unjudged`: the last look was not computed.
  void end(End why, bool is_unjudged);

 private:
  void write(const std::string& line);

  std::string file_;
  std::FILE* stream_;
};

/// A file that was read: a source that measures what was measured then.
class Recorded : public Source {
 public:
  explicit Recorded(const std::string& file);

  const Plan& plan() const { return plan_; }
  std::optional<Round> measure(const Request& request) override;
  End why_ended() const override { return end_ == End::complete ? End::stopped : end_; }
  /// The look that was not computed then has no verdict now.
  bool must_end() override { return is_unjudged_ && next_ == samples_.size(); }

 private:
  Plan plan_;
  std::vector<Sample> samples_;
  std::size_t next_ = 0;
  End end_ = End::stopped;
  bool is_unjudged_ = false;
};

}  // namespace harness::gate
