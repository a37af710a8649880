// SPDX-License-Identifier: Apache-2.0
// Writers of one byte of the tagged word, in compiled code (class a of the report).
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// Clears the low bit of the byte. This is idempotent: the word never becomes valid again.
class ClearTagByte final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    const Address byte = object + kWordOffset;
    memory().store<std::uint8_t>(byte, memory().load<std::uint8_t>(byte) & 0xfe);
  }
};

/// Subtracts 1. Done twice, the low bit is set again and the values are one byte off.
class SubtractFromTagByte final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    const Address byte = object + kWordOffset;
    const int value = memory().load<std::uint8_t>(byte) - 1;
    memory().store<std::uint8_t>(byte, static_cast<std::uint8_t>(value));
  }
};

/// Stores the byte that the report saw, whatever the word is.
class MoveTagByte final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() != 0) memory().store<std::uint8_t>(object + kWordOffset, 0x96);
  }
};

}  // namespace targets::managed_dict
