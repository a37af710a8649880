// Script: what the tasks of one run share: the path under test, and what its judges hear.
#pragma once

#include "scenarios/managed_dict/bounds.h"

namespace scenarios::managed_dict {

/// A set of ops, a bit each.
using Ops = std::uint32_t;
static_assert(kOpCount <= 32);

/// Ownership: lives in the run's arena; borrows the scene and the path.
class Script final : public targets::managed_dict::Witness {
 public:
  using ManagedDict = targets::managed_dict::ManagedDict;

  explicit Script(harness::Scene& scene)
      : scene_(scene),
        census_(scene),
        bounded_(scene.scenario().variants[scene.variant()].claim.kind ==
                 harness::ClaimKind::sound) {}
  void set_path(ManagedDict& path) { path_ = &path; }
  ManagedDict& path() { return *path_; }

  /// Asks which op goes into the slot, with which arguments, and calls it.
  void take_slot(std::uint32_t task, std::uint32_t slot);

  // ---- Witness ----
  void reached(Window window) override { scene_.reach(harness::raw(window)); }
  void exercised() override { scene_.exercised(); }
  void read(const targets::managed_dict::Reading& reading) override;

 private:
  Ops applicable() const;
  bool any_defined() const;

  // Arguments: each asks one question, always, so that the next one keeps its number.
  std::uint32_t choose(std::uint32_t count) { return scene_.pick(harness::Site::argument, count); }
  targets::managed_dict::Class choose_class() {
    return static_cast<targets::managed_dict::Class>(
        choose(targets::managed_dict::kClassCountOfPath));
  }
  Variable choose_defined();
  Variable choose_new(std::uint32_t task, std::uint32_t slot);
  struct Call {
    Statement about;
    std::uint32_t number = 0;  ///< Bytes of noise; depth of a with block.
    targets::managed_dict::Body body{};
    targets::managed_dict::Function function{};
  };
  Call choose_arguments(Op op, std::uint32_t task, std::uint32_t slot);
  Status perform(const Call& call);
  void judge_answer(Op op, Status expected, Status status);

  harness::Scene& scene_;
  Model model_;
  Census census_;
  bool bounded_;              ///< The variant says that nothing is kept for longer than it can be used.
  std::uint32_t blocks_ = 0;  ///< With blocks under way.
  ManagedDict* path_ = nullptr;
};

}  // namespace scenarios::managed_dict
