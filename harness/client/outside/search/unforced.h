// SPDX-License-Identifier: Apache-2.0
// Unforced: the same fault with fewer forced choices, or none.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/client/border/report.h"

namespace harness::client {

/// Returns the tape without its forced choices.
Tape possible_part(const Tape& tape);
bool has_forced(const Tape& tape);

/// Returns the tape without the forced choices that are not needed. `shows` is called at most
/// `limit` times.
Tape shrink_forced(const Tape& tape, const std::function<bool(const Tape&)>& shows,
                   std::uint64_t limit);

/// Returns the tape with each forced choice replaced by a possible one that also shows the fault,
/// if there is one among the nearest choices of its kind in `asked`, which a run of `tape` offered.
Tape replace_forced(Tape tape, const std::vector<AskedQuestion>& asked,
                    const std::function<bool(const Tape&)>& shows);

}  // namespace harness::client
