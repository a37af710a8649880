// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen; scenario.cpp says each in a sentence.
#pragma once

#include "harness/scenario.h"

namespace scenarios::alltoallv {

enum class Window : std::uint8_t {
  source_reread,       ///< A rank writes its slot for the next collective while another unmaps.
  proxy_reread,        ///< The same if the other rank unmaps what it mapped as a proxy.
  slot_released,       ///< Rank 0 gives the slot to the next collective while another unmaps.
  key_reused,          ///< Memory is freed and allocated again while its old mapping is still held.
  blind_close,         ///< An invalidate or a purge meets a mapping that is held.
  open_failed,         ///< The second attempt to open a handle fails for another reason.
  failed_after_claim,  ///< Something fails after the slot was claimed.
  number_reused,       ///< A persistent collective takes the slot of its last post for that of its
                       ///< next.
  claim_race,          ///< Threads of rank 0 claim a slot at once, or out of order.
  number_skipped,      ///< A rank takes a number in vain, and is one ahead for ever.
  setup_ignored,       ///< A triggered post continues although its set-up failed.
  scratch_freed,       ///< A rank frees the scratch of a team that a peer has mapped.
  pair_ignored,        ///< A batch copies between ranks that do not reach each other.
  read_ahead,          ///< A batch reads a source before the stream gets to what fills it.
  half_overwritten,    ///< A ring writes a half of scratch that others have not read yet.
};
inline constexpr std::size_t kWindowCount = 15;

}  // namespace scenarios::alltoallv
