// Symbols: where in the sources addresses of this program's code are.
//
// Errors: std::runtime_error with one line where there is no llvm-symbolizer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/flow/flow.h"

namespace harness {

/// Returns the place of each address, in the same order: that of the innermost of the functions
/// whose code is there; an empty one where nobody knows.
std::vector<CodePlace> places_of(std::span<const std::uintptr_t> codes);

}  // namespace harness
