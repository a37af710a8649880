// SPDX-License-Identifier: Apache-2.0
// Compiled code that counts what is not an object: the tagged word (class f), or the values (class
// g).
//
// The word is values-1, so its "count" is {the prefix byte, the low bytes of values[0]}: one more,
// and the chunk is freed one byte early, and handed out so. None of them ever writes to the word.
#pragma once

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/lowering.h"

namespace targets::managed_dict {

/// A compiler that takes the word for an object: its pass counts what the load says of itself
/// (lowering.h). Whether an access is compiled so at all, and then whether the guard fails, is a
/// pick: 1 it fails, 2 it holds.
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

/// Borrowed, promoted, and forgotten where a guard fails: one more.
class IncrefTaggedWord final : public CountedSlotLoad {
 public:
  explicit IncrefTaggedWord(Core& core)
      : CountedSlotLoad(core, {.promotions = 1, .exit_gives_up = false}) {}
};

/// Owned: a reference that was never taken is given up, whichever way the code goes.
class DecrefTaggedWord final : public CountedSlotLoad {
 public:
  explicit DecrefTaggedWord(Core& core) : CountedSlotLoad(core, {.owned = true}) {}
};

/// Borrowed and promoted, in balance: that undoes itself unless bit 23 of values[0] is set, where
/// only INCREF counts.
class BalancedTaggedCount final : public CountedSlotLoad {
 public:
  explicit BalancedTaggedCount(Core& core) : CountedSlotLoad(core, {.promotions = 1}) {}
};

/// Two loads, each owned and promoted, and forgotten where a guard fails: two more or two less. The
/// next chunk is two bytes off, its word looks valid, and all values read back.
class EvenTaggedCount final : public CountedSlotLoad {
 public:
  explicit EvenTaggedCount(Core& core)
      : CountedSlotLoad(core,
                        {.owned = true, .promotions = 1, .loads = 2, .exit_gives_up = false}) {}
};

/// The word is decoded before it is counted: values[0] is one more.
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
