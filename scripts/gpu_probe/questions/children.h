// SPDX-License-Identifier: Apache-2.0
// Children: each row in a process of its own with a deadline, so that a hang or a crash is an
// answer.
#pragma once

#include <map>

#include "page.h"
#include "report.h"

/// A page that children share with their parent. Never returns null.
Page* new_page();

class Children {
 public:
  /// So many at once, of rows that may be asked beside others; none begins after `budget` seconds.
  Children(Report& report, int jobs, double budget)
      : report_(report), jobs_(jobs), budget_(budget) {}

  /// Asks all rows whose names hold `only`, or one of its parts between commas.
  void ask(const std::vector<Row>& all, const std::string& only);
  const Counts& counts() const { return counts_; }

 private:
  struct Running {
    const Row* row;
    Page* page;
    Clock::time_point from, until;
  };

  /// Returns whether the row can begin beside those that run.
  bool fits(const Row& row) const;
  bool is_alone(const Row& row) const { return !row.beside || jobs_ < 2; }
  void begin(const Row& row);
  /// Begins rows from `next` on as long as they fit.
  void begin_some(const std::vector<Row>& wanted, size_t& next);
  void end_some();
  /// Returns the answer of a child that has ended, or is ended as it took too long.
  std::string answer_of(const Running& one, bool is_late, int status);

  Report& report_;
  int jobs_;
  double budget_;
  Clock::time_point from_ = Clock::now();
  std::map<pid_t, Running> running_;
  Counts counts_;
};
