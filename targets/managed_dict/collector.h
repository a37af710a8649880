// SPDX-License-Identifier: Apache-2.0
// Collector: the cyclic collector, on the two words before each object, as CPython's gcmodule
// works.
//
// While it runs, an object's second word holds a copy of its count; what references from within do
// not account for is reachable. One generation.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

struct Core;

class Collector {
 public:
  Collector(Core& core, Memory& memory) : core_(core), memory_(memory) {}

  void track(Address object);
  void untrack(Address object);
  /// Returns how many objects were unreachable.
  std::uint32_t collect();

 private:
  static constexpr std::uint64_t kCollecting = 2;
  static constexpr std::uint64_t kFlags = 3;
  static constexpr std::uint32_t kReferenceShift = 2;
  /// A list that is longer has been bent into a circle: the real collector would go round for ever.
  static constexpr std::size_t kObjectLimit = 4096;

  std::uint64_t load(Address address) { return memory_.load<std::uint64_t>(address); }
  void store(Address address, std::uint64_t value) { memory_.store<std::uint64_t>(address, value); }
  Address next_field(Address object) const { return object - 16; }
  Address prev_field(Address object) const { return object - 8; }

  template <class Visit>
  void traverse(Address object, Visit visit);
  bool is_collecting(Address object);
  void gather();
  void subtract_references();
  void mark_reachable();
  void restore_links();
  std::uint32_t clear_unreachable();

  Core& core_;
  Memory& memory_;
  std::pmr::vector<Address> objects_;
  std::pmr::vector<Address> reachable_;
  bool running_ = false;
};

}  // namespace targets::managed_dict
