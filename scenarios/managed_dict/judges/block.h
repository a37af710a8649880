// SPDX-License-Identifier: Apache-2.0
// Block judge: checks of a debug allocator and of the address space: T2 and T6 when a block is
// freed, T3 when one is allocated, and the modelled crash.
//
// T2: the byte before the values is their prefix. T3: no block has two owners. T6: free() gets a
// result of malloc(), once, and the bytes around the block are unchanged.
#pragma once

#include "scenarios/managed_dict/judges/heap.h"
#include "scenarios/managed_dict/value_capacity.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context, the heap's judge and the capacity.
class BlockJudge final : public targets::managed_dict::HeapObserver {
 public:
  BlockJudge(const JudgeContext& context, const HeapJudge& heap, ValueCapacity& capacity)
      : context_(context), heap_(heap), capacity_(capacity) {}

  /// Returns how often there was no memory.
  std::uint32_t starved_count() const { return starved_; }

  // ---- facts ----
  void starved() override { ++starved_; }
  void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) override {
    capacity_.made_room(type, named, room);
  }
  void freeing_values() override;
  void released(const targets::managed_dict::Release& release) override;
  void handed_out_twice(harness::BirthId block) override;
  void crashed(const targets::managed_dict::Crash& crash) override;

 private:
  std::uint8_t prefix_expected(const targets::managed_dict::Release& release) const;
  void report_around(harness::BirthId block, harness::Label what) const;

  const JudgeContext& context_;
  const HeapJudge& heap_;
  ValueCapacity& capacity_;
  std::uint32_t starved_ = 0;
};

}  // namespace scenarios::managed_dict
