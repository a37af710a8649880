// SPDX-License-Identifier: Apache-2.0
// Shrink: finds the fewest choices that still show a fault, by leaving parts out.
//
// Source: delta debugging (Zeller and Hildebrandt 2002), the algorithm ddmin.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/core/pick/pick.h"

namespace harness::client {

/// Returns a part of `tape` for which `shows` is true. No single choice of it can be left out,
/// unless `limit` calls were not enough. `shows` must be true for `tape` itself.
Tape shrink(Tape tape, const std::function<bool(const Tape&)>& shows, std::uint64_t limit);

}  // namespace harness::client
