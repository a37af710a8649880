// Pedantic: what the documentation forbids, and drivers of today do well nevertheless.
#pragma once

#include <string_view>

#include "harness/fault.h"
#include "harness/world.h"

namespace harness::entries {

/// Has the driver of `world` do no more than it must by the documentation, or as drivers of today
/// do: an answer then decides what else it does.
void let_driver_be_late(World& world, bool as_documented);

/// Says in a sentence why drivers of today continue where this fault is; "" where they may not.
std::string_view pedantic_reason(const Fault& fault);

}  // namespace harness::entries
