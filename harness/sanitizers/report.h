// SPDX-License-Identifier: Apache-2.0
// UBSan's report in a target, where a signal follows: a null pointer that is followed, a division
// by zero. The report is evidence there, and ends nothing: the signal is a fault, as it is in the
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
/// Returns false: nothing reports in this build.
inline bool take_undefined_report() { return false; }
#endif

}  // namespace harness
