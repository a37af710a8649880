// Script: what the tasks of one run share: the path under test, and what its judges hear.
#pragma once

#include "scenarios/managed_dict/bounds.h"
#include "scenarios/managed_dict/reader.h"

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
        reader_(scene, model_),
        bounded_(scene.scenario().variants[scene.variant()].claim.kind ==
                 harness::ClaimKind::sound) {}
  void set_path(ManagedDict& path) {
    path_ = &path;
    model_.set_layout(path.layout());
  }
  ManagedDict& path() { return *path_; }

  /// Asks which op goes into the slot, with which arguments, and calls it.
  void take_slot(std::uint32_t task, std::uint32_t slot);
  /// The same of the script, where it has shown nothing yet: what stores, all functions compiled.
  void take_closing_slot(std::uint32_t slot);

  /// Reads all that the script can, when it is done.
  void judge_all();

  // ---- Witness ----
  void reached(Window window) override { scene_.reach(harness::raw(window)); }
  void exercised() override { scene_.exercised(); }
  void starved() override { ++starved_; }
  void asked_for_dict() override { asked_ = true; }
  void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) override {
    if (bounded_) reader_.made_room(type, named, room);
  }
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
  void judge_answer(Op op, Status expected, Status status, bool starved);

  harness::Scene& scene_;
  Model model_;
  Census census_;
  Reader reader_;
  bool bounded_;              ///< The variant says that nothing is kept for longer than it can be used.
  std::uint32_t blocks_ = 0;  ///< With blocks under way.
  std::uint32_t starved_ = 0;  ///< How often there was no memory.
  bool asked_ = false;         ///< Others asked for instances' dicts.
  ManagedDict* path_ = nullptr;
};

}  // namespace scenarios::managed_dict
