// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/contexts/threads.h"

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

Threads::Thread& Threads::thread() {
  const std::size_t index = calling_thread(sim_.world());
  if (index >= thread_count_) [[unlikely]]
    add(index);
  return threads_[index];
}

void Threads::add(std::size_t last) {
  for (; thread_count_ <= last; ++thread_count_) {
    if (thread_count_ == threads_.size()) threads_.emplace_back();
    threads_[thread_count_].stack.clear();
    threads_[thread_count_].capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    threads_[thread_count_].callback = Callback::none;
    threads_[thread_count_].streams.clear();
  }
}

Threads::Caller Threads::caller() {
  const Thread& me = thread();
  return {me.callback, me.stack.empty() ? nullptr : me.stack.back()};
}

Stream& Threads::stream(Context& context) {
  Thread& me = thread();
  for (const Thread::Own& own : me.streams)
    if (own.context == &context) return *own.stream;
  Stream& stream = sim_.streams().add(context, "per-thread stream");
  stream.own_name = stream.resource = sim_.scheduler().name_next(stream.own_label);
  me.streams.push_back({&context, &stream});
  return stream;
}

}  // namespace harness::devices
