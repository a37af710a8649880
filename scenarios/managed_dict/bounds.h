// SPDX-License-Identifier: Apache-2.0
// Census: the number of blocks of each kind, from the ledger alone, during a run.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/managed_dict/model.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the script. Borrows the scene.
class Census {
 public:
  explicit Census(harness::Scene& scene) : scene_(scene) {}
  /// Judges the number of blocks while no statement runs, except for `blocks` with blocks of other
  /// tasks. If there are more of a kind than can be reachable, they have leaked. Reported once.
  void judge(const Bounds& bounds);
  /// Returns the size of the largest instance so far; 0 if there was none.
  std::uint64_t instance_bytes() const { return instance_bytes_; }
  /// Returns the number of instances at the last judgement.
  std::uint64_t instances() const { return alive_[0].size(); }

 private:
  static constexpr std::size_t kKinds = 6;
  void look();

  harness::Scene& scene_;
  std::size_t seen_ = 1;
  std::array<std::pmr::vector<harness::BirthId>, kKinds> alive_;
  bool reported_ = false;
  std::uint64_t instance_bytes_ = 0;
};

}  // namespace scenarios::managed_dict
