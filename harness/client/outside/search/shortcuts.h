// SPDX-License-Identifier: Apache-2.0
// Shortcuts: simplifies a tape that switches from one thread to another by way of others.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/core/pick/pick.h"

namespace harness::client {

/// Returns a tape of fewer choices for which `shows` still holds, if it finds one: a thread that
/// runs later in it runs at once, or another thread of `run` does. `shows` holds for `tape`, and is
/// called at most `limit` times. Leaving out choices does not find these tapes, because each choice
/// depends on where the previous ones left the threads.
Tape take_shortcuts(Tape tape, const Tape& run, const std::function<bool(const Tape&)>& shows,
                    std::uint64_t limit);

}  // namespace harness::client
