// SPDX-License-Identifier: Apache-2.0
// Unwatched: reads of the code under test by a scenario, between two turns, that TSan does not see.
// The system under test has no such reads. They are not ordered by its synchronisation, and
// ordering them would hide races of the system.
#pragma once

#include "harness/base/sanitizers/sanitizers.h"

#if HARNESS_TSAN
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
#endif

namespace harness {

/// Hides reads of this task from TSan while it exists. No turn may be offered during that time.
class Unwatched {
 public:
#if HARNESS_TSAN
  Unwatched() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~Unwatched() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
#else
  Unwatched() {}  // Not defaulted, so that a variable of this type counts as used.
#endif
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

}  // namespace harness
