// SPDX-License-Identifier: Apache-2.0
// Streams: makes the streams of a context, and the clocks of event record nodes.
#pragma once

#include <cstdint>

#include "harness/base/label.h"

namespace harness::devices {

struct Context;
class SimDevice;
class Stream;

/// Ownership: the table of handles owns the streams.
class Streams {
 public:
  explicit Streams(SimDevice& sim) : sim_(sim) {}
  void begin() { count_ = 0; }

  /// Adds a stream, which has no name yet, with a fresh handle or with that of a dead one.
  Stream& add(Context& context, Label label, const Stream* dead = nullptr);
  /// Adds stream 0 of a new context.
  Stream& add_legacy(Context& context);
  /// Adds a stream without work, for the records of an event record node.
  Stream& add_clock(Context& context);

 private:
  Stream& add(Context& context, const Stream* dead = nullptr);

  SimDevice& sim_;
  std::uint64_t count_ = 0;  ///< Number of streams whose id programs can query.
};

}  // namespace harness::devices
