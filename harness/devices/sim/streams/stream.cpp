// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/stream.h"

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

void Stream::reset() {
  context = nullptr;
  flags = 0;
  priority = 0;
  id = 0;
  legacy = false;
  blocking = true;
  submitted = completed = 0;
  queue.clear();
  head = 0;
  engine = kNoEngine;
  ready = calling = false;
  capture = nullptr;
  line = kNoLine;
  clock.clear();
}

void Stream::advance() { device->queues().advance(*this); }
void Stream::poll() { device->queues().look_again(); }

#if HARNESS_TSAN
Stream::~Stream() {
  if (tsan_fiber != nullptr) __tsan_destroy_fiber(tsan_fiber);
}

OnStream::OnStream(Stream& stream) : previous_(__tsan_get_current_fiber()) {
  if (stream.tsan_fiber == nullptr) stream.tsan_fiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(stream.tsan_fiber, 1);
}
OnStream::~OnStream() { __tsan_switch_to_fiber(previous_, 1); }
#else
Stream::~Stream() = default;
OnStream::OnStream(Stream&) {}
OnStream::~OnStream() = default;
#endif

}  // namespace harness::devices
