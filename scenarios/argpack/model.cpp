#include "scenarios/argpack/model.h"

namespace scenarios::argpack {

using harness::BirthId;
using harness::raw;

// ---- programs -----------------------------------------------------------------------------------

void Model::program_began(std::uint32_t generation) {
  generation_ = generation;
  changed(Change::of_all);
}

void Model::program_ended() {
  generation_ = 0;
  changed(Change::of_all);
}

// ---- things -------------------------------------------------------------------------------------

void Model::made(const targets::argpack::Making& making) {
  HARNESS_CHECK(raw(making.thing) == things_.size(), "things are numbered in order");
  Thing* thing = scene_.world().arena.make<Thing>();
  thing->kind = making.kind;
  thing->depth = making.depth;
  things_.push_back(thing);
  if (making.kind != Kind::context) {
    thing->values.push_back(making.value);
    return;
  }
  thing->context = scene_.world().arena.make<Context>();
  thing->context->generation = making.generation;
  contexts_.push_back(thing);
}

void Model::built(ThingId id, BirthId object, std::uint32_t generation) {
  Thing& thing = *find(id);
  thing.object = object;
  thing.generation = generation;
}

void Model::referred(ThingId id) { link(find(id)); }
void Model::dropped(ThingId id) { unlink(find(id)); }

// An op that had it in a frame may bring back what the script had lost, and all that it refers to.
void Model::link(Thing* thing) {
  if (thing == nullptr || thing->references++ != 0) return;
  if (!std::exchange(thing->gone, false)) return;
  for (Thing* member : thing->members) link(member);
}

void Model::unlink(Thing* thing) {
  if (thing != nullptr && --thing->references == 0) lose(*thing);
}

void Model::lose(Thing& thing) {
  if (std::exchange(thing.gone, true)) return;
  release(&thing);
  if (thing.object != BirthId::none && !std::exchange(thing.listed, true)) gone_.push_back(&thing);
  if (thing.context != nullptr)
    for (const Bound& bound : thing.context->binding.places) release(bound.thing);
  for (Thing* member : thing.members) unlink(member);
}

void Model::release(Thing* thing) {
  if (thing == nullptr) return;
  thing->released = serial_;
  thing->launches = launch_count_;
}

void Model::ended(ThingId id) {
  Thing& thing = *find(id);
  lose(thing);
  if (thing.context == nullptr) return;
  std::erase(contexts_, &thing);
}

void Model::attached(ThingId id, std::size_t member, ThingId value) {
  Thing& thing = *find(id);
  Thing* now = find(value);
  Thing* old = std::exchange(thing.members[member], now);
  if (thing.uncertain) make_uncertain(now);
  if (!thing.gone) {
    link(now);
    unlink(old);
  }
  if (now != nullptr && is_stale(*now)) changed(Change::of_others);
}

void Model::make_uncertain(Thing* thing) {
  if (thing == nullptr || std::exchange(thing->uncertain, true)) return;
  for (Thing* member : thing->members) make_uncertain(member);
}

void Model::stored(Variable variable, ThingId thing) {
  variables_[variable] = find(thing);
  changed(Change::of_others);
}

bool Model::is_stale(const Thing& thing) const {
  if (thing.kind == Kind::external || thing.kind == Kind::context) return false;
  return thing.generation != generation_ ||
         std::any_of(thing.members.begin(), thing.members.end(),
                     [&](const Thing* member) { return member != nullptr && is_stale(*member); });
}

bool Model::is_bound(const Thing& thing) const {
  return std::any_of(contexts_.begin(), contexts_.end(), [&](const Thing* holder) {
    return !holder->context->launched && holder->context->binding.has(thing);
  });
}

bool Model::is_held(const Thing& thing) const {
  return thing.last_launch > finished_ || is_bound(thing);
}

bool Model::is_unusable(const Thing& thing) const {
  return thing.gone && std::none_of(contexts_.begin(), contexts_.end(), [&](const Thing* holder) {
           return !holder->gone && !holder->context->launched &&
                  holder->context->binding.has(thing);
         });
}

// ---- values -------------------------------------------------------------------------------------

void Model::assigned(ThingId id, std::int64_t value) {
  Thing& thing = *find(id);
  thing.values.push_back(value);
  thing.on_the_way |= std::uint64_t{1} << (thing.values.size() - 1) % 64;
}

// Assignments may overtake each other on the way there.
void Model::written(ThingId id, std::int64_t value) {
  Thing& thing = *find(id);
  const auto newest = std::find(thing.values.rbegin(), thing.values.rend(), value);
  if (newest == thing.values.rend()) return;
  thing.on_device = static_cast<std::size_t>(thing.values.rend() - newest) - 1;
  thing.on_the_way &= ~(std::uint64_t{1} << thing.on_device % 64);
}

void Model::moved(ThingId id) {
  Thing& thing = *find(id);
  thing.kernels.clear();
}

// ---- contexts -----------------------------------------------------------------------------------

void Model::bound(ThingId id, Place place, ThingId thing) {
  Context& context = *find(id)->context;
  Thing* now = find(thing);
  Bound& bound = context.binding.places[raw(place)];
  release(bound.thing);
  bound = now != nullptr ? Bound{now, now->oldest()} : Bound{};
  if (place <= Place::nested_twice) {
    std::uint32_t& depth = context.binding.depth;
    depth = now != nullptr ? std::max(depth, raw(place) + std::uint32_t{1}) : 0;
  }
  changed(Change::of_others);
}

void Model::scalar_set(ThingId id, std::int64_t value) {
  find(id)->context->binding.scalar = value;
}

void Model::compiled(ThingId id) { find(id)->context->compiled = true; }

void Model::submitted(ThingId id) {
  Context& context = *find(id)->context;
  context.launched = true;
  context.at_launch = context.binding;
  ++launch_count_;
  for (const Bound& bound : context.binding.places) {
    release(bound.thing);
    if (bound.thing != nullptr) bound.thing->last_launch = launch_count_;
  }
  Thing* gradient = context.binding.at(Place::gradient).thing;
  if (gradient != nullptr) gradient->kernels.push_back(context.binding.at(Place::array));
  const Bound& external = context.binding.at(Place::external);
  if (external.thing != nullptr) external.thing->kernels.push_back(external);
  changed(Change::of_others);
}

}  // namespace scenarios::argpack
