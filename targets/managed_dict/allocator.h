// Allocator: pymalloc as 3.12 has it: size classes, free lists in band, last in first out.
//
// free() believes its argument: what it is given goes onto the free list of that pool, and the next
// malloc() of the class hands exactly that out. Which free block malloc() takes is a pick (plain:
// the last freed), as other threads' and other objects' traffic decides in a real process.
#pragma once

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

class Allocator {
 public:
  explicit Allocator(Memory& memory) : memory_(memory) {}

  /// 0 when there is no memory left.
  Address malloc(std::uint32_t bytes, BlockKind kind);
  /// `prefix_expected`: for values, what the byte before values[0] should hold; ghost.
  void free(Address address);
  /// The same for a chunk of values: `values` is where values[0] is, and says itself where it
  /// begins.
  void free_values(Address values, std::uint8_t prefix_expected);

 private:
  static constexpr std::uint32_t kChoiceLimit = 4;
  static constexpr std::byte kPadding{0xfd};

  struct Class {
    std::uint32_t pool = kPoolCount;  ///< The one that is used; earlier ones are full.
  };

  Address take_free(std::uint32_t pool);
  Address carve(std::uint32_t pool);
  Address hand_out(Address address, std::uint32_t pool, std::uint32_t bytes, BlockKind kind);
  void free(Address address, bool is_values, std::uint8_t prefix, std::uint8_t expected);

  Memory& memory_;
  std::array<Class, kClassCount> classes_{};
};

}  // namespace targets::managed_dict
