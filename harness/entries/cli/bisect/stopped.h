// SPDX-License-Identifier: Apache-2.0
// BisectionStopped: thrown when the user stops a bisection. Programs that were built stay.
#pragma once

namespace harness::entries {

struct BisectionStopped {};

}  // namespace harness::entries
