// Player: takes the slots of a run: which op, with which arguments, and what it answers.
#pragma once

#include "scenarios/managed_dict/bounds.h"
#include "scenarios/managed_dict/judges/judge.h"
#include "scenarios/managed_dict/reader.h"

namespace scenarios::managed_dict {

/// A set of ops, a bit each.
using Ops = std::uint32_t;
static_assert(kOpCount <= 32);

/// Ownership: lives in the run's arena; borrows the scene and the path.
class Player final {
 public:
  using ManagedDict = targets::managed_dict::ManagedDict;

  explicit Player(harness::Scene& scene)
      : scene_(scene),
        judge_(scene),
        census_(scene),
        reader_(scene, model_, judge_.rooms()),
        bounded_(scene.scenario().variants[scene.variant()].claim.kind ==
                 harness::ClaimKind::sound) {
    if (bounded_) judge_.rooms().judge();
  }
  void set_path(ManagedDict& path) {
    path_ = &path;
    model_.set_layout(path.inspection().layout());
    judge_.look_at(path.inspection().heap(), path.inspection().layout());
  }
  ManagedDict& path() { return *path_; }

  /// Asks which op goes into the slot, with which arguments, and calls it.
  void take_slot(std::uint32_t task, std::uint32_t slot);
  /// The same of the script, where it has shown nothing yet: what stores, all functions compiled.
  void take_closing_slot(std::uint32_t slot);

  /// Reads all that the script can, when it is done.
  void judge_all();

  Judge& judge() { return judge_; }

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
  Attribute choose_attribute(Variable variable);
  Variable choose_new(std::uint32_t task, std::uint32_t slot);
  struct Call {
    Statement about;
    std::uint32_t number = 0;  ///< Bytes of noise; depth of a with block.
    targets::managed_dict::Body body{};
    targets::managed_dict::Function function{};
  };
  Call choose_arguments(Op op, std::uint32_t task, std::uint32_t slot);
  void run(const Call& call);
  void store_all(Call call);
  Status perform(const Call& call);
  void judge_state(const Statement& about);
  bool others_asked_for_dicts() const { return judge_.code().others_asked_for_dicts(); }
  void judge_answer(Op op, Status expected, Status status, bool starved);

  harness::Scene& scene_;
  Model model_;
  Judge judge_;
  Census census_;
  Reader reader_;
  bool bounded_;  ///< The variant says that nothing is kept for longer than it can be used.
  std::uint32_t blocks_ = 0;  ///< With blocks under way.
  ManagedDict* path_ = nullptr;
};

}  // namespace scenarios::managed_dict
