// SPDX-License-Identifier: Apache-2.0
// History: what happened, in order, and what was wrong with it. Oracles and reports read it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/base/label.h"
#include "harness/base/records.h"
#include "harness/core/fault/fault.h"

namespace harness {

enum class EventKind : std::uint8_t {
  op,       ///< An operation of the driver began.
  birth,    ///< The lifetime of an object began.
  death,    ///< The lifetime of an object ended.
  call,     ///< An API call; value = its status code.
  step,     ///< A step of a Python-level op.
  submit,   ///< Work was queued on a stream.
  start,    ///< A kernel, copy or set began on the device.
  finish,   ///< A kernel, copy or set ended on the device.
  observe,  ///< A value that the scenario observes.
  use,      ///< A captured reference was used (host), or authorised (device).
  collect,  ///< The collector ran; value = number of freed objects.
  note,     ///< A remark of a scenario for the story.
};

struct Event {
  EventKind kind;
  std::uint16_t task;  ///< Index in the run's table of tasks; 0xffff = the device.
  std::uint32_t tick;
  Label what;
  Name activation;
  Name object;
  std::uint64_t value;
};

/// An order that the program established: the event at index `before` precedes the one at `after`.
struct Ordering {
  std::uint32_t before;
  std::uint32_t after;
};

/// An activation other than an op slot, kept so that its name can be described in words.
struct ActivationRecord {
  Name name;
  Name parent;
  Label kind;
  std::uint32_t nth;
};

/// Keeps every event, but only the first kFaultLimit faults of a run and the fatal one that ended
/// it: judging a fault may look at all earlier ones, and a bug in a loop only repeats itself.
/// Ownership: owns its events; buffers are kept from run to run.
class History {
 public:
  /// Number of faults that a run keeps, in addition to the fatal one that ended it.
  static constexpr std::size_t kFaultLimit = 256;

  /// Forgets the run before; buffers are kept.
  void begin() {
    events_.clear();
    faults_.clear();
    activations_.clear();
    orderings_.clear();
  }
  void add(const Event& event) { events_.add(event); }  ///< Appends an event to the trace.
  /// Sets the value of an event that was added before its consequences: the status of a call.
  void set_value(std::size_t index, std::uint64_t value) { events_[index].value = value; }
  /// Records a cause.
  void add(const ActivationRecord& activation) { activations_.add(activation); }
  void add(const Ordering& ordering) { orderings_.add(ordering); }
  /// Adds a fault. Drops it if its kind does not count or the limit is reached.
  void add(Fault fault);
  /// Sets the kinds of faults that count: those that an oracle of the scenario owns.
  void enable(FaultKinds kinds) { enabled_ = kinds; }
  /// Returns whether faults of `kind` are kept.
  bool counts(FaultKind kind) const { return (enabled_ >> raw(kind)) & 1; }

  const Records<Event>& events() const { return events_; }
  const std::vector<Fault>& faults() const { return faults_; }
  const Records<ActivationRecord>& activations() const { return activations_; }
  const Records<Ordering>& orderings() const { return orderings_; }

  /// Returns a hash that is equal for equal histories, in every build and on every machine.
  std::uint64_t trace_hash() const;

 private:
  Records<Event> events_;
  std::vector<Fault> faults_;
  Records<ActivationRecord> activations_;
  Records<Ordering> orderings_;
  FaultKinds enabled_ = ~FaultKinds{0};
};

/// Returns the name of `kind` in stories and traces.
Label to_label(EventKind kind);

}  // namespace harness
