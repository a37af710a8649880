// SPDX-License-Identifier: Apache-2.0
// Leeway: the places where the documentation states what the driver *may* do. A program cannot rely
// on either behaviour, so it is a choice, if an actor or a client requests that
// (harness/driver/cuda/leeway.h). The default is the known behaviour of today's drivers.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/core/world.h"

namespace harness::devices {

/// Ownership: belongs to a device; begun again for every run.
class Leeway {
 public:
  void begin(World& world);

  /// Enables the choices in all runs of the device, on every thread.
  void give(bool given) { given_ = given; }
  bool is_given() const;

  /// Returns the chosen behaviour, one of `option_count`; 0 is that of today's drivers. `what`
  /// names the choice. The choice has a separate activation, so it does not renumber other choices
  /// of the call.
  std::uint32_t pick(Label what, std::uint32_t option_count);

 private:
  World* world_ = nullptr;
  bool given_ = false;
  std::unordered_map<Name, std::uint32_t> asked_;  ///< Number of choices, by activation and name.
};

}  // namespace harness::devices
