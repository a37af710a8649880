// SPDX-License-Identifier: Apache-2.0
// Missed calls: counts the program's calls of functions that we export but do not simulate. It
// depends on the C library only.
#pragma once

#include <stddef.h>
#include <stdio.h>

namespace harness::entries {

/// Counts the calls of a library's functions, and lists them on stderr at the end of the process.
/// Threads: any.
template <size_t kCount>
class MissedCalls {
 public:
  constexpr MissedCalls(const char* error, const char* const (&names)[kCount])
      : error_(error), names_(names) {}
  MissedCalls(const MissedCalls&) = delete;
  ~MissedCalls() {
    bool is_first = true;
    for (size_t row = 0; row < kCount; ++row) {
      if (count(row) == 0) continue;
      if (is_first) fprintf(stderr, "afterlife: not simulated, returned %s: ", error_);
      fprintf(stderr, "%s%s (%llu)", is_first ? "" : ", ", names_[row], count(row));
      is_first = false;
    }
    if (!is_first) fputc('\n', stderr);
  }

  /// Counts a call of the function with this index.
  void note(size_t row) { __atomic_fetch_add(&counts_[row], 1, __ATOMIC_RELAXED); }
  /// Returns the number of calls of the function with this index.
  unsigned long long count(size_t row) const {
    return __atomic_load_n(&counts_[row], __ATOMIC_RELAXED);
  }

 private:
  const char* error_;
  const char* const (&names_)[kCount];
  unsigned long long counts_[kCount] = {};
};

}  // namespace harness::entries
