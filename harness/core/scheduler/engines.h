// SPDX-License-Identifier: Apache-2.0
// Engines: things that advance without a stack of their own, such as device streams.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/label.h"
#include "harness/core/pick/pick.h"

namespace harness {

/// Something that can advance without a separate stack, such as a device stream. While it is ready,
/// it is an option of schedule choices.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Name name() const = 0;       ///< Returns its name on tapes.
  virtual Label label() const = 0;     ///< Returns its name in stories.
  virtual Access pending() const = 0;  ///< Returns the access of its next step.
  /// Does one step. Must not turn or wait.
  virtual void advance() = 0;
  /// Called when no task is ready: looks for a change that was not announced.
  virtual void poll() {}
};

namespace scheduling {

class ReadySet;

/// Ownership: borrows the engines for one run, and the set of those that are ready.
class Engines {
 public:
  explicit Engines(ReadySet& ready) : ready_(ready) {}

  void begin() { engines_.clear(); }  ///< Forgets the engines of the previous run.

  /// Adds an engine that is not ready. Returns its id.
  std::uint16_t add(Engine& engine);
  void set_ready(std::uint16_t id, bool ready);  ///< Sets whether the engine is ready.

  /// Lets each engine check for a change that was not announced.
  void poll();
  /// Advances ready engines, in order, until `done(context)` holds or none is ready. For waiting
  /// code that runs alone with the engines.
  void advance_until(bool (*done)(void* context), void* context);

 private:
  Engine* first_ready() const;

  ReadySet& ready_;
  std::vector<Engine*> engines_;
};

}  // namespace scheduling
}  // namespace harness
