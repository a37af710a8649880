// SPDX-License-Identifier: Apache-2.0
// Noise: other objects of a program: blocks of any size, freed in the reverse order of their
// allocation.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// Ownership: owned by the program; owns the blocks. Threads: the interpreter's.
class Noise {
 public:
  explicit Noise(Core& core) : core_(core) {}

  Status hold(std::uint32_t bytes) {
    const harness::SiteScope site(core_.scheduler(), "PyMem_Malloc");
    const Address block = core_.allocator.malloc(bytes, BlockKind::noise);
    if (block == 0) return Status::memory_error;
    blocks_.push_back(block);
    return Status::ok;
  }
  Status drop() {
    if (blocks_.empty()) return Status::name_error;
    const harness::SiteScope site(core_.scheduler(), "PyMem_Free");
    core_.allocator.free(blocks_.back());
    blocks_.pop_back();
    return Status::ok;
  }

 private:
  Core& core_;
  std::pmr::vector<Address> blocks_;
};

}  // namespace targets::managed_dict
