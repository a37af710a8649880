// SPDX-License-Identifier: Apache-2.0
// Heap judge: compares the bytes that the interpreter has with what the shadow says (T1, T2 of what
// is alive, T4, T5, T7, T9, T10 of the fact sheet). Nothing here changes a byte.
//
// T1 the word is 0, a live dict, or the chunk that this instance was given. T4 what is read is what
// was last stored. T5 counts are right. T7 compiled code counts objects only. T9 no cache outlives
// the version it was filled at. T10 what a cache borrows is alive. T8 is vacuity.
#pragma once

#include <optional>

#include "scenarios/managed_dict/shadow.h"

namespace scenarios::managed_dict {

/// Ownership: the judge's. Borrows the context and the shadow.
class HeapJudge {
 public:
  using Address = targets::managed_dict::Address;

  HeapJudge(const JudgeContext& context, Shadow& shadow) : context_(context), shadow_(shadow) {}

  /// T1, of one instance: before its word is believed.
  void judge_word(Address object);
  /// T4: `observed` is what the object's attribute was read as.
  void judge_reading(Address object, targets::managed_dict::Attribute attribute,
                     Address observed) const;
  /// T4, of a class's own attribute.
  void judge_class_reading(targets::managed_dict::Class of, Address observed) const;
  /// T7: compiled code counts at this address.
  void judge_counted(Address word) const;
  /// T1, T2, T5, T9, T10: of everything there is.
  void judge_all();
  /// T4 of the instances that are left when the script has dropped all: no one reads them.
  void judge_left();
  /// Whether the count of some object that is alive is wrong; reports nothing.
  bool finds_miscount() const;

 private:
  using Block = targets::managed_dict::Block;

  struct Miscount {
    std::uint64_t count;
    std::int64_t expected;
  };

  void judge_word(ShadowInstance& instance) const;
  void judge_chunk(ShadowInstance& instance) const;
  void judge_values(const ShadowInstance& instance) const;
  std::optional<Miscount> miscount_of(const Block& block) const;
  void judge_count(const Block& block);
  void judge_immortals();
  void judge_caches();
  const Block* foreign_chunk(const ShadowInstance& instance, std::uint64_t word) const;
  bool leads_to_values(Address word) const;

  const JudgeContext& context_;
  Shadow& shadow_;
  bool immortals_judged_ = false;  ///< A count of theirs was found wrong.
  bool caches_judged_ = false;     ///< A stale line was reported.
};

}  // namespace scenarios::managed_dict
