// SPDX-License-Identifier: Apache-2.0
// Marks: which allocations a launch uses, by id, as used_in_kernel() looks them up.
//
// Marks of gfx: a request to delete a marked object is dropped, not kept for later.
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
