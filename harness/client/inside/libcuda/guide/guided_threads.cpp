// SPDX-License-Identifier: Apache-2.0
// Guided, its threads that take turns: a deadlock, and a thread that was lost.
#include <fmt/format.h>
#include <unistd.h>

#include "harness/client/border/hang_watch.h"
#include "harness/client/inside/libcuda/guide/guided.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

void Guided::are_not_watched() {
  if (report_.note.empty())
    report_.note =
        "another tool traces the lines of the program's threads: they switch only at driver calls "
        "and waits";
}

/// Makes the main thread check whether an event from outside could end the deadlock.
void Guided::stand() { client::ask_thread(::getpid(), ::getpid(), client::kMainStands); }

void Guided::lost(const BatonThread& thread, bool is_busy) {
  const std::string place =
      thread.file != nullptr ? fmt::format(" at {}:{}", *thread.file, thread.line) : "";
  const char* why =
      is_busy ? "is busy for long" : "waits for something that Afterlife does not see";
  doubt(fmt::format("{} {}{}, so others ran beside it", thread.shown, why, place));
}

void Guided::doubt(const std::string& why) {
  const std::lock_guard lock(doubt_mutex_);
  if (doubt_.empty() || why.empty()) doubt_ = why;
}

}  // namespace harness::entries
