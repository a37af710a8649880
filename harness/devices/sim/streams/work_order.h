// SPDX-License-Identifier: Apache-2.0
// WorkOrder: device work that a repair puts in order (intervention/order.h): it comes after other
// work that was submitted before, as if its stream had been told to wait for an event.
#pragma once

#include <vector>

#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/label.h"

namespace harness::devices {

struct ExecutablePlan;
class Stream;
struct Work;

/// Asked only in a run that has such a repair. Nodes of one graph are not put in order.
class WorkOrder {
 public:
  void begin();
  /// The work is about to be submitted to the stream.
  void submit(Stream& stream, Work& work);
  /// So is a launch of a graph, of which nothing has a place yet.
  void launch(Stream& stream, Work& work, const ExecutablePlan& graph, Label site);
  /// The work has been submitted: from now on others may have to come after it.
  void note(const StreamPoint& point, const Work& work);

 private:
  void put_after(Stream& stream, Work& work);

  std::vector<StreamPoint> early_;  ///< Ends of the work that others come after.
  Clock before_;                    ///< All that comes before them, and they.
};

}  // namespace harness::devices
