// Unforced: the same fault with less that is forced, or with nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/client/report.h"

namespace harness::client {

/// Returns the tape without what is forced.
Tape possible_part(const Tape& tape);
bool has_forced(const Tape& tape);

/// Returns the tape without what of the forced is not needed, next to all that is possible. `shows`
/// is asked at most so often.
Tape shrink_forced(const Tape& tape, const std::function<bool(const Tape&)>& shows,
                   std::uint64_t limit);

/// Returns the tape with a possible decision in the place of each forced one for which there is one
/// that shows it, too: of the nearest questions of its kind that `asked` has. A run of `tape` was
/// asked these.
Tape replace_forced(Tape tape, const std::vector<AskedQuestion>& asked,
                    const std::function<bool(const Tape&)>& shows);

}  // namespace harness::client
