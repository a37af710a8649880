// What the sanitizers are told at start-up. Tasks are threads to TSan, and the harness works for all of
// them: its own allocations and copies are no races. Those of the code under test live in the arena.
#include "harness/sanitizers.h"

#if HARNESS_TSAN
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "ignore_interceptors_accesses=1:history_size=4";
}
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race_top:^operator delete\nrace_top:^operator new\n";
}
#endif
