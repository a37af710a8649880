// SPDX-License-Identifier: Apache-2.0
// Compiled code that counts what is not an object: the tagged word (class f), or values (class g).
//
// The word is values-1, so its "count" is {the prefix byte, the low bytes of values[0]}. With one
// more, the chunk is freed one byte early, and allocated again there. None of them ever writes to
// the word.
#pragma once

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/lowering.h"

namespace targets::managed_dict {

/// A compiler that treats the word as an object: its pass counts as the load declares (lowering.h).
/// A choice decides whether an access is compiled like this, and whether the guard fails: 1 it
/// fails, 2 it holds.
class CountedSlotLoad : public Writer {
 public:
  CountedSlotLoad(Core& core, const SlotLoad& load) : Writer(core), load_(load) {}
  bool before_load(Address object) final {
    if (!has_tagged_word(object)) return false;
    const std::uint32_t kind = fires(2);
    if (kind == 0) return false;
    const Way way = kind == 1 ? Way::exit : Way::through;
    count(core_.attributes.word(object), insert_counts(load_, way));
    return way == Way::exit;
  }

 private:
  void count(Address word, const CountPlan& plan) {
    for (std::uint32_t i = 0; i < plan.count; ++i)
      if (plan.steps[i] == Count::take)
        core_.objects.increment(word);
      else
        core_.objects.decrement(word);
  }

  SlotLoad load_;
};

/// Borrowed and promoted, but not given up when a guard fails: one more.
class IncrefTaggedWord final : public CountedSlotLoad {
 public:
  explicit IncrefTaggedWord(Core& core)
      : CountedSlotLoad(core, {.promotions = 1, .exit_gives_up = false}) {}
};

/// Owned: gives up a reference that was never taken, on both ways out.
class DecrefTaggedWord final : public CountedSlotLoad {
 public:
  explicit DecrefTaggedWord(Core& core) : CountedSlotLoad(core, {.owned = true}) {}
};

/// Borrowed and promoted, in balance: the counts cancel out unless bit 23 of values[0] is set, in
/// which case only INCREF has an effect.
class BalancedTaggedCount final : public CountedSlotLoad {
 public:
  explicit BalancedTaggedCount(Core& core) : CountedSlotLoad(core, {.promotions = 1}) {}
};

/// Two loads, each owned and promoted, but not given up when a guard fails: two more or two less.
/// The next chunk is two bytes off, its word looks valid, and all values read back.
class EvenTaggedCount final : public CountedSlotLoad {
 public:
  explicit EvenTaggedCount(Core& core)
      : CountedSlotLoad(core,
                        {.owned = true, .promotions = 1, .loads = 2, .exit_gives_up = false}) {}
};

/// Decodes the word and then counts: values[0] is incremented.
class IncrefDecodedValues final : public Writer {
 public:
  using Writer::Writer;
  bool before_load(Address object) override {
    const Attributes::Where where = core_.attributes.look(object);
    if (where.values != 0 && fires() != 0) core_.objects.increment(where.values);
    return false;
  }
};

}  // namespace targets::managed_dict
