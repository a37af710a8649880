// SPDX-License-Identifier: Apache-2.0
// Report: what the rows said: a line of JSON each as soon as it is known, and all as text at the
// end.
#pragma once

#include <string>
#include <vector>

#include "row.h"

/// The device and the driver that are asked.
struct Machine {
  std::string device, driver;
};

/// How the rows ended that have no answer of their own.
struct Counts {
  int timed_out = 0, crashed = 0, not_asked = 0;
};

class Report {
 public:
  /// Writes FOLDER/may.jsonl and FOLDER/may.txt; all of it to stdout where there is no folder.
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
