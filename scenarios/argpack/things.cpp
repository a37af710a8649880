// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/things.h"

namespace scenarios::argpack {

using harness::BirthId;
using harness::raw;

Thing& Things::made(const targets::argpack::Making& making) {
  HARNESS_CHECK(raw(making.thing) == things_.size(), "things are numbered in order");
  Thing* thing = scene_.world().arena.make<Thing>();
  thing->kind = making.kind;
  thing->depth = making.depth;
  things_.push_back(thing);
  if (making.kind == Kind::context)
    thing->context = scene_.world().arena.make<Context>();
  else
    thing->values.push_back(making.value);
  return *thing;
}

void Things::built(ThingId id, BirthId object, std::uint32_t generation) {
  Thing& thing = *find(id);
  thing.object = object;
  thing.generation = generation;
}

// An op that has it in a frame may make a lost thing, and all that it refers to, reachable again.
void Things::link(Thing* thing) {
  if (thing == nullptr || thing->references++ != 0) return;
  if (!std::exchange(thing->gone, false)) return;
  for (Thing* member : thing->members) link(member);
}

void Things::unlink(Thing* thing) {
  if (thing != nullptr && --thing->references == 0) lose(*thing);
}

void Things::lose(Thing& thing) {
  if (std::exchange(thing.gone, true)) return;
  release(&thing);
  if (thing.object != BirthId::none && !std::exchange(thing.listed, true)) gone_.push_back(&thing);
  if (thing.context != nullptr)
    for (const Bound& bound : thing.context->binding.places) release(bound.thing);
  for (Thing* member : thing.members) unlink(member);
}

void Things::release(Thing* thing) const {
  if (thing == nullptr) return;
  thing->released = progress_.serial();
  thing->launches = progress_.launch_count();
}

void Things::attached(ThingId id, std::size_t member, ThingId value) {
  Thing& thing = *find(id);
  Thing* now = find(value);
  Thing* old = std::exchange(thing.members[member], now);
  if (thing.uncertain) Thing::make_uncertain(now);
  if (thing.gone) return;
  link(now);
  unlink(old);
}

bool Things::is_stale(const Thing& thing) const {
  if (thing.kind == Kind::external || thing.kind == Kind::context) return false;
  return thing.generation != generation_ ||
         std::any_of(thing.members.begin(), thing.members.end(),
                     [&](const Thing* member) { return member != nullptr && is_stale(*member); });
}

}  // namespace scenarios::argpack
