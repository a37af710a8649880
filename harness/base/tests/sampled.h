// SPDX-License-Identifier: Apache-2.0
// How much of a long test is done. AFTERLIFE_SAMPLED_TESTS in the environment asks for a sample:
// scripts/test.sh sets it, except with --long.
#pragma once

#include <cstdlib>

namespace harness {

inline bool is_sampled() { return std::getenv("AFTERLIFE_SAMPLED_TESTS") != nullptr; }

/// Returns how many seeds, programs or repetitions a test takes.
inline unsigned sampled(unsigned all, unsigned sample) { return is_sampled() ? sample : all; }

}  // namespace harness
