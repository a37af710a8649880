// SPDX-License-Identifier: Apache-2.0
// Parts: what is inside what on a driver that is watched. Nodes are in graphs, graphs in nodes, and
// levels in mipmapped arrays; whatever is inside of something ends with it.
#pragma once

#include <unordered_map>

namespace harness::devices {

/// Handles come back: who is born, or found somewhere, is put there again. Ownership: borrows the
/// handles. Lifetime: a run.
class Parts {
 public:
  void begin() { wholes_.clear(); }

  void put(const void* part, const void* whole) { wholes_[part] = whole; }
  /// It is no one's part, as a handle that came back is.
  void take_out(const void* part) { wholes_.erase(part); }

  /// Returns whether it is a part of anything.
  bool has(const void* part) const { return wholes_.contains(part); }
  /// Returns whether it is `whole`, or inside of it at some level that the run was informed of.
  bool is_in(const void* part, const void* whole) const {
    constexpr int kDepthLimit = 64;  // Old handles may lead in a circle.
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
