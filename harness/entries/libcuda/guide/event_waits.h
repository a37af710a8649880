// SPDX-License-Identifier: Apache-2.0
// Event waits: the waits for events that a program made, to say of two uses that nothing orders
// which wait was meant to.
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
  Name record = 0;       ///< The call that recorded it last; 0: it was never recorded.
  Name recorded_on = 0;  ///< The name of the stream.
  Name call = 0;
  Name stream = 0;  ///< The stream that waits; 0: the host does.
};

/// Threads: the one that has the driver. Keeps the last few thousand.
class EventWaits {
 public:
  /// Hears of the call that has passed.
  void passed(const World& world);
  /// Returns the last wait before `second`, by its stream or the host, for an event that was
  /// recorded on the stream of `first` before that, or never; else null. The two are known not to
  /// be ordered.
  const EventWait* without_effect(const Fault::Source& first, const Fault::Source& second,
                                  const Askers& askers) const;

 private:
  struct Recorded {
    Name call = 0;
    Name stream = 0;
  };

  std::unordered_map<std::uint32_t, Recorded> records_;  ///< By the last half of the call's name.
  std::deque<EventWait> waits_;
};

}  // namespace harness::entries
