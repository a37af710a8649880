// SPDX-License-Identifier: Apache-2.0
// Trial: one comparison of two sides. It measures rounds, judges them in looks, continues with
// undecided benchmarks, and confirms failures.
//
// Samples come from a Source: commands, a file of samples, or a simulated machine, so that the same
// code judges all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/gate/rule.h"
#include "harness/gate/samples.h"

namespace harness::gate {

/// A round to measure.
struct Request {
  std::size_t confirmation = 0;     ///< 0 at first, then the number of the confirmation.
  std::size_t round = 0;            ///< Counted from 0 in each measurement.
  std::vector<std::string> wanted;  ///< Benchmarks that are needed; empty = all.
  std::size_t to_look = 1;          ///< Rounds until the next look, including this one.
};

/// The reason for the end of a trial.
enum class End : unsigned char { complete, out_of_time, stopped, too_short };

/// Returns "complete", "out of time", "stopped" or "no time for the next look".
std::string_view name_of(End end);

/// Measures rounds. Errors: std::exception if a side cannot be measured, which ends the trial.
class Source {
 public:
  virtual ~Source() = default;
  /// Returns a round with new processes; nothing if measuring ends early.
  virtual std::optional<Round> measure(const Request& request) = 0;
  /// Returns the reason for that.
  virtual End why_ended() const = 0;
  /// Returns whether computing must stop, too, for the reason in why_ended().
  virtual bool must_end() { return false; }
};

/// A benchmark and its result.
struct Row {
  std::string name;
  Verdict verdict = Verdict::undecided;
  std::optional<Estimate> estimate;     ///< The last judged one; none for one-sided benchmarks.
  std::optional<Estimate> unconfirmed;  ///< A failure that the second measurement did not confirm.
  bool is_given_up = false;             ///< More rounds could hardly decide it.
  double base = 0;                      ///< The low quantile of the base's samples; 0 = none.
  double head = 0;                      ///< The low quantile of the head's samples; 0 = none.
};

struct Result {
  std::vector<Row> rows;  ///< Ordered by name.
  End end = End::complete;
  std::size_t rounds = 0;      ///< Total number, including confirmations.
  bool is_unjudged = false;    ///< The last look had to stop before all estimates were computed.
  std::size_t uncomputed = 0;  ///< Benchmarks without an estimate from all their samples.

  /// Returns the number of rows with this verdict.
  std::size_t count(Verdict verdict) const;
};

/// Time for computing after a trial was stopped or out of time, in seconds.
inline constexpr double kShownSeconds = 0.3;

class Trial {
 public:
  /// Borrows the source.
  Trial(Source& source, Rule rule) : source_(source), rule_(std::move(rule)) {}

  /// Measures and judges until each benchmark has a verdict, or the source ends it.
  void run();
  /// Returns the results so far, also after run() threw. Estimates of open benchmarks are computed
  /// if that takes at most kShownSeconds in total.
  Result result();

 private:
  /// A benchmark without a final verdict.
  struct Progress {
    Row row;
    Series series;
    bool takes_part = true;            ///< It participates in the current measurement.
    bool is_open = true;               ///< It needs more rounds.
    std::size_t estimated_rounds = 0;  ///< Length of the series at its last estimate.
  };

  bool measure(std::size_t confirmation);
  void take(const Request& request, const Round& round);
  void list(const Round& round);
  bool look();
  bool estimate_open(const MustEnd& must_end);
  void judge_open();
  void reopen_slower();
  std::vector<std::string> open() const;

  Source& source_;
  Rule rule_;
  std::map<std::string, Progress> progress_;
  std::vector<Row> one_sided_;
  std::size_t part_count_ = 0;  ///< Number of benchmarks that participate in the measurement.
  std::size_t rounds_ = 0;
  bool is_unjudged_ = false;
  End end_ = End::complete;
};

}  // namespace harness::gate
