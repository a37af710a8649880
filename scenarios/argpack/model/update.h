// SPDX-License-Identifier: Apache-2.0
// Update: keeps the model up to date with the facts of the path.
//
// Each fact changes the model first; then the windows that it reaches are noted, and the conditions
// and effects of the running ops.
#pragma once

#include "scenarios/argpack/model/reach.h"
#include "scenarios/argpack/model/running.h"

namespace scenarios::argpack {

/// Ownership: in the run's arena; borrows the scene.
class Update : public targets::argpack::Observer {
 public:
  explicit Update(harness::Scene& scene)
      : scene_(scene), running_(scene, model_), reach_(scene, model_) {}

  const Reach& reach() const { return reach_; }

 protected:
  // ---- facts: see targets::argpack::Observer ----
  void program_began(std::uint32_t generation) override;
  void program_ended() override;
  void deleted_by_stale_wrapper() override { reach_.met_stale_wrapper(); }
  void freed_by_ended_program() override { reach_.met_stale_wrapper(); }
  void using_stale_wrapper() override { reach_.met_stale_wrapper(); }
  void made(const targets::argpack::Making& making) override;
  void built(ThingId thing, harness::BirthId object, std::uint32_t generation) override;
  void referred(ThingId thing) override { link(model_.find(thing)); }
  void dropped(ThingId thing) override { unlink(model_.find(thing)); }
  void ended(ThingId thing) override;
  void attached(ThingId thing, std::size_t member, ThingId value) override;
  void stored(Variable variable, ThingId thing) override;
  void assigned(ThingId thing, std::int64_t value) override;
  void written(ThingId thing, std::int64_t value) override;
  void moved(ThingId thing) override;
  void kept_in_place(ThingId thing) override { move(*model_.find(thing)); }
  void contents(ThingId array, std::span<const std::int32_t> words) override;
  void setting_began() override { model_.setting |= task_bit(); }
  void setting_ended() override { model_.setting &= ~task_bit(); }
  void bound(ThingId context, Place place, ThingId thing) override;
  void scalar_set(ThingId context, std::int64_t value) override;
  void compiling(ThingId context, std::uint32_t generation) override {
    reach_.compiling(model_.context(context), generation);
  }
  void compiled(ThingId context) override;
  void argument_renamed(Variable) override { reach_.argument_renamed(); }
  void launching(ThingId context, std::uint32_t generation) override;
  void submitted(ThingId context) override;
  void finished() override;
  void copied_back(ThingId context) override;
  void read(ThingId context, std::span<const std::int32_t> words) override;

  harness::Scene& scene_;
  Model model_;
  Running running_;
  Reach reach_;

 private:
  void link(Thing* thing);
  void unlink(Thing* thing);
  void lose(Thing& thing);
  void take(Thing& thing);
  void move(Thing& thing);
  void release(Thing* thing);
  void unbind(Bound& bound);
  harness::BirthId storage_just_made() const;
  std::uint64_t task_bit() const {
    return std::uint64_t{1} << (harness::raw(scene_.world().scheduler.current()) % 64);
  }
};

}  // namespace scenarios::argpack
