// SPDX-License-Identifier: Apache-2.0
// Readings: compares a kernel's results, and the contents of arrays, with the model.
#pragma once

#include "scenarios/argpack/model.h"

namespace scenarios::argpack {

/// Judges each binding: the kernel must have read a value that the thing had when it was bound or
/// was assigned since. Anything else is a wrong_value fault at the current site.
void judge_reading(harness::Scene& scene, const Context& context,
                   std::span<const std::int32_t> words);

/// Judges an array: it holds one assigned value that was not overwritten since; elements that
/// kernels write have the result of the last kernel.
void judge_contents(harness::Scene& scene, const Thing& thing, std::span<const std::int32_t> words);

}  // namespace scenarios::argpack
