// SPDX-License-Identifier: Apache-2.0
#include "harness/core/instruments/store_decoder.h"

#include <algorithm>

namespace harness::instruments {
namespace {

constexpr std::size_t kLongest = 15;

/// One instruction, decoded from its first byte.
class Instruction {
 public:
  Instruction(std::span<const std::uint8_t> code, std::uintptr_t next,
              const GeneralRegisters& registers)
      : code_(code), next_(next), registers_(registers) {}

  /// Decodes the instruction. The width is 0 if it is not a store, or not only a store.
  DecodedStore decode() {
    read_prefixes();
    std::uint8_t width = 0;
    if (peek() == 0xc4 || peek() == 0xc5)
      width = read_vex();
    else if (peek() == 0x0f)
      width = read_two_byte();
    else
      width = read_one_byte();
    if (width == 0 || !ok_) return {};
    const std::uintptr_t address = read_address();
    at_ += immediate_;
    return ok_ && at_ == code_.size() ? DecodedStore{width, address} : DecodedStore{};
  }

 private:
  std::uint8_t peek(std::size_t ahead = 0) const {
    return at_ + ahead < code_.size() ? code_[at_ + ahead] : 0;
  }
  std::uint8_t take() {
    if (at_ >= code_.size()) ok_ = false;
    return ok_ ? code_[at_++] : 0;
  }
  std::uint8_t operand() const { return wide_ ? 8 : size_prefix_ ? 2 : 4; }
  /// Returns the three bits of the next byte that select an instruction of a group.
  std::uint8_t choice() const { return peek() >> 3 & 7; }

  void read_prefixes() {
    for (; peek() == 0x66 || peek() == 0xf2 || peek() == 0xf3 || peek() == 0xf0; ++at_) {
      size_prefix_ |= peek() == 0x66;
      if (peek() >= 0xf2) repeat_ = peek();
    }
    if ((peek() & 0xf0) == 0x40) {
      wide_ = (peek() & 8) != 0;
      index_high_ = (peek() & 2) != 0;
      base_high_ = (peek() & 1) != 0;
      ++at_;
    }
  }

  std::uint8_t read_one_byte() {
    const std::uint8_t code = take();
    const std::uint8_t width = (code & 1) != 0 ? operand() : 1;
    const std::uint8_t immediate = width > 4 ? 4 : width;
    switch (code) {
      case 0x86:
      case 0x87:
      case 0x88:
      case 0x89:
        return width;
      case 0xc6:
      case 0xc7:
        immediate_ = immediate;
        return choice() == 0 ? width : 0;
      case 0x80:
      case 0x81:
        immediate_ = immediate;
        return choice() != 7 ? width : 0;
      case 0x83:
        immediate_ = 1;
        return choice() != 7 ? width : 0;
      case 0xfe:
      case 0xff:
        return choice() < 2 ? width : 0;
      case 0xf6:
      case 0xf7:
        return choice() == 2 || choice() == 3 ? width : 0;
      default:  // add, or, adc, sbb, and, sub, xor: a register to memory.
        return code < 0x38 && (code & 7) < 2 ? width : 0;
    }
  }

  std::uint8_t read_two_byte() {
    take();
    const std::uint8_t code = take();
    switch (code) {
      case 0xb0:
      case 0xc0:
        return 1;
      case 0xb1:
      case 0xc1:
        return operand();
      case 0xc3:
        return operand();
      default:
        return vector_width(code, 16);
    }
  }

  std::uint8_t read_vex() {
    const bool is_long = take() == 0xc4;
    const std::uint8_t first = take();
    index_high_ = is_long && (first & 0x40) == 0;
    base_high_ = is_long && (first & 0x20) == 0;
    if (is_long && (first & 0x1f) != 1) return 0;
    const std::uint8_t last = is_long ? take() : first;
    wide_ = is_long && (last & 0x80) != 0;
    constexpr std::array<std::uint8_t, 4> kPrefixes{0, 0x66, 0xf3, 0xf2};
    size_prefix_ = (last & 3) == 1;
    repeat_ = size_prefix_ ? 0 : kPrefixes[last & 3];
    return vector_width(take(), (last & 4) != 0 ? 32 : 16);
  }

  /// Returns the width of a vector store, by its second byte; 0 if it is not one.
  std::uint8_t vector_width(std::uint8_t code, std::uint8_t whole) const {
    switch (code) {
      case 0x11:
        return repeat_ == 0xf3 ? 4 : repeat_ == 0xf2 ? 8 : whole;
      case 0x29:
      case 0x2b:
        return whole;
      case 0x7f:
      case 0xe7:
        return size_prefix_ || repeat_ == 0xf3 ? whole : 8;
      case 0x13:
      case 0x17:
      case 0xd6:
        return 8;
      case 0x7e:
        return repeat_ != 0 ? 0 : wide_ ? 8 : 4;
      default:
        return 0;
    }
  }

  std::uint64_t base(std::uint8_t number) const {
    return registers_[number | (base_high_ ? 8U : 0U)];
  }

  std::int64_t displacement(std::size_t bytes) {
    std::int32_t value = 0;
    if (bytes == 1) value = static_cast<std::int8_t>(take());
    if (bytes == 4)
      for (int shift = 0; shift < 32; shift += 8)
        value |= static_cast<std::int32_t>(std::uint32_t{take()} << shift);
    return value;
  }

  std::uintptr_t read_address() {
    const std::uint8_t mode = take();
    const std::uint8_t kind = mode >> 6, number = mode & 7;
    if (kind == 3) ok_ = false;
    const std::size_t bytes = kind == 1 ? 1 : kind == 2 ? 4 : 0;
    if (number == 4) return read_scaled(kind, bytes);
    if (number == 5 && kind == 0) return next_ + static_cast<std::uint64_t>(displacement(4));
    const std::uint64_t from = base(number);
    return from + static_cast<std::uint64_t>(displacement(bytes));
  }

  std::uintptr_t read_scaled(std::uint8_t kind, std::size_t bytes) {
    const std::uint8_t scaled = take();
    const std::uint32_t index = (scaled >> 3 & 7U) | (index_high_ ? 8U : 0U);
    const std::uint64_t offset = index == 4 ? 0 : registers_[index] << (scaled >> 6);
    const bool no_base = (scaled & 7) == 5 && kind == 0;
    const std::uint64_t from = no_base ? 0 : base(scaled & 7);
    return from + offset + static_cast<std::uint64_t>(displacement(no_base ? 4 : bytes));
  }

  std::span<const std::uint8_t> code_;
  std::uintptr_t next_;
  const GeneralRegisters& registers_;
  std::size_t at_ = 0;
  std::size_t immediate_ = 0;  ///< Bytes of the immediate operand after the address.
  std::uint8_t repeat_ = 0;
  bool size_prefix_ = false;
  bool wide_ = false;
  bool index_high_ = false;
  bool base_high_ = false;
  bool ok_ = true;
};

}  // namespace

DecodedStore decode_store(std::span<const std::uint8_t> before, std::uintptr_t next,
                          const GeneralRegisters& registers, std::uintptr_t place,
                          std::size_t bytes) {
  for (std::size_t length = std::min(kLongest, before.size()); length >= 2; --length) {
    const DecodedStore store = Instruction(before.last(length), next, registers).decode();
    if (store.width != 0 && store.address < place + bytes && store.address + store.width > place)
      return store;
  }
  return {};
}

}  // namespace harness::instruments
