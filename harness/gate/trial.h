// SPDX-License-Identifier: Apache-2.0
// Trial: one comparison of two sides. It measures rounds, looks, continues with what is undecided,
// and confirms what failed.
//
// Samples come from a Source: commands, a file of samples, or a simulated machine, so that all
// three are judged by the same code.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/gate/rule.h"
#include "harness/gate/samples.h"

namespace harness::gate {

/// One round to be measured.
struct Request {
  std::size_t confirmation = 0;     ///< 0 = the first measurement; then which one again.
  std::size_t round = 0;            ///< Counts from 0 in each measurement.
  std::vector<std::string> wanted;  ///< Benchmarks that are needed; empty = all there are.
  std::size_t to_look = 1;          ///< Rounds until the next look, this one included.
};

/// Why a trial ended.
enum class End : unsigned char { complete, out_of_time, stopped, too_short };

/// Returns the words for it: "complete", "out of time", "stopped", "no time for the next look".
std::string_view name_of(End end);

/// Measures. Errors: std::exception if a side cannot be measured, which ends the trial.
class Source {
 public:
  virtual ~Source() = default;
  /// Returns a round with fresh processes, or nothing where measuring ends before its time.
  virtual std::optional<Round> measure(const Request& request) = 0;
  /// Returns why there was nothing.
  virtual End why_ended() const = 0;
  /// Returns whether computing has to end as well, for the reason of why_ended().
  virtual bool must_end() { return false; }
};

/// One benchmark and its result.
struct Row {
  std::string name;
  Verdict verdict = Verdict::undecided;
  std::optional<Estimate> estimate;  ///< The one that was judged last; none of what is one-sided.
  std::optional<Estimate> unconfirmed;  ///< A fail that a second measurement did not show.
  bool is_given_up = false;             ///< More rounds could hardly decide it.
  double base = 0;                      ///< The low quantile of the base's samples; 0 = none.
  double head = 0;                      ///< The low quantile of the head's samples; 0 = none.
};

struct Result {
  std::vector<Row> rows;  ///< Benchmarks in the order of their names.
  End end = End::complete;
  std::size_t rounds = 0;      ///< Measured in all, those that confirm included.
  bool is_unjudged = false;    ///< The last look had to end before it had computed everything.
  std::size_t uncomputed = 0;  ///< Benchmarks of which no estimate has all that was measured.

  /// Returns how many rows have this verdict.
  std::size_t count(Verdict verdict) const;
};

/// Computing may continue for this long after a trial was stopped or its time was over.
inline constexpr double kShownSeconds = 0.3;

class Trial {
 public:
  /// Borrows the source.
  Trial(Source& source, Rule rule) : source_(source), rule_(std::move(rule)) {}

  /// Measures and judges until every benchmark has its verdict, or the source ends it.
  void run();
  /// Returns what is known by now, also where run() threw. Of what is open it shows an estimate,
  /// where that takes no longer than kShownSeconds in all.
  Result result();

 private:
  /// One benchmark on its way to a verdict.
  struct Progress {
    Row row;
    Series series;
    bool takes_part = true;            ///< Whether it takes part in the measurement under way.
    bool is_open = true;               ///< Needs more rounds.
    std::size_t estimated_rounds = 0;  ///< The length of the series when it was estimated.
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
  std::size_t part_count_ = 0;  ///< Benchmarks that take part in the measurement.
  std::size_t rounds_ = 0;
  bool is_unjudged_ = false;
  End end_ = End::complete;
};

}  // namespace harness::gate
