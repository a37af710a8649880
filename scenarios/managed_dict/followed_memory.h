// SPDX-License-Identifier: Apache-2.0
// FollowedMemory: adds the interpreter's memory events to the trail of a run.
#pragma once

#include <array>

#include "harness/run/scenario/followed.h"
#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Ownership: borrows the world of the run.
class FollowedMemory final : public targets::managed_dict::MemoryObserver {
 public:
  explicit FollowedMemory(harness::World& world) : world_(world) {}

  void stored(const targets::managed_dict::Store& store) override {
    harness::follow_step(world_, harness::Trail::Kind::write, kStores[harness::raw(store.kind)],
                         {static_cast<std::uint64_t>(store.offset), store.width, store.after});
  }
  void released(const targets::managed_dict::Release& release) override {
    harness::follow_step(world_, harness::Trail::Kind::event, "free", {release.address});
  }
  void cache_hit(const targets::managed_dict::CacheHit& hit) override {
    harness::follow_step(world_, harness::Trail::Kind::event, "cache hit", {hit.address});
  }

 private:
  static constexpr std::array<harness::Label, targets::managed_dict::kBlockKindCount> kStores{
      "instance", "values", "dict", "int", "table", "noise", "type", "no one's"};

  harness::World& world_;
};

}  // namespace scenarios::managed_dict
