// SPDX-License-Identifier: Apache-2.0
// Script judge: judges the statements of the script by their statuses, and what they leave by what
// a script can read and by the number of live blocks.
#pragma once

#include "scenarios/managed_dict/judges/heap.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context and the heap's judge.
class ScriptJudge {
 public:
  using Inspection = targets::managed_dict::Inspection;

  /// Facts before a statement.
  struct Before {
    Status expected;
    std::uint32_t starved_count;
    std::uint32_t class_version;
  };

  ScriptJudge(const JudgeContext& context, HeapJudge& heap) : context_(context), heap_(heap) {}

  Before before(Inspection& path, const Statement& statement) const;
  /// Judges a statement that returned `status`, and applies it to the state.
  void judge(Inspection& path, const Statement& statement, const Before& before, Status status);
  /// Reads all variables, at the end of the script.
  void judge_variables(Inspection& path);

 private:
  /// Live blocks of a kind.
  struct Census {
    std::uint32_t count = 0;
    harness::BirthId last = harness::BirthId::none;
    std::uint64_t bytes = 0;  ///< Size of the largest.
  };
  using CensusOfKinds = std::array<Census, targets::managed_dict::kBlockKindCount>;

  void judge_status(Op op, const Before& before, Status status);
  void judge_objects(Inspection& path, Variable variable);
  void judge_variable(Inspection& path, Variable variable);
  void judge_held(Inspection& path);
  void judge_contents(const targets::managed_dict::View& view, Object& object);
  void judge_counts(Inspection& path);
  CensusOfKinds take_census() const;

  const JudgeContext& context_;
  HeapJudge& heap_;
  std::int64_t newest_ = 0;  ///< Newest number read so far.
};

}  // namespace scenarios::managed_dict
