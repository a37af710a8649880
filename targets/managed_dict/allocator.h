// SPDX-License-Identifier: Apache-2.0
// Allocator: pymalloc as in 3.12: size classes, and in-band LIFO free lists.
//
// free() does not check its argument: it puts the address onto the free list of that pool, and the
// next malloc() of the class returns it. Which free block malloc() takes is a choice (default: the
// last freed), since other threads and objects affect it in a real process.
#pragma once

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

harness::Label to_label(BlockKind kind);

class Allocator {
 public:
  explicit Allocator(Memory& memory) : memory_(memory) {}

  /// Returns 0 if there is no memory left.
  Address malloc(std::uint32_t bytes, BlockKind kind);
  void free(Address address);
  /// Frees a chunk of values: `values` is the address of values[0], and the chunk's own prefix says
  /// where it begins.
  void free_values(Address values);

  /// Returns how often an instance reused the storage of another one.
  std::uint32_t recycled_instances() const { return recycled_instances_; }

 private:
  static constexpr std::uint32_t kChoiceLimit = 4;
  static constexpr std::byte kPadding{0xfd};

  std::uint32_t pool_with_room(std::uint32_t size_class);
  bool has_room(std::uint32_t pool);
  Address take_free(std::uint32_t pool, Address head);
  Address hand_out(Address address, std::uint32_t bytes, BlockKind kind);
  std::uint32_t padding_bytes(const Block& block);
  void free(Address address, bool is_values, std::uint8_t prefix);

  Memory& memory_;
  std::array<std::uint32_t, kClassCount> pools_{};  ///< Index + 1 of the current pool, by size
                                                    ///< class.
  std::uint32_t recycled_instances_ = 0;
};

}  // namespace targets::managed_dict
