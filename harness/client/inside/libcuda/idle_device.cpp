// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/idle_device.h"

#include <pthread.h>

#include <chrono>
#include <thread>

#include "harness/client/border/hang_watch.h"
#include "harness/client/inside/libcuda/system_threads.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

void IdleDevice::left(bool lags) {
  lags_ = lags;
  if (!lags) return;
  const unsigned generation = ProcessWorld::get().generation();
  if (is_awake_.exchange(true) && awake_in_ == generation) return;
  awake_in_ = generation;
  std::thread([this] { stay_awake(); }).detach();
}

void IdleDevice::stay_awake() {
  pthread_setname_np(pthread_self(), client::kIdleThread);
  ProcessWorld::call_no_thread_of_the_program();
  ProcessWorld& process = ProcessWorld::get();
  do {
    while (lags_) {
      if (!waits_for_device()) continue;
      process.lock();
      go_on(process.world());
      process.unlock();
    }
    is_awake_ = false;
    // New late work may have been added just before is_awake_ was cleared.
  } while (lags_ && !is_awake_.exchange(true));
}

/// Waits for a while. Returns whether there was no call in that time.
bool IdleDevice::waits_for_device() const {
  constexpr std::chrono::milliseconds kLookAgain{20};
  constexpr int kLooks = 50;
  const std::uint64_t before = call_count_;
  bool were_asleep = false;
  for (int i = 0; i < kLooks; ++i) {
    const bool are_asleep = others_are_asleep();
    if (were_asleep && are_asleep) break;
    were_asleep = are_asleep;
    std::this_thread::sleep_for(kLookAgain);
    if (!lags_ || call_count_ != before) return false;
  }
  return lags_ && call_count_ == before;
}

void IdleDevice::go_on(World& world) {
  world.scheduler.wait_until({}, {}, [] { return false; });
  gone_on_after_ = call_count_.load();
  went_on_();
}

}  // namespace harness::entries
