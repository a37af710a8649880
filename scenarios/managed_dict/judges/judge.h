// SPDX-License-Identifier: Apache-2.0
// Judge: the state of one run, with its listeners to the interpreter and its judges.
#pragma once

#include "scenarios/managed_dict/judges/block.h"
#include "scenarios/managed_dict/judges/code.h"
#include "scenarios/managed_dict/judges/script.h"
#include "scenarios/managed_dict/model/update.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the script. Borrows the scene, which refers to it; the path borrows it
/// during the run.
class Judge {
 public:
  explicit Judge(harness::Scene& scene)
      : reached_(scene),
        state_(scene),
        context_{scene, state_, reached_},
        update_(state_, reached_),
        heap_(context_),
        code_(context_, heap_),
        block_(context_, heap_),
        script_(context_, heap_) {
    scene.set_state(reached_);  // For window_of().
  }
  Judge(const Judge&) = delete;  // Its parts point at each other.
  Judge& operator=(const Judge&) = delete;

  /// Returns the listeners for a path that is about to be made, with the observer of an instrument,
  /// if any. Call look_at() before it starts.
  targets::managed_dict::Observers observers(CodeJudge::MemoryObserver* memory = nullptr) {
    code_.set_observer(memory);
    return {&update_, &code_, &block_, memory};
  }
  void look_at(const targets::managed_dict::HeapView& heap, Version version) {
    state_.heap = &heap;
    state_.version = version;
  }

  State& state() { return state_; }
  const State& state() const { return state_; }
  HeapJudge& heap() { return heap_; }
  CodeJudge& code() { return code_; }
  ScriptJudge& script() { return script_; }

 private:
  Reached reached_;
  State state_;
  JudgeContext context_;
  Update update_;
  HeapJudge heap_;
  CodeJudge code_;
  BlockJudge block_;
  ScriptJudge script_;
};

}  // namespace scenarios::managed_dict
