// SPDX-License-Identifier: Apache-2.0
// Free threads: those that call the driver beside others and take no turns, so that the system
// decides who is first.
//
// If only one thread calls the driver, the order is fixed, whichever thread it is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace harness::entries {

/// Threads: for code that has the driver.
class FreeThreads {
 public:
  /// Notes a call by the calling thread, which has this number. Returns whether it is the first
  /// by a second thread, and the first took no turns.
  bool call(std::size_t thread, bool takes_turns);
  /// Notes that the thread which called first takes no turns.
  void add_first();

  /// Returns the number of the thread that called first; 0 if none has.
  std::size_t first() const { return first_; }
  bool are_any() const { return !free_.empty(); }
  /// Returns that there are, as the reason why a run may not repeat; nothing if there are none.
  std::string words(bool has_python) const;

 private:
  struct Thread {
    std::size_t number = 0;
    bool is_main = false;  ///< The process began with it.
  };

  std::size_t first_ = 0;
  bool first_takes_turns_ = false;
  bool first_is_main_ = false;
  bool are_several_ = false;
  std::vector<Thread> free_;
};

}  // namespace harness::entries
