// SPDX-License-Identifier: Apache-2.0
// Judge: receives the facts of one run, and judges every result and every value of the path.
//
// Service: a call that is refused, fails or does nothing, without an injected error and without a
// row of refusals() that allows it, is a fault, and so is ok if a refusal is required. Boundedness:
// unusable objects are gone when the contract of argpack.h says so. Both are judged until the first
// fault of a run, because later ones may be consequences.
#pragma once

#include <optional>

#include "scenarios/argpack/model/refuse.h"
#include "scenarios/argpack/model/update.h"

namespace scenarios::argpack {

/// Judges what a kernel has read: for each binding, it must have read a value that the thing had
/// when it was bound or was assigned since. Anything else is a wrong_value fault at the current
/// site.
void judge_reading(harness::Scene& scene, const Binding& at_launch,
                   std::span<const std::int32_t> words);

/// Judges an array: it holds one assigned value that was not overwritten since; elements that
/// kernels write have the result of the last kernel.
void judge_contents(harness::Scene& scene, const Thing& thing, std::span<const std::int32_t> words);

/// The observed work of the device, from the harness's history, which no path writes.
/// Ownership: borrows the history.
class SeenWork {
 public:
  struct Counts {
    std::uint32_t submitted = 0;
    std::uint32_t finished = 0;
  };

  explicit SeenWork(const harness::History& history) : history_(history) {}

  /// Counts the events since the last call.
  void look();
  const Counts& kernels() const { return kernels_; }
  bool is_idle() const { return all_.submitted == all_.finished; }

 private:
  const harness::History& history_;
  std::size_t seen_events_ = 0;
  Counts kernels_;
  Counts all_;
};

/// Ownership: made in the run's arena; borrows the scene and the path.
class Judge final : public Update {
 public:
  using Argpack = targets::argpack::Argpack;
  using Status = targets::argpack::Status;

  explicit Judge(harness::Scene& scene) : Update(scene), work_(scene.world().history) {}

  void set_path(const Argpack& path) { path_.emplace(path); }
  /// Returns the path itself: nothing judges the results of its functions.
  const Argpack& path() const { return *path_; }
  /// Calls the path's function for this op, and judges its result.
  Status call(Op op, const Values& values);

  bool launched() const { return model_.launches != 0; }  ///< Returns whether anything was.
  /// Returns whether the variable's object, or one of its members, is from before a reset.
  bool is_stale(Variable variable) const {
    const Thing* thing = model_.held_by(variable);
    return thing != nullptr && model_.is_stale(*thing);
  }

  /// Reads every array on the host that a variable still refers to.
  void look_at_host_arrays();
  /// The script has ended: from now on the harness's own oracle judges what is left.
  void close() { closed_ = true; }
  /// Judges whether every successful launch has run exactly once.
  void judge_end();

 private:
  // ---- facts with values ----
  void made(const targets::argpack::Making& making) override;
  void assigned(ThingId thing, std::int64_t value) override;
  void scalar_set(ThingId context, std::int64_t value) override;
  void contents(ThingId array, std::span<const std::int32_t> words) override;
  void read(ThingId context, std::span<const std::int32_t> words) override;
  void check_value(std::int64_t value, std::uint32_t depth);

  // ---- results ----
  void begin(Attempt& attempt);
  void end(Attempt& attempt, Status status);
  void judge(Attempt& attempt, Status status);
  void note_refusal(Op op, const Refusal& row);
  void judge_ok(const Attempt& attempt, Cases certain);
  void judge_work(const Attempt& attempt);
  void judge_bounds(const Attempt& attempt);
  template <class Due>
  void judge_gone(const Attempt& attempt, harness::Label bound, Due due);
  bool claims_soundness() const;
  void refuse(const Attempt& attempt, std::string answer);
  bool undisturbed() const;
  bool is_idle();
  bool anything_gone();
  bool counts_kernels() const;

  std::optional<Argpack> path_;
  SeenWork work_;
  std::uint32_t answered_ = 0;  ///< Launches that returned ok.
  std::uint32_t read_ = 0;      ///< Launches whose results were read.
  bool closed_ = false;
};

}  // namespace scenarios::argpack
