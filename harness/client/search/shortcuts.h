// Shortcuts: a tape made plainer where it goes on from one thread to another by way of others.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/pick.h"

namespace harness::client {

/// Returns a tape of fewer decisions for which `shows` still holds, where there is one: who goes on
/// later in it goes on at once, or another one of the threads that went on in `run` does. `shows`
/// holds for `tape`, and is asked at most `limit` times. Leaving decisions out does not find these:
/// each is about threads that are where they are by those before.
Tape take_shortcuts(Tape tape, const Tape& run, const std::function<bool(const Tape&)>& shows,
                    std::uint64_t limit);

}  // namespace harness::client
