// SPDX-License-Identifier: Apache-2.0
// Writers of the whole tagged word, or more (class b of the report).
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// SetValues of a word that is already encoded: stores values-2.
class EncodeTwice final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (!has_tagged_word(object) || fires() == 0) return;
    memory().store<std::uint64_t>(object + kWordOffset, tagged(core_.attributes.word(object)));
  }
};

/// DECREF of the word as if an object began there. Skipped if bit 31 of the word is set.
class MisdirectedDecref final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() != 0) core_.objects.decrement(object + kWordOffset);
  }
};

/// The collector clears a flag in a header that it assumes two words too early.
class ClearGcFlagOffHeader final : public Writer {
 public:
  using Writer::Writer;
  void on_collect(Address object) override {
    if (memory().load<std::uint64_t>(object + kTypeOffset) == core_.types.dict_type()) return;
    if (fires(1, harness::Site::collect) == 0) return;
    const Address word = object + kWordOffset;
    memory().store<std::uint64_t>(word, memory().load<std::uint64_t>(word) & ~std::uint64_t{1});
  }
};

/// `and word, 0xfffe`: clears the tag in a store of two bytes.
class ClearTagOfTwoBytes final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    const Address word = object + kWordOffset;
    const int value = memory().load<std::uint16_t>(word) & 0xfffe;
    memory().store<std::uint16_t>(word, static_cast<std::uint16_t>(value));
  }
};

/// `sub dword, 1`: four bytes, without a check, as for a 32-bit reference count.
class SubtractFromFourBytes final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    const Address word = object + kWordOffset;
    memory().store<std::uint32_t>(word, memory().load<std::uint32_t>(word) - 1);
  }
};

/// A vector register loads the two words before the collector's and stores both back. The tag was
/// masked out of it in order to follow the pointer.
class StoreSixteenBytes final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    const Address place = object + kWordOffset - kWord;
    const std::array<std::uint64_t, 2> words{memory().load<std::uint64_t>(place),
                                             core_.attributes.word(object) & ~std::uint64_t{1}};
    memory().store_bytes(place, std::as_bytes(std::span(words)));
  }
};

/// An unaligned wide store to the previous word, which also overwrites half of this one.
class StraddlingStore final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    const Address place = object + kWordOffset - 4;
    const auto both = memory().load<std::uint64_t>(place);
    memory().store<std::uint64_t>(place, both & ~(std::uint64_t{1} << 32));
  }
};

}  // namespace targets::managed_dict
