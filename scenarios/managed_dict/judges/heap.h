// SPDX-License-Identifier: Apache-2.0
// Heap judge: compares the interpreter's bytes with the state of the run (T1, T2 of live chunks, T4
// of what is left, T5, T9, T10 of the fact sheet). It changes no byte.
//
// T1: the word is 0, a live dict, or the chunk that this instance got. T4: a read returns the last
// stored value. T5: counts are right. T9: no cache outlives the version at which it was filled.
// T10: values borrowed by caches are alive. T8 is vacuity.
#pragma once

#include "scenarios/managed_dict/judges/context.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context.
class HeapJudge {
 public:
  explicit HeapJudge(const JudgeContext& context) : context_(context) {}

  /// T1 for one instance, before its word is used.
  void judge_word(Address object);
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

  const targets::managed_dict::HeapView& bytes() const { return *context_.state.heap; }
  void judge_word(Instance& instance) const;
  void judge_chunk(Instance& instance) const;
  void judge_values(const Instance& instance) const;
  std::optional<Miscount> miscount_of(const Block& block) const;
  void judge_count(const Block& block);
  void judge_immortals();
  void judge_caches();
  const Block* foreign_chunk(const Instance& instance, std::uint64_t word) const;

  const JudgeContext& context_;
  bool immortals_judged_ = false;  ///< One of their counts was found wrong.
  bool caches_judged_ = false;     ///< A stale line was reported.
};

}  // namespace scenarios::managed_dict
