// SPDX-License-Identifier: Apache-2.0
// A report of UBSan in a target, at a place where a signal follows: a dereferenced null pointer, a
// division by zero. The report is evidence and does not end the run: the signal is a fault, as in
// builds without UBSan.
#pragma once

namespace harness {

#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define HARNESS_UBSAN 1
#endif
#endif
#ifndef HARNESS_UBSAN
#define HARNESS_UBSAN 0
#endif

#if HARNESS_UBSAN
/// Returns whether UBSan reported anything since the last call.
bool take_undefined_report();
#else
/// Returns false: this build has no UBSan.
inline bool take_undefined_report() { return false; }
#endif

}  // namespace harness
