// Trial: one comparison of two sides: measures rounds, looks, goes on with what is undecided, and
// confirms what failed.
//
// Where the samples come from is a Source: commands, a file of samples, or a simulated machine, so
// that all three are judged by the same code.
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
  std::size_t confirmation = 0;     ///< 0 = the first measurement; then which one anew.
  std::size_t round = 0;            ///< Counts from 0 in each measurement.
  std::vector<std::string> wanted;  ///< Benchmarks that are needed; empty = all there are.
};

/// Why a trial ended.
enum class End : unsigned char { complete, out_of_time, stopped };

/// Whoever measures. Errors: std::exception where a side cannot be measured, which ends the trial.
class Source {
 public:
  virtual ~Source() = default;
  /// Returns a round with fresh processes, or nothing where measuring ends before its time.
  virtual std::optional<Round> measure(const Request& request) = 0;
  /// Returns why there was nothing.
  virtual End why_ended() const = 0;
};

/// One benchmark and what it came to.
struct Row {
  std::string name;
  Verdict verdict = Verdict::undecided;
  std::optional<Estimate> estimate;  ///< The one that was judged last; none of what is one-sided.
  std::optional<Estimate> unconfirmed;  ///< A fail that a second measurement did not show.
  double base = 0;                      ///< The low quantile of the base's samples; 0 = none.
  double head = 0;                      ///< The low quantile of the head's samples; 0 = none.
};

struct Result {
  std::vector<Row> rows;  ///< In the order of their names.
  End end = End::complete;
  std::size_t rounds = 0;  ///< Measured in all, those that confirm included.

  /// Returns how many rows have this verdict.
  std::size_t count(Verdict verdict) const;
};

class Trial {
 public:
  /// Borrows the source.
  Trial(Source& source, Rule rule) : source_(source), rule_(std::move(rule)) {}

  /// Measures and judges until every benchmark has its verdict, or the source ends it.
  void run();
  /// Returns what is known by now, also where run() threw.
  Result result() const;

 private:
  /// One benchmark on its way to a verdict.
  struct Course {
    Row row;
    Series series;
    bool takes_part = true;  ///< In the measurement that is going on.
    bool is_open = true;     ///< Needs more rounds.
  };

  bool measure(std::size_t confirmation);
  void take(const Request& request, const Round& round);
  void list(const Round& round);
  void look();
  void reopen_slower();
  void estimate_row(Course& course) const;
  std::vector<std::string> open() const;

  Source& source_;
  Rule rule_;
  std::map<std::string, Course> courses_;
  std::vector<Row> one_sided_;
  std::size_t part_count_ = 0;  ///< Benchmarks that take part in the measurement.
  std::size_t rounds_ = 0;
  End end_ = End::complete;
};

}  // namespace harness::gate
