// SPDX-License-Identifier: Apache-2.0
// Unwatched: a scenario's own look at the code under test, between two turns, of which TSan is not
// told. The system under test has no such look: what it synchronises orders none, and a look that
// were ordered would hide races of the system's own.
#pragma once

#include "harness/sanitizers.h"

#if HARNESS_TSAN
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
#endif

namespace harness {

/// While it lives, TSan hears of no read of this task. No turn may be offered meanwhile.
class Unwatched {
 public:
#if HARNESS_TSAN
  Unwatched() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~Unwatched() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
#else
  Unwatched() {}  // Not defaulted: code that has one uses it.
#endif
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

}  // namespace harness
