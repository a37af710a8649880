// SPDX-License-Identifier: Apache-2.0
// Atomic turns: each atomic operation of instrumented code is a turn, before which another thread
// may be chosen. A thread that spins lets the others run.
//
// Source: a fair scheduler for stateless search (Musuvathi and Qadeer, PLDI 2008): a thread that
// makes no progress yields.
#pragma once

#include <cstdint>

#include "harness/client/inside/libcuda/instrument_hooks.h"

namespace harness::entries {

/// Threads: any. No effect for a thread that takes no turns.
class AtomicTurns {
 public:
  /// Called before an atomic operation.
  static void comes(const AtomicOperation& operation);
  /// Called after it. `value`: the value that it read or stored.
  static void made(const AtomicOperation& operation, std::uint64_t value, bool changed);
  /// Called after an access that is not atomic. Many of them are a step, so that a thread that
  /// reads a variable in a loop does not run for ever.
  static void accessed();
};

}  // namespace harness::entries
