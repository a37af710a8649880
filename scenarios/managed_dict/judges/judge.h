// SPDX-License-Identifier: Apache-2.0
// Judge: the listeners to the interpreter of one run, and their state.
#pragma once

#include "scenarios/managed_dict/judges/block.h"
#include "scenarios/managed_dict/judges/code.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the script. Borrows the scene; the path borrows it during the run.
class Judge {
 public:
  explicit Judge(harness::Scene& scene)
      : reached_(scene),
        context_{.scene = scene, .reached = &reached_},
        capacity_(scene),
        shadow_(context_),
        heap_(context_, shadow_),
        code_(context_, shadow_, heap_),
        blocks_(context_, heap_, capacity_) {}
  Judge(const Judge&) = delete;  // Its parts point at each other.
  Judge& operator=(const Judge&) = delete;

  /// Returns the listeners for a path that is about to be made. Call look_at() before it
  /// starts.
  targets::managed_dict::Observers observers() { return {&shadow_, &code_, &blocks_}; }
  void look_at(const targets::managed_dict::HeapView& heap,
               targets::managed_dict::Version version) {
    context_.heap = &heap;
    context_.version = version;
  }

  const Reached& reached() const { return reached_; }
  Shadow& shadow() { return shadow_; }
  HeapJudge& heap() { return heap_; }
  CodeJudge& code() { return code_; }
  const CodeJudge& code() const { return code_; }
  const BlockJudge& blocks() const { return blocks_; }
  ValueCapacity& capacity() { return capacity_; }

 private:
  Reached reached_;
  JudgeContext context_;
  ValueCapacity capacity_;
  Shadow shadow_;
  HeapJudge heap_;
  CodeJudge code_;
  BlockJudge blocks_;
};

}  // namespace scenarios::managed_dict
