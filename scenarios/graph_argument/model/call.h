// SPDX-License-Identifier: Apache-2.0
// Call: a call of the path that has not returned, with the judges' own record of the arguments,
// independent of the path's.
#pragma once

#include <optional>

#include "scenarios/graph_argument/scenario.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Condition;
using targets::graph_argument::Kernel;
using targets::graph_argument::NodeId;
using targets::graph_argument::StreamName;
using targets::graph_argument::Wrapper;

struct Wrapped;

/// Arguments of a call. A field that an op does not use keeps its default.
struct Asked {
  Op op;
  Variables given = 0;                                ///< Variables that it uses.
  Variable into = targets::graph_argument::kNowhere;  ///< Variable for its result.
  std::optional<StreamName> stream = {};
  std::int32_t value = 0;  ///< Value of a buffer or a set.
  Kernel kernel = Kernel::add_one;
  Condition condition = Condition::if_then;
  std::uint32_t branch = 0;
};

/// Lifetime: from the call to its return.
struct Call {
  static constexpr std::size_t kReferenceLimit = 6;

  Asked asked;
  harness::TaskId task = harness::TaskId::none;
  std::uint32_t number = 0;    ///< Number among all calls of a run, from 1.
  std::size_t faults = 0;      ///< Number of faults before.
  std::size_t events = 0;      ///< Number of events before.
  std::uint32_t injected = 0;  ///< Number of errors injected before.
  std::size_t lives = 0;       ///< Number of lifetimes before.
  Variables emptied = 0;       ///< Variables that were empty at some time since.
  std::array<Wrapped*, kReferenceLimit> referred{};  ///< Loaded objects, in order.
  std::size_t referred_count = 0;
  std::uint32_t bound = 0;         ///< Number of CUDA operations done for it.
  bool stored = false;             ///< Its result is in `into`.
  bool stream_was_closed = false;  ///< When the call began.
  bool accepted_closed = false;    ///< The path reported that it used another stream instead.
  bool met_ended = false;          ///< The path reported that it used something that had ended.
  std::uint32_t mark = 0;          ///< Records::moment() when it began to wait.
  bool finished_some = false;      ///< A launch became known to be finished.
  std::uint32_t waits = 0;         ///< Number of finished waits, when its own was.
  bool waits_for_device = false;
  bool met_capture = false;    ///< It was called during a capture.
  bool met_condition = false;  ///< A condition of its graph had no node at some time.
  bool ended_spoilt = false;   ///< It has ended an invalidated capture.
  Wrapped* made = nullptr;     ///< Its result.

  /// Returns the node on which the call's next node depends, or none. It is the node passed in
  /// place of a definition; `consume` depends on its `produce`; the node that ends a loop is the
  /// first in its body; a captured node depends on the capture's last one.
  NodeId after() const;
};

}  // namespace scenarios::graph_argument
