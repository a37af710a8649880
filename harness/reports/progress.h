// SPDX-License-Identifier: Apache-2.0
// Progress: what a long search shows on stderr meanwhile: on a terminal one line that rewrites
// itself, otherwise a line now and then.
#pragma once

#include <string>

#include "harness/reports/terminal.h"

namespace harness::reports {

class Progress {
 public:
  Progress(int fd, const Terminal& terminal) : fd_(fd), terminal_(terminal) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// True when it is time to show something again; `seconds` since the beginning.
  bool due(double seconds) const { return seconds >= next_; }
  /// Shows `line`, which the next one replaces on a terminal; `seconds` as for due().
  void show(double seconds, const std::string& line);
  /// A line that stays: a finding.
  void say(const std::string& line);
  /// Wipes the line that is shown, if it is one that can be replaced.
  void clear();

 private:
  static constexpr double kLiveSeconds = 0.2;
  static constexpr double kLogSeconds = 5;

  void write(const std::string& text) const;

  int fd_;
  Terminal terminal_;
  double next_ = 0.2;
  bool shown_ = false;
};

}  // namespace harness::reports
