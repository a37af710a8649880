// SPDX-License-Identifier: Apache-2.0
// Leeway: where the documentation says what the driver *may* do. A program may rely on neither, so
// which it is, is a pick, where an actor or a client asks for that (harness/cuda/leeway.h); the
// default answer is what the driver does otherwise, as drivers of today are known to do.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/world.h"

namespace harness::devices {

/// Ownership: of a device; begun again for every run.
class Leeway {
 public:
  void begin(World& world);

  /// Has picks asked in all runs of the device, on every thread.
  void give(bool given) { given_ = given; }
  bool is_given() const;

  /// Returns which of `option_count` ways the driver takes, 0 for that of today. `what` names the
  /// question, which is asked under its own name: no other question of the call is another one for
  /// it.
  std::uint32_t pick(Label what, std::uint32_t option_count);

 private:
  World* world_ = nullptr;
  bool given_ = false;
  std::unordered_map<Name, std::uint32_t> asked_;  ///< How often, by asker and question.
};

}  // namespace harness::devices
