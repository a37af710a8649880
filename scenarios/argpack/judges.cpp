// How it works. A fact goes to the model, then to the ghost; then whoever judges it looks.
#include "scenarios/argpack/judges.h"

#include "scenarios/argpack/readings.h"

namespace scenarios::argpack {

void Judges::program_began(std::uint32_t generation) {
  Model::program_began(generation);
  witness_.did(kBegan);
}

void Judges::made(const targets::argpack::Making& making) {
  Model::made(making);
  ghost_.made(making);
  const bool is_gradient = making.kind == Kind::ndarray && making.value == 0;
  if (making.kind != Kind::context && !is_gradient) check_value(making.value, making.depth);
}

void Judges::referred(ThingId thing) {
  Model::referred(thing);
  ghost_.referred(thing);
}

void Judges::dropped(ThingId thing) {
  Model::dropped(thing);
  ghost_.dropped(thing);
}

void Judges::ended(ThingId thing) {
  Model::ended(thing);
  ghost_.ended(thing);
}

void Judges::attached(ThingId thing, std::size_t member, ThingId value) {
  Thing& parent = *find(thing);
  const Serial before = std::exchange(parent.attached_by[member], witness_.op());
  if (witness_.runs_beside(before)) {
    parent.has_uncertain_members = true;
    make_uncertain(parent.members[member]);
    make_uncertain(find(value));
  }
  Model::attached(thing, member, value);
  ghost_.attached(thing, member, value);
  witness_.did(kAttached);
}

void Judges::stored(Variable variable, ThingId thing) {
  Model::stored(variable, thing);
  witness_.did(kStored);
}

void Judges::assigned(ThingId thing, std::int64_t value) {
  Model::assigned(thing, value);
  check_value(value, 0);
}

void Judges::written(ThingId thing, std::int64_t value) {
  Model::written(thing, value);
  witness_.did(kWritten);
}

void Judges::moved(ThingId thing) {
  Model::moved(thing);
  ghost_.moved(thing);
  witness_.did(kMoved);
}

void Judges::bound(ThingId context, Place place, ThingId thing) {
  Model::bound(context, place, thing);
  ghost_.bound(context, place, thing);
  if (thing != ThingId::none) witness_.did(kBound);
}

void Judges::scalar_set(ThingId context, std::int64_t value) {
  Model::scalar_set(context, value);
  check_value(value, 0);
  witness_.did(kScalar);
}

void Judges::compiled(ThingId context) {
  Model::compiled(context);
  witness_.did(kCompiled);
}

void Judges::submitted(ThingId context) {
  Model::submitted(context);
  ghost_.submitted(context);
  launched_ = true;
  scene_.exercised();
  witness_.launched(*find(context)->context);
}

void Judges::finished() {
  Model::finished();
  ghost_.finished();
  witness_.did(kFinished);
}

void Judges::read(ThingId context, std::span<const std::int32_t> words) {
  judge_reading(scene_, *find(context)->context, words);
  witness_.did(kRead);
}

void Judges::contents(ThingId array, std::span<const std::int32_t> words) {
  judge_contents(scene_, *find(array), words);
  witness_.did(kContents);
}

// A value that the scenario did not hand out would make the model agree with whoever made it up.
void Judges::check_value(std::int64_t value, std::uint32_t depth) {
  if (!witness_.handed_out(value, depth))
    scene_.expect("value", static_cast<std::uint64_t>(value), witness_.value());
}

// Not at what is on the device: whoever looks there waits for it, and then nothing is in flight
// when the script drops everything.
void Judges::look_at_host_arrays() {
  for (Variable variable = 0; variable < targets::argpack::kVariableCount; ++variable) {
    const Thing* thing = held_by(variable);
    if (thing != nullptr && thing->kind == Kind::external &&
        thing->object != harness::BirthId::none)
      path_->arrays.to_numpy(variable);
  }
}

}  // namespace scenarios::argpack
