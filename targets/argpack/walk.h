// SPDX-License-Identifier: Apache-2.0
// Walk: the order in which a launch follows a kernel's parameters, which is that of an unordered
// map of them: any.
#pragma once

#include <array>

#include "targets/argpack/observer.h"

namespace targets::argpack {

/// Every parameter once, by its place; those that a launch lacks are passed over. A gradient comes
/// with its array.
using Walk = std::array<Place, 5>;

/// Arrays, then packs, children before their parents.
inline constexpr Walk kPlainWalk{Place::array, Place::external, Place::nested_twice, Place::nested,
                                 Place::pack};

/// Says if the place is a level of packs.
constexpr bool is_pack(Place place) { return place <= Place::nested_twice; }

}  // namespace targets::argpack
