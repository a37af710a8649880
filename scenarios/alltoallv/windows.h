// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen; scenario.cpp describes each in a sentence.
#pragma once

#include "harness/run/scenario/scenario.h"

namespace scenarios::alltoallv {

enum class Window : std::uint8_t {
  source_reread,       ///< A rank writes its slot for the next collective while another unmaps.
  proxy_reread,        ///< The same, if the other rank unmaps as a proxy.
  slot_released,       ///< Rank 0 frees the slot for the next collective while another rank unmaps.
  key_reused,          ///< Memory is freed and its address reused while the old mapping is held.
  blind_close,         ///< An invalidation or a purge closes a mapping that is held.
  open_failed,         ///< The second attempt to open a handle fails for another reason.
  failed_after_claim,  ///< A call fails after the slot was claimed.
  number_reused,       ///< A persistent collective mistakes its last post's use of the slot for its
                       ///< own.
  claim_race,          ///< Two threads of rank 0 claim a slot at once, or out of order.
  number_skipped,      ///< A rank takes a number in vain, and is one ahead from then on.
  setup_ignored,       ///< A triggered post continues although its set-up failed.
  scratch_freed,       ///< A rank frees a team's scratch that a peer has mapped.
  pair_ignored,        ///< A batch copies between ranks without a direct connection.
  read_ahead,          ///< A batch reads a source before the stream has filled it.
  half_overwritten,    ///< A ring overwrites a half of scratch that other ranks have not read yet.
};
inline constexpr std::size_t kWindowCount = 15;

}  // namespace scenarios::alltoallv
