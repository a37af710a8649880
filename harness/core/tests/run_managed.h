// SPDX-License-Identifier: Apache-2.0
// Managed: a stage with a heap and an interpreter on it, and the strategies that heap tests need.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/heap/interpreter.h"
#include "harness/core/tests/run_tasks.h"

namespace harness::testing {

/// Collects generation `choice - 1` at the `at`-th question about it. All other answers are the
/// default.
class CollectOnce : public Strategy {
 public:
  explicit CollectOnce(std::uint32_t at, std::uint32_t choice = 3) : at_(at), choice_(choice) {}
  void begin() override { asked_ = 0; }
  std::uint32_t answer(const Question& question) override {
    if (question.site != Site::collect) return 0;
    return asked_++ == at_ ? choice_ : 0;
  }
  std::uint32_t asked() const { return asked_; }

 private:
  std::uint32_t at_;
  std::uint32_t choice_;
  std::uint32_t asked_ = 0;
};

/// Gives the most recently freed storage to new objects, and is plain otherwise.
class Reuse : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override { return question.site == Site::reuse; }
};

/// The stage of the current run, for finalizers, which are plain functions.
struct Managed : Stage {
  Heap heap{ledger};
  Interpreter* python = nullptr;
  std::vector<std::string> story;  ///< Finalizers and tests append to it.
  Ref saved;                       ///< Where a finalizer may put its object.
  static inline Managed* now = nullptr;

  ~Managed() { saved.leak(); }  // Its object has gone with the run.

  void begin(Strategy& strategy, HeapConfig config = {}, Tick turn_limit = 100'000) {
    saved.leak();
    Stage::begin(strategy, turn_limit);
    heap.begin();
    heap.configure(config);
    python = arena.make<Interpreter>(heap);
    story.clear();
    now = this;
  }
  /// Runs `body` as the only Python thread.
  template <class Body>
  Ending run(Strategy& strategy, Body body, HeapConfig config = {}) {
    begin(strategy, config);
    thread("main", body);
    return scheduler.run();
  }
  template <class Body>
  TaskId thread(Label label, Body body) {
    return scheduler.spawn(label, [this, body] {
      const AttachScope attached(*python);
      body();
    });
  }
  void tell(std::string line) { story.push_back(std::move(line)); }
};

struct Named {
  const char* name;
};

inline constexpr TypeInfo kPlainType{"Node"};
inline constexpr TypeInfo kSpoken{
    "Spoken", [](Object& self) {
      Managed::now->tell(std::string("finalize ") + self.payload<Named>().name);
    }};
inline constexpr TypeInfo kSaver{"Saver", [](Object& self) {
                                   Managed::now->tell("finalize");
                                   Managed::now->saved = BorrowedRef(self).own();
                                 }};
inline constexpr TypeInfo kUntracked{"int", nullptr, nullptr, false};

inline Ref spoken(Managed& stage, const char* name) {
  return stage.heap.make<Named>(kSpoken, name);
}

/// A pair that only refers to itself.
inline void make_cycle(Managed& stage, const char* first, const char* second) {
  const Ref a = spoken(stage, first);
  const Ref b = spoken(stage, second);
  a->set("next", b);
  b->set("next", a);
}

using Story = std::vector<std::string>;

}  // namespace harness::testing
