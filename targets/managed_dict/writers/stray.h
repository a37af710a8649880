// SPDX-License-Identifier: Apache-2.0
// Writers that write to the wrong block (class c of the report).
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// An extension keeps the address of an instance's word and its content, and writes the content
/// back, in its own width, when another instance is there.
template <class Word>
class StaleStore final : public Writer {
 public:
  using Writer::Writer;
  void before_death(Address object) override {
    object_ = object;
    word_ = last_word_;
  }
  void before_store(Address object) override {
    last_word_ = core_.attributes.word(object);
    const bool same = static_cast<Word>(word_) == static_cast<Word>(last_word_);
    if (object != object_ || word_ == 0 || same) return;
    if (fires(1, harness::Site::collect) == 0) return;
    const ModuleScope module(memory(), Module::unknown);
    memory().template store<Word>(object + kWordOffset, static_cast<Word>(word_));
  }

 private:
  Address object_ = 0;
  std::uint64_t word_ = 0;
  std::uint64_t last_word_ = 0;  ///< Word before the last store to an instance.
};

using StalePointerStore = StaleStore<std::uint64_t>;
/// The same for a flag of one byte: writes the low byte back.
using StaleByteStore = StaleStore<std::uint8_t>;

/// An extension clears a block that it once had: memset() of a block that now is an instance. Its
/// length is a choice: one byte of the word, two, or all.
class StaleMemset final : public Writer {
 public:
  using Writer::Writer;
  void before_death(Address object) override { object_ = object; }
  void before_store(Address object) override {
    if (object != object_) return;
    const std::uint32_t kind = fires(kLengths.size(), harness::Site::collect);
    if (kind == 0) return;
    const ModuleScope module(memory(), Module::unknown);
    constexpr std::array<std::byte, 16> kZeros{};
    memory().store_bytes(object - kPreheaderBytes, std::span(kZeros).first(kLengths[kind - 1]));
  }

 private:
  static constexpr std::array<std::size_t, 3> kLengths{9, 10, 16};

  Address object_ = 0;
};

/// The insertion order grows below its prefix into the previous block. The distance is a choice.
class InsertionOrderOverrun final : public Writer {
 public:
  using Writer::Writer;
  void after_append(Address values, std::uint32_t count) override {
    if (core_.setup.version == Version::cpython313) return;
    const std::uint32_t kind = fires(kDistances.size());
    if (kind == 0) return;
    const ModuleScope module(memory(), Module::jit);
    const Address chunk = values - memory().load<std::uint8_t>(values + kPrefixByteOffset);
    memory().store<std::uint8_t>(chunk - kDistances[kind - 1], static_cast<std::uint8_t>(count));
  }

 private:
  static constexpr std::array<std::uint32_t, 4> kDistances{1, 8, 9, 16};
};

}  // namespace targets::managed_dict
