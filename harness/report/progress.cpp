// SPDX-License-Identifier: Apache-2.0
#include "harness/report/progress.h"

#include <unistd.h>

namespace harness::reports {

void Progress::show(double seconds, const std::string& line) {
  const bool first_log = !terminal_.live && !shown_ && seconds < kLogSeconds;
  next_ = terminal_.live ? seconds + kLiveSeconds : first_log ? kLogSeconds : seconds + kLogSeconds;
  if (first_log) return;
  const std::string text = terminal_.fit(line, terminal_.width - 1);
  write(terminal_.live ? "\r\x1b[K" + text : text + "\n");
  shown_ = true;
}

void Progress::say(const std::string& line) {
  clear();
  write(line + "\n");
}

void Progress::clear() {
  if (terminal_.live && shown_) write("\r\x1b[K");
  shown_ = shown_ && !terminal_.live;
}

// A line that cannot be written is dropped: a closed pipe must not end a search.
void Progress::write(const std::string& text) const {
  [[maybe_unused]] const auto written = ::write(fd_, text.data(), text.size());
}

}  // namespace harness::reports
