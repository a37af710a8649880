// SPDX-License-Identifier: Apache-2.0
// Heap judge: compares the interpreter's bytes with the shadow (T1, T2 of live chunks, T4, T5, T7,
// T9, T10 of the fact sheet). It changes no byte.
//
// T1: the word is 0, a live dict, or the chunk that this instance got. T4: a read returns the last
// stored value. T5: counts are right. T7: compiled code counts only objects. T9: no cache outlives
// the version at which it was filled. T10: values borrowed by caches are alive. T8 is vacuity.
#pragma once

#include <optional>

#include "scenarios/managed_dict/shadow.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context and the shadow.
class HeapJudge {
 public:
  using Address = targets::managed_dict::Address;

  HeapJudge(const JudgeContext& context, Shadow& shadow) : context_(context), shadow_(shadow) {}

  /// T1 for one instance, before its word is used.
  void judge_word(Address object);
  /// T4: a read of the object's attribute returned `observed`.
  void judge_reading(Address object, targets::managed_dict::Attribute attribute,
                     Address observed) const;
  /// T4 for a class's own attribute.
  void judge_class_reading(targets::managed_dict::Class of, Address observed) const;
  /// T7: compiled code counts a reference at this address.
  void judge_counted(Address word) const;
  /// T1, T2, T5, T9, T10 for all objects.
  void judge_all();
  /// T4 for the instances left when the script has dropped everything: nothing else reads them.
  void judge_left();
  /// Returns whether some live object has a wrong count. Reports nothing.
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
  bool immortals_judged_ = false;  ///< One of their counts was found wrong.
  bool caches_judged_ = false;     ///< A stale line was reported.
};

}  // namespace scenarios::managed_dict
