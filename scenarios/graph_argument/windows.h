// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen; scenario.cpp describes each in a sentence.
#pragma once

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

enum class Window : std::uint8_t {
  argument_dropped,
  operand_dropped,
  buffer_closed,
  captured_dropped,
  bare_address_dropped,
  node_changed,
  executable_changed,
  definition_dropped,
  executable_closed,
  child_destroyed,
  dropped_in_callback,
  dropped_in_flight,
  stream_or_event_closed,
  module_dropped,
  graph_memory_misused,
  attachment_failed,
  update_failed,
  handle_reused,
  capture_invalidated,
  reference_cycle,
  pending_queue_full,
  gil_kept_in_call,
};
inline constexpr std::size_t kWindowCount = 22;

}  // namespace scenarios::graph_argument
