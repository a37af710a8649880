// SPDX-License-Identifier: Apache-2.0
// BisectionStopped: the user wants it to end; what was built stays.
#pragma once

namespace harness::entries {

struct BisectionStopped {};

}  // namespace harness::entries
