// SPDX-License-Identifier: Apache-2.0
// Stops: the ends that a translated kernel comes to by its own instruction.
#pragma once

#include "harness/label.h"

namespace harness::devices {

inline constexpr Label kStopTrap = "trap";
inline constexpr Label kStopUnknown = "instruction";  ///< One that is not translated.
inline constexpr Label kStopMisaligned = "misaligned address";
inline constexpr Label kStopAssertion = "assertion";

}  // namespace harness::devices
