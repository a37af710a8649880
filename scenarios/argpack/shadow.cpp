// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/shadow.h"

#include <algorithm>

namespace scenarios::argpack {

using harness::raw;
using targets::argpack::Kind;
using targets::argpack::kNewExternal;

static constexpr harness::Label kMemory = "device memory";

Shadow::Shadow(harness::Scene& scene, Passages& passages) : scene_(scene), passages_(passages) {
  things_.reserve(32);
  things_.push_back(nullptr);
}

// ---- who refers to what -------------------------------------------------------------------------

void Shadow::made(const targets::argpack::Making& making) {
  HARNESS_CHECK(raw(making.thing) == things_.size(), "things are numbered in order");
  harness::Arena& arena = scene_.world().arena;
  ShadowThing* thing = arena.make<ShadowThing>();
  things_.push_back(thing);
  if (making.kind != Kind::context) return;
  thing->binding = arena.make<ShadowBinding>();
  thing->binding->generation = making.generation;
}

void Shadow::attached(ThingId id, std::size_t member, ThingId value) {
  ShadowThing* now = find(value);
  if (now != nullptr) ++now->references;
  let_go(std::exchange(find(id)->members[member], now));
}

// Marks it as unreachable, and releases what only it refers to.
void Shadow::lose(ShadowThing& thing) {
  if (std::exchange(thing.gone, true)) return;
  taken(thing);
  for (ShadowThing*& member : thing.members) let_go(std::exchange(member, nullptr));
}

void Shadow::moved(ThingId id) {
  ShadowThing& thing = *find(id);
  ++thing.moves;
  taken(thing);
  note_end(thing);
}

void Shadow::taken(ShadowThing& thing) {
  if ((setting_ & task_bit()) != 0) thing.taken_reentrantly = true;
  if (is_in_flight(thing)) reach(Window::dropped_in_flight, thing.in_flight_by);
  take_from_launches(thing);
}

/// The launch may still use it, or its kernel, or the copy back.
void Shadow::take_from_launches(const ShadowThing& thing) {
  for (const ShadowUser& user : launching_)
    for (const ShadowBound& bound : user.context->places) {
      if (bound.thing != &thing) continue;
      reach(Window::dropped_in_flight, user.way);
      if (&bound == &user.context->at(Place::external)) reach(Window::external_gone, user.way);
    }
}

// ---- how things end -----------------------------------------------------------------------------

// Storage on the device has no host object: finds the memory that the current activation made last.
void Shadow::built(ThingId id, harness::BirthId object, std::uint32_t generation) {
  find(id)->beneath = object;
  find(id)->generation = generation;
  if (object != harness::BirthId::none) return;
  const harness::Name activation = scene_.world().picker.current().name;
  const auto& lives = scene_.world().ledger.lives();
  for (std::size_t i = lives.size() - 1; i > 0; --i) {
    if (!(lives[i].birth_site == kNewExternal) || lives[i].birth_activation != activation) continue;
    find(id)->beneath = static_cast<harness::BirthId>(i);
    return;
  }
}

void Shadow::ended(ThingId id) {
  lose(*find(id));
  note_end(*find(id));
}

void Shadow::note_end(const ShadowThing& thing) {
  ends_.push_back({.beneath = thing.beneath,
                   .activation = scene_.world().picker.current().name,
                   .reentrant = thing.taken_reentrantly,
                   .in_flight = is_in_flight(thing)});
}

// Returns the last one: storage that was to move but stayed in place ends later.
const ShadowEnd* Shadow::end_of_storage(harness::Name life) const {
  const harness::Ledger& ledger = scene_.world().ledger;
  for (std::size_t i = ends_.size(); i-- > 0;)
    if (ledger.life(ends_[i].beneath).name == life) return &ends_[i];
  return nullptr;
}

// An object dies with its memory, in a finalizer that need not be its own wrapper's. Each finalizer
// is a separate activation.
const ShadowEnd* Shadow::end_of_object(harness::Name life) const {
  const auto& lives = scene_.world().ledger.lives();
  std::size_t i = lives.size() - 1;
  while (i > 0 && lives[i].name != life) --i;
  for (const ShadowEnd& end : ends_)
    if (i > 0 && end.activation == lives[i].death_activation) return &end;
  return nullptr;
}

// ---- contexts -----------------------------------------------------------------------------------

// A task that starts something else has given up its pending launch.
ShadowUser& Shadow::use(const ShadowBinding& binding, bool launches, bool again) {
  harness::World& world = scene_.world();
  const std::uint32_t task = raw(world.scheduler.current());
  users_.push_back({world.picker.current().name, world.scheduler.now(), task, &binding, binding.way,
                    launches, again});
  std::erase_if(launching_, [&](const ShadowUser& user) { return user.task == task; });
  if (launches) launching_.push_back(users_.back());
  return users_.back();
}

/// Returns when the kernel that runs at `tick` was submitted. Kernels of the one stream start in
/// submission order, and later launches may have begun since.
static harness::Tick submitted_at(const harness::History& history, harness::Tick tick) {
  std::size_t count = 0;
  for (const harness::Event& event : history.events()) {
    const bool starts = event.kind == harness::EventKind::start && event.tick <= tick;
    count += starts && targets::argpack::is_kernel(event.what);
  }
  for (const harness::Event& event : history.events()) {
    const bool is_submit = event.kind == harness::EventKind::submit;
    if (is_submit && targets::argpack::is_kernel(event.what) && count-- == 1) return event.tick;
  }
  return tick;
}

const ShadowUser* Shadow::launch_of_kernel(harness::Tick tick) const {
  const harness::Tick submitted = submitted_at(scene_.world().history, tick);
  return last_user([&](const ShadowUser& user) { return user.launches && user.tick <= submitted; });
}

const ShadowUser* Shadow::launch_in(harness::Name activation) const {
  return last_user(
      [&](const ShadowUser& user) { return user.launches && user.activation == activation; });
}

const ShadowUser* Shadow::user_in(harness::Name activation) const {
  return last_user([&](const ShadowUser& user) { return user.activation == activation; });
}

// External memory belongs to no program.
ShadowBound Shadow::bind(ShadowThing* thing) const {
  if (thing == nullptr) return {};
  const bool stale = thing->generation != 0 && thing->generation != generation_;
  return {thing, thing->moves, stale};
}

void Shadow::bound(ThingId context, Place place, ThingId id) {
  ShadowBinding& binding = *find(context)->binding;
  if (id != ThingId::none)
    set(binding);
  else
    use(binding, false);
  if (place == Place::gradient_address) return;  // No launch follows it.
  if (place == Place::external_copy) {           // Nor the original of a copy.
    binding.places[raw(Place::external)] = {};
    return;
  }
  ShadowThing* thing = find(id);
  binding.places[raw(place)] = bind(thing);
  if (place > Place::nested_twice) return;
  binding.depth = thing != nullptr ? std::max(binding.depth, raw(place) + std::uint32_t{1}) : 0;
}

bool Shadow::was_bound_stale(const ShadowUser& user, harness::Name life) const {
  return std::any_of(user.context->places.begin(), user.context->places.end(),
                     [&](const ShadowBound& bound) { return bound.stale && is_of(bound, life); });
}

// An object's memory is the last allocation before it at the same site.
bool Shadow::is_of(const ShadowBound& bound, harness::Name life) const {
  const auto& lives = scene_.world().ledger.lives();
  const std::size_t object = raw(bound.thing->beneath);
  if (lives[object].name == life) return true;
  std::size_t memory = object;
  while (memory > 0 &&
         !(lives[memory].kind == kMemory && lives[memory].birth_site == lives[object].birth_site))
    --memory;
  return memory > 0 && lives[memory].name == life;
}

void Shadow::compiling(ThingId context, std::uint32_t generation) {
  const ShadowBinding& binding = *find(context)->binding;
  use(binding, false);
  if (binding.generation != generation) reach(Window::taken_reentrantly, binding.way);
}

void Shadow::launching(ThingId context, std::uint32_t generation) {
  setting_ended();
  ShadowBinding& binding = *find(context)->binding;
  const bool again = std::exchange(binding.tried, true);
  const bool ended = generation <= ended_;
  use(binding, true, again).ended = ended;
  if (again) scene_.reach(raw(Window::context_reused), raw(binding.way));
  if (binding.launched) return reach(Window::context_reused, binding.way);
  for (std::uint32_t level = 0; level < binding.depth; ++level) {
    if (!binding.places[level].lost()) continue;
    if (level > 0) reach(Window::nested_replaced, binding.way);
    if (level == 0 || level + 1 < binding.depth) reach(Window::parent_freed, binding.way);
  }
  if (binding.at(Place::array).lost() || binding.at(Place::gradient).lost())
    reach(Window::array_deleted, binding.way);
  if (binding.at(Place::external).lost()) reach(Window::external_gone, binding.way);
  const bool reset = binding.generation != generation || ended;
  if ((binding.depth > 0 && reset) || lost_reentrantly(binding))
    reach(Window::taken_reentrantly, binding.way);
}

bool Shadow::lost_reentrantly(const ShadowBinding& binding) const {
  return std::any_of(binding.places.begin(), binding.places.end(), [](const ShadowBound& bound) {
    return bound.lost() && bound.thing->taken_reentrantly;
  });
}

void Shadow::submitted(ThingId context) {
  ShadowBinding& binding = *find(context)->binding;
  std::erase_if(launching_, [&](const ShadowUser& user) { return user.context == &binding; });
  if (std::exchange(binding.launched, true)) return;
  ++submitted_;
  for (const ShadowBound& bound : binding.places)
    if (bound.thing != nullptr) {
      bound.thing->in_flight = submitted_;
      bound.thing->in_flight_by = binding.way;
    }
}

}  // namespace scenarios::argpack
