// SPDX-License-Identifier: Apache-2.0
// Collector: the cyclic collector. It uses the two words before each object, like CPython's
// gcmodule.
//
// During a collection, an object's second word holds a copy of its reference count, from which
// internal references are subtracted; objects with a remainder are reachable. One generation.
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
  /// Returns the number of unreachable objects.
  std::uint32_t collect();

 private:
  static constexpr std::uint64_t kCollecting = 2;
  static constexpr std::uint64_t kFlags = 3;
  static constexpr std::uint32_t kReferenceShift = 2;
  /// A longer list must be circular: the real collector would loop forever.
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
