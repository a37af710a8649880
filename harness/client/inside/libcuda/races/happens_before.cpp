// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/races/happens_before.h"

namespace harness::entries {
namespace {

enum Order { relaxed, consume, acquire, release, acq_rel, seq_cst };

bool acquires(int order) { return order != relaxed && order != release; }
bool is_release(int order) { return order >= release; }

}  // namespace

HappensBefore::Clocks& HappensBefore::of(Thread thread) {
  while (threads_.size() <= thread) {
    threads_.emplace_back();
    threads_.back().now.advance(threads_.size() - 1);
  }
  return threads_[thread];
}

void HappensBefore::started(Thread parent, Thread child) {
  of(child).now.join(of(parent).now);
  of(parent).now.advance(parent);
}

void HappensBefore::joined(Thread joining, Thread ended) { of(joining).now.join(of(ended).now); }

void HappensBefore::acquired(Thread thread, std::uintptr_t object) {
  if (const auto found = objects_.find(object); found != objects_.end())
    of(thread).now.join(found->second);
}

void HappensBefore::releases(Thread thread, std::uintptr_t object) {
  objects_[object].join(of(thread).now);
  of(thread).now.advance(thread);
}

void HappensBefore::loaded(Thread thread, std::uintptr_t object, int order) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  Clocks& clocks = of(thread);
  (acquires(order) ? clocks.now : clocks.loaded).join(found->second);
}

void HappensBefore::stored(Thread thread, std::uintptr_t object, int order) {
  Clocks& clocks = of(thread);
  objects_[object] = is_release(order) ? clocks.now : clocks.released;
  if (is_release(order)) clocks.now.advance(thread);
}

void HappensBefore::exchanged(Thread thread, std::uintptr_t object, int order) {
  loaded(thread, object, order);
  Clocks& clocks = of(thread);
  objects_[object].join(is_release(order) ? clocks.now : clocks.released);
  if (is_release(order)) clocks.now.advance(thread);
}

void HappensBefore::fence(Thread thread, int order) {
  Clocks& clocks = of(thread);
  if (acquires(order)) clocks.now.join(clocks.loaded);
  if (!is_release(order)) return;
  clocks.released = clocks.now;
  clocks.now.advance(thread);
}

void HappensBefore::forget(std::uintptr_t low, std::uintptr_t high) {
  objects_.erase(objects_.lower_bound(low), objects_.lower_bound(high));
}

}  // namespace harness::entries
