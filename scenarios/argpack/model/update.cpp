// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/model/update.h"

namespace scenarios::argpack {

using harness::BirthId;
using harness::raw;

// ---- programs -----------------------------------------------------------------------------------

void Update::program_began(std::uint32_t generation) {
  model_.begun = generation;
  running_.changed(Change::of_all);
  running_.did(kBegan);
}

void Update::program_ended() {
  model_.ended = model_.begun;
  running_.changed(Change::of_all);
}

// ---- things, and who refers to them -------------------------------------------------------------

void Update::made(const targets::argpack::Making& making) {
  HARNESS_CHECK(raw(making.thing) == model_.things.size(), "things are numbered in order");
  harness::Arena& arena = scene_.world().arena;
  Thing* thing = arena.make<Thing>();
  model_.things.push_back(thing);
  thing->kind = making.kind;
  thing->depth = making.depth;
  if (making.kind != Kind::context) {
    thing->values.push_back(making.value);
    return;
  }
  thing->context = arena.make<Context>();
  thing->context->generation = making.generation;
  model_.holders.push_back(thing);
}

void Update::built(ThingId id, BirthId object, std::uint32_t generation) {
  Thing& thing = *model_.find(id);
  thing.on_host = object != BirthId::none;
  thing.beneath = thing.on_host ? object : storage_just_made();
  thing.generation = generation;
}

/// Returns the external memory that the current activation made last: storage on the device has no
/// host object.
BirthId Update::storage_just_made() const {
  const harness::Name activation = scene_.world().picker.current().name;
  const auto& lives = scene_.world().ledger.lives();
  for (std::size_t i = lives.size() - 1; i > 0; --i)
    if (lives[i].birth_site == targets::argpack::kNewExternal &&
        lives[i].birth_activation == activation)
      return static_cast<BirthId>(i);
  return BirthId::none;
}

// An op that has it in a frame may make a lost thing, and all that it refers to, reachable again.
void Update::link(Thing* thing) {
  if (thing == nullptr || thing->references++ != 0) return;
  if (!std::exchange(thing->gone, false)) return;
  for (Thing* member : thing->members) link(member);
}

void Update::unlink(Thing* thing) {
  if (thing != nullptr && --thing->references == 0) lose(*thing);
}

void Update::lose(Thing& thing) {
  if (std::exchange(thing.gone, true)) return;
  release(&thing);
  if (thing.on_host && !std::exchange(thing.listed, true)) model_.gone.push_back(&thing);
  if (thing.context != nullptr)
    for (const Bound& bound : thing.context->binding.places) release(bound.thing);
  if (!std::exchange(thing.was_gone, true)) take(thing);
  for (Thing* member : thing.members) unlink(member);
}

/// Dates a thing, which may be null: one of its users releases it now.
void Update::release(Thing* thing) {
  if (thing == nullptr) return;
  thing->released = model_.serial;
  thing->launches = model_.launches;
}

void Update::take(Thing& thing) {
  if ((model_.setting & task_bit()) != 0) thing.taken_reentrantly = true;
  reach_.taken(thing);
}

void Update::ended(ThingId id) {
  Thing& thing = *model_.find(id);
  lose(thing);
  if (thing.context != nullptr) std::erase(model_.holders, &thing);
  reach_.ended(thing);
}

/// Marks a thing, which may be null, and everything reachable through it.
static void make_uncertain(Thing* thing) {
  if (thing == nullptr || std::exchange(thing->uncertain, true)) return;
  for (Thing* member : thing->members) make_uncertain(member);
}

void Update::attached(ThingId id, std::size_t member, ThingId value) {
  Thing& thing = *model_.find(id);
  Thing* const now = model_.find(value);
  const Attempt* op = running_.current();
  const Serial before =
      std::exchange(thing.attached_by[member], op != nullptr ? op->began : Serial{0});
  if (running_.is_of_another(before)) {
    thing.has_uncertain_members = true;
    make_uncertain(thing.members[member]);
    make_uncertain(now);
  }
  Thing* const old = std::exchange(thing.members[member], now);
  if (thing.uncertain) make_uncertain(now);
  if (!thing.gone) {
    link(now);
    unlink(old);
  }
  if (now != nullptr && model_.is_stale(*now)) running_.changed(Change::of_others);
  running_.did(kAttached);
}

// Only contexts made by hand are stored in a variable.
void Update::stored(Variable variable, ThingId id) {
  Thing* thing = model_.find(id);
  model_.variables[variable] = thing;
  if (thing != nullptr && thing->context != nullptr) thing->context->way = Way::context;
  running_.changed(Change::of_others);
  running_.did(kStored);
}

// ---- values -------------------------------------------------------------------------------------

void Update::assigned(ThingId id, std::int64_t value) {
  Thing& thing = *model_.find(id);
  thing.values.push_back(value);
  thing.on_the_way |= std::uint64_t{1} << (thing.values.size() - 1) % 64;
}

// Assignments may overtake each other before they reach device memory.
void Update::written(ThingId id, std::int64_t value) {
  Thing& thing = *model_.find(id);
  const auto newest = std::find(thing.values.rbegin(), thing.values.rend(), value);
  if (newest != thing.values.rend()) {
    thing.on_device = static_cast<std::size_t>(thing.values.rend() - newest) - 1;
    thing.on_the_way &= ~(std::uint64_t{1} << thing.on_device % 64);
  }
  running_.did(kWritten);
}

void Update::moved(ThingId id) {
  Thing& thing = *model_.find(id);
  thing.kernels.clear();
  move(thing);
  running_.did(kMoved);
}

void Update::move(Thing& thing) {
  ++thing.moves;
  take(thing);
  reach_.ended(thing);
}

void Update::contents(ThingId, std::span<const std::int32_t>) { running_.did(kContents); }

// ---- contexts -----------------------------------------------------------------------------------

void Update::bound(ThingId id, Place place, ThingId thing_id) {
  Context& context = model_.context(id);
  Thing* thing = model_.find(thing_id);
  auto& places = context.binding.places;
  // An array is bound in place or by a copy, but not both.
  if (place == Place::external) unbind(places[raw(Place::external_copy)]);
  if (place == Place::external_copy) unbind(places[raw(Place::external)]);
  unbind(places[raw(place)]);
  if (thing != nullptr) {
    // External memory belongs to no program.
    const bool stale = thing->generation != 0 && thing->generation != model_.begun;
    places[raw(place)] = {thing, thing->oldest(), thing->moves, stale};
  }
  if (place <= Place::nested_twice) {
    std::uint32_t& depth = context.binding.depth;
    depth = thing != nullptr ? std::max(depth, raw(place) + std::uint32_t{1}) : 0;
  }
  running_.changed(Change::of_others);
  if (thing == nullptr) return reach_.unbound(context);
  reach_.bound(context);
  running_.did(kBound);
}

void Update::unbind(Bound& bound) {
  release(bound.thing);
  bound = {};
}

void Update::scalar_set(ThingId id, std::int64_t value) {
  Context& context = model_.context(id);
  context.binding.scalar = value;
  reach_.bound(context);
  running_.did(kScalar);
}

void Update::compiled(ThingId context) {
  model_.context(context).compiled = true;
  running_.did(kCompiled);
}

void Update::launching(ThingId id, std::uint32_t generation) {
  setting_ended();
  Context& context = model_.context(id);
  const bool again = std::exchange(context.tried, true);
  reach_.launching(context, generation, again);
}

void Update::submitted(ThingId id) {
  Context& context = model_.context(id);
  const std::uint32_t launch = ++model_.launches;
  const bool first = !std::exchange(context.launched, true);
  const Binding& binding = context.at_launch = context.binding;
  for (const Bound& bound : binding.places) {
    release(bound.thing);
    if (bound.thing != nullptr) bound.thing->last_launch = launch;
  }
  for (const Bound& bound : first ? binding.followed() : std::span<const Bound>()) {
    if (bound.thing == nullptr) continue;
    bound.thing->first_launch = launch;
    bound.thing->launched_by = context.way;
  }
  Thing* gradient = binding.at(Place::gradient).thing;
  if (gradient != nullptr) gradient->kernels.push_back(binding.at(Place::array));
  const Bound& external = binding.at(Place::external);
  if (external.thing != nullptr) external.thing->kernels.push_back(external);
  running_.changed(Change::of_others);
  reach_.submitted(context);
  scene_.exercised();
  running_.launched(context);
}

void Update::finished() {
  model_.finished = model_.launches;
  running_.did(kFinished);
}

void Update::copied_back(ThingId context) {
  const Bound& external = model_.context(context).at_launch.at(Place::external_copy);
  if (external.thing != nullptr) external.thing->kernels.push_back(external);
}

void Update::read(ThingId, std::span<const std::int32_t>) { running_.did(kRead); }

}  // namespace scenarios::argpack
