// SPDX-License-Identifier: Apache-2.0
// Block judge: checks of a debug allocator and of the address space: T2 and T6 when a block is
// freed, T3 when one is allocated, and the modelled crash.
//
// T2: the byte before the values is their prefix. T3: no block has two owners. T6: free() gets a
// result of malloc(), once, and the bytes around the block are unchanged.
#pragma once

#include "scenarios/managed_dict/judges/heap.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context and the heap's judge.
class BlockJudge final : public targets::managed_dict::HeapObserver {
 public:
  BlockJudge(const JudgeContext& context, const HeapJudge& heap) : context_(context), heap_(heap) {}

  void starved() override { ++context_.state.starved_count; }
  void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) override;
  void freeing_values() override { context_.reached.reach(Window::chunk_freed); }
  void released(const targets::managed_dict::Release& release) override;
  void handed_out_twice(harness::BirthId block) override;
  void crashed(const targets::managed_dict::Crash& crash) override;

 private:
  void report_around(harness::BirthId block, harness::Label what) const;

  const JudgeContext& context_;
  const HeapJudge& heap_;
};

}  // namespace scenarios::managed_dict
