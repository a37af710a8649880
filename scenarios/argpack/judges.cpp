// SPDX-License-Identifier: Apache-2.0
// How it works. Each fact goes to the model, then to the shadow, and then to the judges.
#include "scenarios/argpack/judges.h"

#include "scenarios/argpack/readings.h"

namespace scenarios::argpack {

void Judges::program_began(std::uint32_t generation) {
  model_.things.program_began(generation);
  shadow_.program_is(generation);
  witness_.changed(Change::of_all);
  witness_.did(kBegan);
}

void Judges::program_ended() {
  model_.things.program_ended();
  shadow_.program_is(0);
  witness_.changed(Change::of_all);
}

void Judges::made(const targets::argpack::Making& making) {
  Thing& thing = model_.things.made(making);
  if (making.kind == Kind::context) model_.contexts.made(thing, making.generation);
  shadow_.made(making);
  const bool is_gradient = making.kind == Kind::ndarray && making.value == 0;
  if (making.kind != Kind::context && !is_gradient) check_value(making.value, making.depth);
}

void Judges::referred(ThingId thing) {
  model_.things.referred(thing);
  shadow_.referred(thing);
}

void Judges::dropped(ThingId thing) {
  model_.things.dropped(thing);
  shadow_.dropped(thing);
}

void Judges::ended(ThingId thing) {
  model_.things.ended(thing);
  if (Thing& gone = *model_.things.find(thing); gone.context != nullptr)
    model_.contexts.ended(gone);
  shadow_.ended(thing);
}

void Judges::attached(ThingId thing, std::size_t member, ThingId value) {
  Things& things = model_.things;
  Thing& parent = *things.find(thing);
  Thing* const now = things.find(value);
  const Serial before = std::exchange(parent.attached_by[member], witness_.op());
  if (witness_.runs_beside(before)) {
    parent.has_uncertain_members = true;
    Thing::make_uncertain(parent.members[member]);
    Thing::make_uncertain(now);
  }
  things.attached(thing, member, value);
  if (now != nullptr && things.is_stale(*now)) witness_.changed(Change::of_others);
  shadow_.attached(thing, member, value);
  witness_.did(kAttached);
}

void Judges::stored(Variable variable, ThingId thing) {
  model_.things.stored(variable, thing);
  shadow_.stored(thing);
  witness_.changed(Change::of_others);
  witness_.did(kStored);
}

void Judges::assigned(ThingId thing, std::int64_t value) {
  model_.things.find(thing)->assign(value);
  check_value(value, 0);
}

void Judges::written(ThingId thing, std::int64_t value) {
  model_.things.find(thing)->write(value);
  witness_.did(kWritten);
}

void Judges::moved(ThingId thing) {
  model_.things.find(thing)->kernels.clear();
  shadow_.moved(thing);
  witness_.did(kMoved);
}

void Judges::bound(ThingId context, Place place, ThingId thing) {
  model_.contexts.bound(context_of(context), place, model_.things.find(thing));
  witness_.changed(Change::of_others);
  shadow_.bound(context, place, thing);
  if (thing != ThingId::none) witness_.did(kBound);
}

void Judges::scalar_set(ThingId context, std::int64_t value) {
  context_of(context).binding.scalar = value;
  check_value(value, 0);
  shadow_.scalar_set(context);
  witness_.did(kScalar);
}

void Judges::compiled(ThingId context) {
  context_of(context).compiled = true;
  witness_.did(kCompiled);
}

void Judges::submitted(ThingId context) {
  model_.contexts.submitted(context_of(context));
  witness_.changed(Change::of_others);
  shadow_.submitted(context);
  launched_ = true;
  scene_.exercised();
  witness_.launched(context_of(context));
}

void Judges::finished() {
  model_.progress.finish();
  shadow_.finished();
  witness_.did(kFinished);
}

void Judges::copied_back(ThingId context) { model_.contexts.copied_back(context_of(context)); }

void Judges::read(ThingId context, std::span<const std::int32_t> words) {
  judge_reading(scene_, context_of(context), words);
  witness_.did(kRead);
}

void Judges::contents(ThingId array, std::span<const std::int32_t> words) {
  judge_contents(scene_, *model_.things.find(array), words);
  witness_.did(kContents);
}

// A value that the scenario did not assign would make the model agree with a path that invents it.
void Judges::check_value(std::int64_t value, std::uint32_t depth) {
  if (!witness_.handed_out(value, depth))
    scene_.expect("value", static_cast<std::uint64_t>(value), witness_.value());
}

// Skips arrays on the device: reading one waits for the device, so that nothing would be in flight
// when the script drops everything.
void Judges::look_at_host_arrays() {
  for (Variable variable = 0; variable < targets::argpack::kVariableCount; ++variable) {
    const Thing* thing = model_.things.held_by(variable);
    if (thing != nullptr && thing->kind == Kind::external &&
        thing->object != harness::BirthId::none)
      path_->arrays.to_numpy(variable);
  }
}

}  // namespace scenarios::argpack
