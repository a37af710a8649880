// Engines: what advances without a stack of its own, as a device stream does.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/label.h"
#include "harness/pick.h"

namespace harness {

/// Something that can advance without a stack of its own: a device stream. It is an option of
/// schedule questions while it is ready.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Name name() const = 0;       ///< Returns the name by which tapes know it.
  virtual Label label() const = 0;     ///< Returns the word for it in stories.
  virtual Access pending() const = 0;  ///< Returns the access of its next step.
  /// Does one step. Must not turn or wait.
  virtual void advance() = 0;
  /// Nobody can go on: looks whether something changed that nobody announced.
  virtual void poll() {}
};

namespace scheduling {

class ReadySet;

/// Ownership: borrows the engines for one run, and the set of those that can go on.
class Engines {
 public:
  explicit Engines(ReadySet& ready) : ready_(ready) {}

  void begin() { engines_.clear(); }  ///< Forgets those of the previous run.

  /// Adds an engine that is not ready. Returns its id.
  std::uint16_t add(Engine& engine);
  void set_ready(std::uint16_t id, bool ready);  ///< Says whether the engine can go on.

  /// Lets each look for a change that nobody announced.
  void poll();
  /// Advances ready engines, in order, until `done(context)` holds or none of them can go on: a
  /// wait of code that is alone with them.
  void advance_until(bool (*done)(void* context), void* context);

 private:
  Engine* first_ready() const;

  ReadySet& ready_;
  std::vector<Engine*> engines_;
};

}  // namespace scheduling
}  // namespace harness
