// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen; scenario.cpp describes each in a sentence.
#pragma once

#include "harness/run/scenario/passages.h"

namespace scenarios::argpack {

enum class Window : std::uint8_t {
  top_level_dropped,  ///< The variable of the top-level pack is dropped during a call.
  nested_replaced,    ///< A nested pack loses its last reference between setting and launching.
  parent_freed,       ///< The same for the top-level pack, or one with a nested pack.
  array_deleted,      ///< The same for an ndarray, or a gradient.
  external_gone,      ///< External memory is freed or moved between setting and copy-back.
  dropped_in_flight,  ///< The last reference goes after launch, before the kernel has finished.
  stale_wrapper,      ///< A wrapper from before reset() is used, or it deletes another object.
  taken_reentrantly,  ///< A finalizer or a reset removes a bound object before the launch.
  context_reused,     ///< A context is launched again.
};
inline constexpr std::size_t kWindowCount = 9;

/// Ways into a window, which a claim may distinguish, in order.
enum class Way : std::uint8_t {
  kernel,   ///< A call of the kernel, which makes and launches the context.
  context,  ///< A launch context that the script makes and launches by hand.
};

using Passages = harness::Passages<Window>;

}  // namespace scenarios::argpack
