// SPDX-License-Identifier: Apache-2.0
// Witness: judges every result that the path returns.
//
// Service: a call that is refused, fails or does nothing, without an injected error and without a
// row of refusals() that allows it, is a fault, and so is ok if a refusal is required. Boundedness:
// what cannot be used is gone when the contract of argpack.h says so. Judged until the first fault
// of a run, because what follows from one is not another.
#pragma once

#include "scenarios/argpack/attempt.h"
#include "scenarios/argpack/seen_work.h"

namespace scenarios::argpack {

/// The ops whose results a change concerns: those of other tasks, or this one as well.
enum class Change : std::uint8_t { of_others, of_all };

/// Ownership: in the run's arena; borrows the scene and the model.
class Witness {
 public:
  using Status = targets::argpack::Status;

  Witness(harness::Scene& scene, Model& model)
      : scene_(scene), model_(model), work_(scene.world().history) {}
  Witness(const Witness&) = delete;  // Calls that are under way point at it.
  Witness& operator=(const Witness&) = delete;

  /// Makes a call of the path, and judges its result.
  template <class Call>
  Status attempt(Attempt attempt, Call call) {
    begin(attempt);
    const Status status = call();
    end(attempt, status);
    return status;
  }
  /// Finalizers may hand out this value, and those nested in it.
  void planted(std::int64_t value) { planted_.push_back(value); }

  /// Updates what ops under way may return, after a change that decides it.
  void changed(Change change);
  /// The current task's op, and whether another task's is still under way. 0 is none.
  Serial op() const { return running_[task()] != nullptr ? running_[task()]->began : 0; }
  bool runs_beside(Serial op) const;
  /// The current task's op has left this behind.
  void did(Deed deed);
  void launched(const Context& context);
  /// Hears which value the current task has just been given: for a new pack of this depth, or for
  /// anything else (depth 0). False where the scenario handed out no such value.
  bool handed_out(std::int64_t value, std::uint32_t depth) const;
  /// The value that the current task's op hands out.
  std::uint64_t value() const { return static_cast<std::uint64_t>(running_[task()]->value); }
  /// The script is over: the harness's own oracle judges what is left.
  void close() { closed_ = true; }
  /// Every successful launch has run, once.
  void judge_end();

 private:
  static constexpr std::size_t kTaskLimit = 64;

  void begin(Attempt& attempt);
  void end(Attempt& attempt, Status status);
  void judge(Attempt& attempt, Status status);
  void note_refusal(Op op, Status status);
  void judge_ok(const Attempt& attempt, Cases certain);
  void judge_work(const Attempt& attempt);
  void judge_bounds(const Attempt& attempt);
  template <class Due>
  void judge_gone(const Attempt& attempt, harness::Label bound, Due due);
  bool may_still_use(const Attempt& attempt, const Thing& thing) const;
  bool stayed_alone(const Attempt& attempt) const;
  bool claims_soundness() const;
  void refuse(const Attempt& attempt, std::string answer);
  bool undisturbed() const;
  bool is_idle();
  bool anything_gone();
  bool counts_kernels() const;
  std::size_t task() const { return harness::raw(scene_.world().scheduler.current()) % kTaskLimit; }

  harness::Scene& scene_;
  Model& model_;
  std::array<Attempt*, kTaskLimit> running_{};  ///< The running call of each task.
  std::uint64_t running_tasks_ = 0;             ///< Bit per task.
  std::pmr::vector<std::int64_t> planted_;      ///< Values that finalizers may hand out.
  SeenWork work_;
  std::uint32_t answered_ = 0;  ///< Launches that returned ok ...
  std::uint32_t read_ = 0;      ///< Launches whose results came back.
  bool closed_ = false;
};

}  // namespace scenarios::argpack
