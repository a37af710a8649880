// SPDX-License-Identifier: Apache-2.0
// WorkOrder: device work that a repair orders (intervention/order.h): it follows other work that
// was submitted before, as if its stream waited for an event.
#pragma once

#include <vector>

#include "harness/base/label.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/streams/clock.h"

namespace harness::devices {

struct ExecutablePlan;
class Stream;
struct Work;

/// Used only in a run with such a repair. Nodes of one graph are not ordered.
class WorkOrder {
 public:
  void begin();
  /// Called before the work is submitted to the stream.
  void submit(Stream& stream, Work& work);
  /// Called before a launch of a graph is submitted.
  void launch(Stream& stream, Work& work, const ExecutablePlan& graph, Label site);
  /// Called after the work was submitted, because later work may have to follow it.
  void note(const StreamPoint& point, const Work& work);

 private:
  void put_after(Stream& stream, Work& work);

  std::vector<StreamPoint> early_;  ///< Ends of the work that other work must follow.
  Clock before_;                    ///< That work, and everything that precedes it.
};

}  // namespace harness::devices
