// SPDX-License-Identifier: Apache-2.0
// Report: the answers of the rows, written as a line of JSON as soon as each is known, and all as
// text at the end.
#pragma once

#include <string>
#include <vector>

#include "row.h"

/// The device and the driver that answered.
struct Machine {
  std::string device, driver;
};

/// The number of rows that ended without an answer.
struct Counts {
  int timed_out = 0, crashed = 0, not_asked = 0;
};

class Report {
 public:
  /// Writes FOLDER/may.jsonl and FOLDER/may.txt; without a folder, writes all to stdout.
  Report(Machine machine, const std::string& folder);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  bool can_write() const { return can_write_; }
  void tell(const Row& row, const std::string& answer, const std::string& detail, double ms);
  void end(const Counts& counts, double seconds);

 private:
  struct Told {
    std::string id, question, doc, answer, detail;
  };
  void print(FILE* to, const Told& one) const;

  Machine machine_;
  std::vector<Told> told_;
  FILE* lines_ = nullptr;
  FILE* table_ = nullptr;
  bool can_write_ = true;
};
