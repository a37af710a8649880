// SPDX-License-Identifier: Apache-2.0
// Progress: shows the progress of a long search on stderr: on a terminal as one line that is
// overwritten, otherwise as a line from time to time.
#pragma once

#include <string>

#include "harness/report/terminal.h"

namespace harness::reports {

class Progress {
 public:
  Progress(int fd, const Terminal& terminal) : fd_(fd), terminal_(terminal) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns whether it is time to show the progress. `seconds`: time since the beginning.
  bool due(double seconds) const { return seconds >= next_; }
  /// Shows `line`, which the next one overwrites on a terminal. `seconds` as for due().
  void show(double seconds, const std::string& line);
  /// Prints a line that stays, such as a finding.
  void say(const std::string& line);
  /// Erases the current line, if it can be overwritten.
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
