// SPDX-License-Identifier: Apache-2.0
// Free threads: threads that call the driver without taking turns, so that the system determines
// their order.
//
// If only one thread calls the driver, the order is fixed, even if it takes no turns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace harness::entries {

/// Threads: requires the driver.
class FreeThreads {
 public:
  /// Notes a call by the thread with this number. Returns whether it is the first call by a second
  /// thread, and the first thread takes no turns.
  bool call(std::size_t thread, bool takes_turns);
  /// Notes that the thread that called first takes no turns.
  void add_first();

  /// Returns the number of the thread that called first; 0 if none has.
  std::size_t first() const { return first_; }
  bool are_any() const { return !free_.empty(); }
  /// Returns a sentence that names them, as the reason why a run may not repeat; "" if there are
  /// none.
  std::string words(bool has_python) const;

 private:
  struct Thread {
    std::size_t number = 0;
    bool is_main = false;  ///< The main thread of the process.
  };

  std::size_t first_ = 0;
  bool first_takes_turns_ = false;
  bool first_is_main_ = false;
  bool are_several_ = false;
  std::vector<Thread> free_;
};

}  // namespace harness::entries
