// Witness: the path, and a judge of every answer that it gives.
//
// Service: what is refused, fails or is left undone although nothing was injected and no row of
// refusals() allows it, is a fault, and so is ok where a refusal is required. Boundedness: what
// nobody can use is gone when the contract of argpack.h says so. Judged until a run has its first
// fault: what follows from one is not another.
#pragma once

#include "scenarios/argpack/attempt.h"
#include "scenarios/argpack/seen_work.h"

namespace scenarios::argpack {

/// Ownership: in the run's arena; borrows the scene, the model and the path.
class Witness final : public targets::argpack::Argpack {
 public:
  using Arguments = targets::argpack::Arguments;
  using Mischief = targets::argpack::Mischief;
  using Status = targets::argpack::Status;
  using Storage = targets::argpack::Storage;

  Witness(harness::Scene& scene, Model& model)
      : scene_(scene), model_(model), work_(scene.world().history) {}
  void set_path(targets::argpack::Argpack& path) { path_ = &path; }

  /// What an op may answer has changed: the model says when.
  void changed(bool of_all);
  /// The current task's op, and whether another task's is still under way. 0 is none.
  Serial op() const { return running_[task()] != nullptr ? running_[task()]->began : 0; }
  bool runs_beside(Serial op) const;
  /// The current task's op has left this behind.
  void did(Deed deed);
  void launched(const Context& context);
  /// What the current task has just been given: a value for a new pack of this depth, or for
  /// anything else (depth 0). False where the scenario handed out no such value.
  bool handed_out(std::int64_t value, std::uint32_t depth) const;
  /// The value that the current task's op hands out.
  std::uint64_t value() const { return static_cast<std::uint64_t>(running_[task()]->value); }
  /// The script is over: the harness's own oracle judges what is left.
  void close() { closed_ = true; }
  /// Every launch that was answered has run, once.
  void judge_end();

  // ---- Argpack ----
  Status init() override { return path_->init(); }
  Status reset() override;
  Status synchronize() override;
  Status flush() override;
  Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                     Variable array) override;
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status set_nested(Variable pack, std::uint32_t level, Variable child) override;
  Status get_nested(Variable into, Variable pack, std::uint32_t level) override;
  Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) override;
  Status fill(Variable array, std::int32_t value) override;
  Status set_gradient(Variable array) override;
  Status drop_gradient(Variable array) override;
  Status new_external(Variable into, Storage storage, std::int32_t value) override;
  Status resize_external(Variable external) override;
  Status to_numpy(Variable array) override;
  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status make_cycle(Variable variable) override;
  Status plant(Mischief mischief, Variable victim, std::int32_t value) override;
  Status collect(std::uint32_t generation) override;
  Kind kind(Variable variable) const override { return path_->kind(variable); }
  std::uint32_t depth(Variable variable) const override { return path_->depth(variable); }
  Status call(const Arguments& arguments) override;
  Status make_context(Variable into) override;
  Status set_arg_argpack(Variable context, Variable pack) override;
  Status set_arg_ndarray(Variable context, Variable array) override;
  Status set_arg_ndarray_with_grad(Variable context, Variable array) override;
  Status set_arg_external(Variable context, Variable external) override;
  Status set_arg_scalar(Variable context, std::int32_t value) override;
  Status compile(Variable context) override;
  Status launch(Variable context, bool returns) override;
  Status drop_all() override { return path_->drop_all(); }
  harness::Interpreter& interpreter() override { return path_->interpreter(); }

 private:
  static constexpr std::size_t kTaskLimit = 64;

  template <class Call>
  Status attempt(Attempt attempt, Call call);
  void begin(Attempt& attempt);
  void judge(Attempt& attempt, Status status);
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
  targets::argpack::Argpack* path_ = nullptr;
  std::array<Attempt*, kTaskLimit> running_{};  ///< By task.
  std::uint64_t running_tasks_ = 0;             ///< Bit per task.
  std::pmr::vector<std::int64_t> planted_;      ///< Values that finalizers may hand out.
  SeenWork work_;
  std::uint32_t answered_ = 0;  ///< Launches that were answered with ok ...
  std::uint32_t read_ = 0;      ///< ... and whose results came back.
  bool closed_ = false;
};

}  // namespace scenarios::argpack
