// SPDX-License-Identifier: Apache-2.0
// Witness: judges every result that the path returns.
//
// Service: a call that is refused, fails or does nothing, without an injected error and without a
// row of refusals() that allows it, is a fault, and so is ok if a refusal is required. Boundedness:
// unusable objects are gone when the contract of argpack.h says so. Judged until the first fault of
// a run, because later ones may be consequences.
#pragma once

#include "scenarios/argpack/attempt.h"
#include "scenarios/argpack/seen_work.h"

namespace scenarios::argpack {

/// The running ops that a change affects: those of other tasks, or all.
enum class Change : std::uint8_t { of_others, of_all };

/// Ownership: in the run's arena; borrows the scene and the model.
class Witness {
 public:
  using Status = targets::argpack::Status;

  Witness(harness::Scene& scene, Model& model)
      : scene_(scene), model_(model), work_(scene.world().history) {}
  Witness(const Witness&) = delete;  // Running calls point at it.
  Witness& operator=(const Witness&) = delete;

  /// Makes a call of the path, and judges its result.
  template <class Call>
  Status attempt(Attempt attempt, Call call) {
    begin(attempt);
    const Status status = call();
    end(attempt, status);
    return status;
  }
  /// Notes that finalizers may assign this value, and the next ones to nested packs.
  void planted(std::int64_t value) { planted_.push_back(value); }

  /// Updates the conditions of running ops after a change.
  void changed(Change change);
  /// Returns the current task's op, or 0; and whether another task still runs an op.
  Serial op() const { return running_[task()] != nullptr ? running_[task()]->began : 0; }
  bool runs_beside(Serial op) const;
  /// Notes an effect of the current task's op.
  void did(Deed deed);
  void launched(const Context& context);
  /// Returns whether the scenario assigned this value in the current task's op: to a new pack of
  /// this depth, or to something else (depth 0).
  bool handed_out(std::int64_t value, std::uint32_t depth) const;
  /// Returns the value that the current task's op assigns.
  std::uint64_t value() const { return static_cast<std::uint64_t>(running_[task()]->value); }
  /// The script has ended: from now on the harness's own oracle judges what is left.
  void close() { closed_ = true; }
  /// Judges whether every successful launch has run exactly once.
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
  std::uint64_t running_tasks_ = 0;             ///< One bit per task.
  std::pmr::vector<std::int64_t> planted_;      ///< Values that finalizers may assign.
  SeenWork work_;
  std::uint32_t answered_ = 0;  ///< Launches that returned ok.
  std::uint32_t read_ = 0;      ///< Launches whose results were read.
  bool closed_ = false;
};

}  // namespace scenarios::argpack
