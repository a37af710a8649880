// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/gpu/callbacks.h"

#include <utility>

namespace harness::devices {

/// Number of runs for which wrappers are kept: the driver may still call one after its run's device
/// has ended.
static constexpr unsigned kRunsKept = 64;

Callbacks& Callbacks::of_process() {
  static auto* all = new Callbacks;
  return *all;
}

void Callbacks::begin() {
  const std::lock_guard lock(mutex_);
  ++run_;
  due_.clear();
  any_.store(false, std::memory_order_relaxed);
  while (!wrapped_.empty() && run_ - wrapped_.front()->run > kRunsKept) wrapped_.pop_front();
}

Callbacks::Wrapped* Callbacks::wrap(Function function, void* data) {
  if (function == nullptr) return nullptr;
  wrapped_.push_back(std::make_unique<Wrapped>(Wrapped{function, data, run_}));
  return wrapped_.back().get();
}

void Callbacks::note(void* wrapped) {
  auto* called = static_cast<Wrapped*>(wrapped);
  Callbacks& all = of_process();
  const std::lock_guard lock(all.mutex_);
  if (called->run != all.run_) return;
  all.due_.push_back(called);
  all.any_.store(true, std::memory_order_release);
}

// Called without the lock, since a function may call the driver, which serves callbacks again.
void Callbacks::call() {
  std::vector<Wrapped*> due;
  {
    const std::lock_guard lock(mutex_);
    due = std::exchange(due_, {});
    any_.store(false, std::memory_order_relaxed);
  }
  for (const Wrapped* each : due) each->function(each->data);
}

}  // namespace harness::devices
