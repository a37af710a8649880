// SPDX-License-Identifier: Apache-2.0
// Event waits: the waits for events that a program made. If two uses are not ordered, they show
// which wait was meant to order them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "harness/client/inside/libcuda/guide/askers.h"
#include "harness/core/fault/fault.h"
#include "harness/core/world.h"

namespace harness::entries {

/// A record of an event, by the names of its call and stream.
struct EventRecord {
  Name call = 0;
  Name stream = 0;
  std::uint32_t earlier = 0;  ///< The lower half of the name of the event's record before it, or 0.
  std::string error{};        ///< Empty if the call succeeded.
};

/// A wait of a stream, or of the host, for an event.
struct EventWait {
  EventRecord record;  ///< The last record of the event; without a call if there was none.
  Name call = 0;
  Name stream = 0;  ///< The name of the stream that waits; 0 for the host.
};

/// A wait that was meant to order two uses, and has no effect on them.
struct IdleWait {
  EventWait wait;
  EventRecord record{};  ///< The record that was meant; without a call if there was none.
  EventRecord again{};   ///< A later record, for which it waits instead, or no call.
};

/// Threads: requires the driver. Keeps the last few thousand waits.
class EventWaits {
 public:
  /// Takes the waits of a finished call.
  void passed(const World& world);
  /// Notes that a call returned an error.
  void failed(Name call, const std::string& error);
  /// Returns the last wait that was meant to order these two uses: a wait before `second`, by its
  /// stream or the host, for an event that was recorded on the stream of `first` before `first`, or
  /// never, or after it and then again on another stream. The two uses must not be ordered.
  std::optional<IdleWait> without_effect(const Fault::Source& first, const Fault::Source& second,
                                         const Askers& askers) const;
  /// Returns the name of the stream on which a call allocated memory; 0 if it is unknown.
  Name stream_of_allocation(Name call) const;

 private:
  class Meant;

  void note(const Event& call);
  const EventRecord* record(std::uint32_t call) const;

  std::unordered_map<std::uint32_t, EventRecord>
      records_;  ///< By the lower half of the call's name.
  std::deque<EventWait> waits_;
  std::unordered_map<Name, Name> allocations_;  ///< Streams, by the name of the call.
};

}  // namespace harness::entries
