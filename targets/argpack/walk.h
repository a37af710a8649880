// SPDX-License-Identifier: Apache-2.0
// Walk: the order in which a launch follows a kernel's parameters. It is that of an unordered map,
// so any order is possible.
#pragma once

#include <array>

#include "targets/argpack/observer.h"

namespace targets::argpack {

/// Every parameter once, by its place; a launch skips those that it lacks. A gradient follows its
/// array.
using Walk = std::array<Place, 5>;

/// Default order: arrays, then packs, children before their parents.
inline constexpr Walk kPlainWalk{Place::array, Place::external, Place::nested_twice, Place::nested,
                                 Place::pack};

/// Returns whether the place is a level of packs.
constexpr bool is_pack(Place place) { return place <= Place::nested_twice; }

}  // namespace targets::argpack
