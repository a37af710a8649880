// SPDX-License-Identifier: Apache-2.0
// Block judge: what a debug allocator and the address space find: T2 and T6 when a block is freed,
// T3 when one is handed out, and the modelled crash.
//
// T2 the byte before the values is their prefix. T3 no block has two owners. T6 free() gets what
// malloc() returned, once, with nothing written around it.
#pragma once

#include "scenarios/managed_dict/judges/heap.h"
#include "scenarios/managed_dict/value_capacity.h"

namespace scenarios::managed_dict {

/// Ownership: the judge's. Borrows the context, the heap's judge and the capacity.
class BlockJudge final : public targets::managed_dict::HeapObserver {
 public:
  BlockJudge(const JudgeContext& context, const HeapJudge& heap, ValueCapacity& capacity)
      : context_(context), heap_(heap), capacity_(capacity) {}

  /// How often there was no memory.
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
