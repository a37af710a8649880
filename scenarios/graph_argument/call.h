// SPDX-License-Identifier: Apache-2.0
// Call: a call of the path that has not returned, as the judges know it: by their own record of the
// arguments, not by the path's.
#pragma once

#include <optional>

#include "scenarios/graph_argument/scenario.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Condition;
using targets::graph_argument::Kernel;
using targets::graph_argument::StreamName;
using targets::graph_argument::Wrapper;

struct Wrapped;
class Model;

/// The arguments of a call. A field that an op does not use keeps its default.
struct Asked {
  Op op;
  Variables given = 0;                                ///< The variables that it works on.
  Variable into = targets::graph_argument::kNowhere;  ///< Where what it makes is to go.
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
  std::size_t faults = 0;      ///< How many had been found.
  std::size_t events = 0;      ///< How many there had been.
  std::uint32_t injected = 0;  ///< Number of errors injected before.
  std::size_t lives = 0;       ///< Number of lifetimes before.
  Variables emptied = 0;       ///< Variables that were empty at some time since.
  std::array<Wrapped*, kReferenceLimit> referred{};  ///< Things that it has loaded, in its order.
  std::size_t referred_count = 0;
  std::uint32_t bound = 0;         ///< How often CUDA has done something for it.
  bool stored = false;             ///< Its result is in `into`.
  bool stream_was_closed = false;  ///< The tick of the call.
  bool accepted_closed = false;    ///< The path took another for it, and said so.
  bool met_ended = false;          ///< The path has used what had ended, and said so.
  std::size_t mark = 0;            ///< Launches when it began to wait.
  bool finished_some = false;      ///< A launch is over that was not known to be.
  std::uint32_t waits = 0;         ///< Waits that were over when its own was.
  bool waits_for_device = false;
  bool met_capture = false;    ///< It was called while a capture was under way.
  bool met_condition = false;  ///< A condition of its graph was without its node meanwhile.
  bool ended_spoilt = false;   ///< It has ended a capture that was not valid any more.
  Wrapped* made = nullptr;

  /// The node, by serial, that the one which the call adds next comes after; 0: none. It is the one
  /// that the call is given for a definition; `consume` comes after its `produce`; what ends a loop
  /// is the first in its body; a capture continues after its last.
  std::uint32_t after() const;
};

}  // namespace scenarios::graph_argument
