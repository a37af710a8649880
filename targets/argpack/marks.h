// SPDX-License-Identifier: Apache-2.0
// Marks: ids of the allocations that a launch uses, as used_in_kernel() looks them up.
//
// Like on gfx, a request to delete a marked object is dropped, not deferred.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace targets::argpack {

class IdSet {
 public:
  void mark(std::uint64_t id) {
    if (!has(id)) ids_.push_back(id);
  }
  bool has(std::uint64_t id) const { return std::find(ids_.begin(), ids_.end(), id) != ids_.end(); }
  void clear() { ids_.clear(); }

 private:
  std::pmr::vector<std::uint64_t> ids_;
};

struct Marks {
  IdSet packs;
  IdSet arrays;

  void clear() {
    packs.clear();
    arrays.clear();
  }
};

}  // namespace targets::argpack
