// Shrink: the fewest decisions that still show something, by leaving parts out.
//
// Source: delta debugging (Zeller and Hildebrandt 2002), the algorithm ddmin.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/pick.h"

namespace harness::client {

/// Returns a part of `tape` of which `shows` says yes. None of its decisions can be left out alone,
/// unless `limit` questions were not enough to tell. It shows `tape` itself.
Tape shrink(Tape tape, const std::function<bool(const Tape&)>& shows, std::uint64_t limit);

}  // namespace harness::client
