// SPDX-License-Identifier: Apache-2.0
// Pedantic: behaviour that the documentation forbids and current drivers tolerate.
#pragma once

#include <string_view>

#include "harness/core/fault/fault.h"
#include "harness/core/world.h"

namespace harness::entries {

/// If `as_documented`, the driver of `world` does only what the documentation requires, and a
/// choice decides whether it does more, as current drivers do.
void let_driver_be_late(World& world, bool as_documented);

/// Returns why current drivers tolerate this fault, as a sentence; "" if they may not.
std::string_view pedantic_reason(const Fault& fault);

}  // namespace harness::entries
