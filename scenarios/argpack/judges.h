// SPDX-License-Identifier: Apache-2.0
// Judges: receives the facts of one run, and judges each result of the path.
#pragma once

#include "scenarios/argpack/judged.h"
#include "scenarios/argpack/shadow.h"

namespace scenarios::argpack {

/// Facts go to the model first, then to the shadow, then to the judges. Ownership: made in the
/// run's arena; borrows the scene and the path.
class Judges final : public targets::argpack::Observer {
 public:
  using Argpack = targets::argpack::Argpack;

  explicit Judges(harness::Scene& scene)
      : scene_(scene),
        model_(scene),
        passages_(scene),
        shadow_(scene, passages_),
        witness_(scene, model_) {}

  void set_path(const Argpack& path) {
    path_ = scene_.world().arena.make<Argpack>(
        scene_.world().arena.make<JudgedPath>(witness_, path)->path());
  }
  /// Returns the path. Every result of it is judged.
  const Argpack& path() const { return *path_; }
  Witness& witness() { return witness_; }
  const Passages& passages() const { return passages_; }
  const Shadow& shadow() const { return shadow_; }
  bool launched() const { return launched_; }  ///< Returns whether anything was launched.
  /// Returns whether the variable's object, or one of its members, is from before a reset.
  bool is_stale(Variable variable) const {
    const Thing* thing = model_.things.held_by(variable);
    return thing != nullptr && model_.things.is_stale(*thing);
  }

  /// Reads every array on the host that a variable still refers to.
  void look_at_host_arrays();

 private:
  // ---- Observer ----
  void program_began(std::uint32_t generation) override;
  void program_ended() override;
  void deleted_by_stale_wrapper() override { shadow_.met_stale_wrapper(); }
  void freed_by_ended_program() override { shadow_.met_stale_wrapper(); }
  void using_stale_wrapper() override { shadow_.met_stale_wrapper(); }
  void made(const targets::argpack::Making& making) override;
  void built(ThingId thing, harness::BirthId object, std::uint32_t generation) override {
    model_.things.built(thing, object, generation);
    shadow_.built(thing, object, generation);
  }
  void referred(ThingId thing) override;
  void dropped(ThingId thing) override;
  void ended(ThingId thing) override;
  void attached(ThingId thing, std::size_t member, ThingId value) override;
  void stored(Variable variable, ThingId thing) override;
  void assigned(ThingId thing, std::int64_t value) override;
  void written(ThingId thing, std::int64_t value) override;
  void moved(ThingId thing) override;
  void kept_in_place(ThingId thing) override { shadow_.moved(thing); }
  void setting_began() override { shadow_.setting_began(); }
  void setting_ended() override { shadow_.setting_ended(); }
  void bound(ThingId context, Place place, ThingId thing) override;
  void scalar_set(ThingId context, std::int64_t value) override;
  void compiling(ThingId context, std::uint32_t generation) override {
    shadow_.compiling(context, generation);
  }
  void compiled(ThingId context) override;
  void argument_renamed(Variable) override { shadow_.argument_renamed(); }
  void launching(ThingId context, std::uint32_t generation) override {
    shadow_.launching(context, generation);
  }
  void submitted(ThingId context) override;
  void finished() override;
  void copied_back(ThingId context) override;
  void read(ThingId context, std::span<const std::int32_t> words) override;
  void contents(ThingId array, std::span<const std::int32_t> words) override;

  Context& context_of(ThingId context) const { return *model_.things.find(context)->context; }
  void check_value(std::int64_t value, std::uint32_t depth);

  harness::Scene& scene_;
  Model model_;
  Passages passages_;
  Shadow shadow_;
  Witness witness_;
  const Argpack* path_ = nullptr;
  bool launched_ = false;
};

}  // namespace scenarios::argpack
