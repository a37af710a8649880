// SPDX-License-Identifier: Apache-2.0
// Expect: the values that the script must see, and the objects that a call must bind.
//
// The expected numbers are the judge's own: the kernel's computations are repeated here and taken
// from no header of the target.
#pragma once

#include "scenarios/argpack/model/attempt.h"
#include "scenarios/argpack/model/model.h"

namespace scenarios::argpack {

/// Values that may explain one reading. All elements of a correct reading follow from one of them.
using Expected = std::pmr::vector<std::int64_t>;

/// Returns the values assigned since the thing was bound, multiplied and shifted.
Expected values_since(const Bound& bound, std::int64_t offset = 0, std::int64_t factor = 1);
/// Returns element `index` of an external array made with `value`, and the kernel's result for it:
/// with the same two roundings as on the device.
inline float element_in(std::int64_t value, std::uint32_t index) {
  return static_cast<float>(static_cast<std::int32_t>(value)) + 0.1f * static_cast<float>(index);
}
inline float element_out(std::int64_t value, std::uint32_t index) {
  return 1.1f * element_in(value, index) + 0.3f;
}

/// Returns the elements of an array that no kernel writes.
Expected expected_elements(const Thing& array);
/// Returns the elements of a gradient that kernels write. `ran`: all of them did.
Expected expected_results(const Thing& gradient, bool ran);

/// Returns whether an op that returned ok bound its arguments, and nothing else. Called only if no
/// other op ran, so that its variables still refer to its arguments. A pack also binds its nested
/// packs and, in a call without an array, its array; an array also binds its gradient, if the op
/// does that.
bool bound_as_given(const Attempt& attempt, const Model& model);

}  // namespace scenarios::argpack
