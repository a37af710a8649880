// SPDX-License-Identifier: Apache-2.0
// Called: records which host function the driver is calling, so that it is known even after a
// crash.
#pragma once

#include "harness/client/border/call_mark.h"
#include "harness/client/border/orders.h"
#include "harness/client/border/report.h"
#include "harness/client/inside/libcuda/guide/askers.h"
#include "harness/client/inside/libcuda/guide/parties.h"
#include "harness/core/world.h"

namespace harness::entries {

/// Threads: requires the driver. Lifetime: until the process ends; borrows all its arguments.
class Called {
 public:
  Called(client::CallMark& mark, client::Report& report, Askers& askers, const Parties& parties,
         const client::Orders& orders)
      : mark_(mark), report_(report), askers_(askers), parties_(parties), orders_(orders) {}

  /// Called when the calling thread lets go of the driver. Returns whether it calls a host function
  /// and places are recorded: then the report was extended by that function.
  bool letting_go(World& world);
  /// Called when the calling thread has the driver again.
  void taken();

 private:
  client::CallMark& mark_;
  client::Report& report_;
  Askers& askers_;
  const Parties& parties_;
  const client::Orders& orders_;
};

}  // namespace harness::entries
