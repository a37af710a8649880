// SPDX-License-Identifier: Apache-2.0
// Readings: what a kernel reported, and what an array was found to hold, against the model.
#pragma once

#include "scenarios/argpack/model.h"

namespace scenarios::argpack {

/// Judges each binding: the kernel must have read a value that it had when it was bound or was
/// given since. Anything else is a wrong_value fault at the current site.
void judge_reading(harness::Scene& scene, const Context& context,
                   std::span<const std::int32_t> words);

/// An array holds one value that it was given, and not overwritten since; what kernels write to is
/// as the last of them left it.
void judge_contents(harness::Scene& scene, const Thing& thing, std::span<const std::int32_t> words);

}  // namespace scenarios::argpack
