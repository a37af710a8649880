// SPDX-License-Identifier: Apache-2.0
// Parts: containment on a driver that is only observed. Nodes are in graphs, graphs in nodes, and
// levels in mipmapped arrays. A part ends with its whole.
#pragma once

#include <unordered_map>

namespace harness::devices {

/// Handles are reused, so a new or found object is always entered again. Ownership: borrows the
/// handles. Lifetime: one run.
class Parts {
 public:
  void begin() { wholes_.clear(); }

  void put(const void* part, const void* whole) { wholes_[part] = whole; }
  /// Notes that it is not a part of anything, such as an object with a reused handle.
  void take_out(const void* part) { wholes_.erase(part); }

  /// Returns whether it is a part of anything.
  bool has(const void* part) const { return wholes_.contains(part); }
  /// Returns whether it is `whole`, or inside it at some known level.
  bool is_in(const void* part, const void* whole) const {
    constexpr int kDepthLimit = 64;  // Old handles may form a cycle.
    for (int depth = 0; depth < kDepthLimit && part != whole; ++depth) {
      const auto known = wholes_.find(part);
      if (known == wholes_.end()) return false;
      part = known->second;
    }
    return part == whole;
  }

 private:
  std::unordered_map<const void*, const void*> wholes_;
};

}  // namespace harness::devices
