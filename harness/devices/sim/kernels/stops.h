// SPDX-License-Identifier: Apache-2.0
// Stops: the reasons why an instruction ends a translated kernel.
#pragma once

#include "harness/base/label.h"

namespace harness::devices {

inline constexpr Label kStopTrap = "trap";
inline constexpr Label kStopUnknown = "instruction";  ///< An instruction that is not translated.
inline constexpr Label kStopMisaligned = "misaligned address";
inline constexpr Label kStopAssertion = "assertion";

}  // namespace harness::devices
