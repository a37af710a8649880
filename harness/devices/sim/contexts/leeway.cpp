// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/contexts/leeway.h"

#include "harness/driver/cuda/leeway.h"

namespace harness::devices {

void Leeway::begin(World& world) {
  world_ = &world;
  take_leeway_back();
  asked_.clear();
}

bool Leeway::is_given() const { return given_ || has_leeway(*world_); }

std::uint32_t Leeway::pick(Label what, std::uint32_t option_count) {
  if (!is_given()) return 0;
  Picker& picker = world_->picker;
  const Name asker = picker.current().name;
  const std::uint32_t nth = asked_[mix(asker, what.hash())]++;
  Activation question{derive_name(asker, what.hash(), nth), {}, {}};
  Activation* before = picker.enter(question);
  const std::uint32_t picked = picker.pick(Site::lag, option_count);
  picker.leave_to(before);
  if (picked != 0) world_->history.add(ActivationRecord{question.name, asker, what, nth});
  return picked;
}

}  // namespace harness::devices
