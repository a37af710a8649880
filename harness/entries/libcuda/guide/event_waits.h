// SPDX-License-Identifier: Apache-2.0
// Event waits: the waits for events that a program made. If two uses are not ordered, they show
// which wait was meant to order them.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "harness/entries/libcuda/guide/askers.h"
#include "harness/fault.h"
#include "harness/world.h"

namespace harness::entries {

/// A wait of a stream, or of the host, for an event.
struct EventWait {
  Name record = 0;       ///< The last call that recorded the event; 0 if there was none.
  Name recorded_on = 0;  ///< The name of the stream that recorded it.
  Name call = 0;
  Name stream = 0;  ///< The name of the stream that waits; 0 for the host.
};

/// Threads: requires the driver. Keeps the last few thousand waits.
class EventWaits {
 public:
  /// Takes the waits of a finished call.
  void passed(const World& world);
  /// Returns the last wait that was meant to order these two uses, or null: a wait before `second`,
  /// by its stream or the host, for an event that was recorded on the stream of `first` before
  /// `first`, or never recorded. The two uses must not be ordered.
  const EventWait* without_effect(const Fault::Source& first, const Fault::Source& second,
                                  const Askers& askers) const;

 private:
  struct Recorded {
    Name call = 0;
    Name stream = 0;
  };

  std::unordered_map<std::uint32_t, Recorded> records_;  ///< By the lower half of the call's name.
  std::deque<EventWait> waits_;
};

}  // namespace harness::entries
