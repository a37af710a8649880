// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/streams.h"

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

Stream& Streams::add(Context& context, const Stream* dead) {
  Stream& stream = sim_.handles().streams.add(dead);
  stream.device = &sim_;
  stream.context = &context;
  return stream;
}

Stream& Streams::add(Context& context, Label label, const Stream* dead) {
  Stream& stream = add(context, dead);
  stream.own_label = label;
  stream.id = ++count_;
  context.streams.push_back(&stream);
  return stream;
}

Stream& Streams::add_legacy(Context& context) {
  Stream& stream = add(context);
  stream.legacy = true;
  stream.own_label = "legacy stream";
  stream.id = ++count_;
  stream.own_name = sim_.scheduler().name_next("legacy stream");
  stream.resource = kDeviceResource;
  return stream;
}

Stream& Streams::add_clock(Context& context) {
  Stream& clock = add(context);
  clock.blocking = false;
  clock.own_label = "event record node";
  clock.own_name = clock.resource = sim_.scheduler().name_next(clock.own_label);
  return clock;
}

}  // namespace harness::devices
