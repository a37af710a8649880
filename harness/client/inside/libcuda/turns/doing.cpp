// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/turns/doing.h"

#include <unordered_map>

#include "harness/driver/cuda/process.h"

namespace harness::entries {

static Baton* the_baton = nullptr;

Baton& Doing::baton() { return *the_baton; }
void Doing::use(Baton& baton) { the_baton = &baton; }

/// Number of calls of each function by this thread. Never destroyed: it may be used late.
static std::unordered_map<std::uint64_t, std::uint32_t>& counts() {
  static thread_local auto* const all = new std::unordered_map<std::uint64_t, std::uint32_t>;
  return *all;
}

Doing::Doing(Label function)
    : is_ours_(Baton::Inside::is_any() || ProcessWorld::has_driver()),
      me_(is_ours_ ? nullptr : Baton::mine()) {
  if (me_ == nullptr) return;
  me_->coming = function;
  me_->coming_nth = ++counts()[function.hash()];
  me_->asked_count = 0;
  me_->is_cancellable = false;
}

void Doing::offer() const {
  if (BatonThread* other = baton().next(*me_, Baton::At::sync, true); other != nullptr)
    baton().hand_to(*me_, *other);
}

Woken Doing::park(const void* on, const Baton::Limit& limit, bool may_look_again) const {
  baton().will_park(*me_, on, kAll, may_look_again);
  return baton().park(*me_, limit);
}

int wakes(const Doing& doing, const void* on, std::uint32_t count, int status) {
  if (!doing.is_ours()) Doing::baton().unpark(on, count);
  return status;
}

}  // namespace harness::entries
