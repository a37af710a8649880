// SPDX-License-Identifier: Apache-2.0
// Options of the sanitizers at start-up. TSan sees tasks as threads, and the harness works for all
// of them, so its own allocations and copies are not races. Those of the code under test are in the
// arena.
#include "harness/base/sanitizers/sanitizers.h"

#include <utility>

#include "harness/base/sanitizers/report.h"

#if HARNESS_TSAN
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "ignore_interceptors_accesses=1:history_size=4";
}
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race_top:^operator delete\nrace_top:^operator new\n";
}
#endif

#if HARNESS_UBSAN
static bool undefined_reported = false;

/// Called by UBSan's run time for each report, before it decides whether to continue.
extern "C" __attribute__((visibility("default"))) void __ubsan_on_report() {
  undefined_reported = true;
}

bool harness::take_undefined_report() { return std::exchange(undefined_reported, false); }
#endif
