// SPDX-License-Identifier: Apache-2.0
// Heap view: read access to an interpreter's memory for other components. It changes no byte and
// cannot crash: callers check that bytes exist before they read them. Ownership: borrows the
// interpreter. Lifetime: one run.
#pragma once

#include "targets/managed_dict/caches.h"

namespace targets::managed_dict {

class HeapView {
 public:
  HeapView(const Memory& memory, const Types& types, const Caches& caches)
      : memory_(memory), types_(types), caches_(caches) {}

  // ---- bytes ----
  /// Returns whether all `width` bytes are in live blocks.
  bool covers(Address address, std::uint32_t width) const {
    return memory_.blocks().covers(address, width);
  }
  /// Returns the bytes at `address`, which must be in live blocks.
  template <class T>
  T read(Address address) const {
    return memory_.peek<T>(address);
  }

  // ---- blocks ----
  /// Returns the live block that contains this byte, or null.
  const Block* find(Address address) const { return memory_.blocks().find(address); }
  /// Returns the last block that contained this byte, or null.
  const Block* find_dead(Address address) const { return memory_.blocks().find_dead(address); }
  /// Returns the block, alive or dead, that a block at this address would mostly overlap, or null.
  const Block* slot_near(Address begin) const { return memory_.blocks().slot_near(begin); }
  /// Calls `visit(block)` for every live block of the heap.
  template <class Visit>
  void for_each_live(Visit visit) const {
    memory_.blocks().for_each_live(visit);
  }
  /// Returns the number, below kStaticCount, of a static block.
  std::size_t static_index(const Block& block) const {
    return static_cast<std::size_t>((block.begin - memory_.blocks().static_base()) / kStaticBytes);
  }

  // ---- types ----
  Address none() const { return types_.none(); }
  Address boolean(bool value) const { return types_.boolean(value); }
  std::span<const Type> types() const { return types_.all(); }
  /// Returns the address of the attribute of the class that the name is bound to.
  Address class_attribute(Class of) const {
    return types_.named(of).address + kTypeAttributeOffset;
  }
  /// Returns the version of the class with a type object at `address`; 0 if it has none or there is
  /// no such class.
  std::uint32_t version(Address address) const {
    const Type* type = types_.at(address);
    return type != nullptr ? types_.version(*type) : 0;
  }

  // ---- caches ----
  /// Calls `visit(line)` for every line that is filled.
  template <class Visit>
  void for_each_cache_line(Visit visit) const {
    caches_.for_each_filled(visit);
  }

 private:
  const Memory& memory_;
  const Types& types_;
  const Caches& caches_;
};

}  // namespace targets::managed_dict
