// Compiled code that counts what is no object: the tagged word (class f), or the values (class g).
//
// The word is values-1, so its "count" is {the prefix byte, the low bytes of values[0]}: one more,
// and the chunk is freed one byte early, and handed out so. None of them ever writes to the word.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// The slot is loaded as an owned dict, and a reference to it is taken.
class IncrefTaggedWord final : public Writer {
 public:
  using Writer::Writer;
  void before_load(Address object) override {
    if (has_tagged_word(object) && fires() != 0)
      core_.objects.increment(core_.attributes.word(object));
  }
};

/// A reference that was never taken is given up.
class DecrefTaggedWord final : public Writer {
 public:
  using Writer::Writer;
  void before_load(Address object) override {
    if (has_tagged_word(object) && fires() != 0)
      core_.objects.decrement(core_.attributes.word(object));
  }
};

/// Both, in balance: they undo each other unless bit 23 of values[0] is set, where only INCREF
/// counts.
class BalancedTaggedCount final : public Writer {
 public:
  using Writer::Writer;
  void before_load(Address object) override {
    if (!has_tagged_word(object) || fires() == 0) return;
    const std::uint64_t word = core_.attributes.word(object);
    core_.objects.increment(word);
    core_.objects.decrement(word);
  }
};

/// Two of a kind: the next chunk is two bytes off, its word looks valid, and all values read back.
class EvenTaggedCount final : public Writer {
 public:
  using Writer::Writer;
  void before_load(Address object) override {
    if (!has_tagged_word(object)) return;
    const std::uint32_t kind = fires(2);
    if (kind == 0) return;
    const std::uint64_t word = core_.attributes.word(object);
    for (int i = 0; i < 2; ++i) {
      if (kind == 1)
        core_.objects.increment(word);
      else
        core_.objects.decrement(word);
    }
  }
};

/// The word is decoded before it is counted: values[0] is one more.
class IncrefDecodedValues final : public Writer {
 public:
  using Writer::Writer;
  void before_load(Address object) override {
    const Attributes::Where where = core_.attributes.look(object);
    if (where.values != 0 && fires() != 0) core_.objects.increment(where.values);
  }
};

}  // namespace targets::managed_dict
