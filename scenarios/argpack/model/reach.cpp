// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/model/reach.h"

namespace scenarios::argpack {

using harness::raw;

// ---- taken objects ------------------------------------------------------------------------------

// A launch that has begun may still use it, or its kernel, or the copy back.
void Reach::taken(const Thing& thing) {
  if (is_in_flight(thing)) reach(Window::dropped_in_flight, thing.launched_by);
  for (const User& user : launching_) {
    const Binding& binding = user.context->binding;
    for (const Bound& bound : binding.followed()) {
      if (bound.thing != &thing) continue;
      reach(Window::dropped_in_flight, user.context->way);
      if (&bound == &binding.at(Place::external)) reach(Window::external_gone, user.context->way);
    }
  }
}

void Reach::ended(const Thing& thing) {
  ends_.push_back({.beneath = thing.beneath,
                   .activation = scene_.world().picker.current().name,
                   .reentrant = thing.taken_reentrantly,
                   .in_flight = is_in_flight(thing)});
}

// Returns the last one: storage that was to move but stayed in place ends later.
const End* Reach::end_of_storage(harness::Name life) const {
  const harness::Ledger& ledger = scene_.world().ledger;
  const auto end = std::find_if(ends_.rbegin(), ends_.rend(), [&](const End& each) {
    return ledger.life(each.beneath).name == life;
  });
  return end != ends_.rend() ? &*end : nullptr;
}

// An object dies with its memory, in a finalizer that need not be its own wrapper's. Each finalizer
// is a separate activation.
const End* Reach::end_of_object(harness::Name life) const {
  const auto& lives = scene_.world().ledger.lives();
  std::size_t i = lives.size() - 1;
  while (i > 0 && lives[i].name != life) --i;
  for (const End& end : ends_)
    if (i > 0 && end.activation == lives[i].death_activation) return &end;
  return nullptr;
}

// ---- users of a context -------------------------------------------------------------------------

// A task that starts something else has given up its pending launch.
User& Reach::use(const Context& context) {
  harness::World& world = scene_.world();
  const std::uint32_t task = raw(world.scheduler.current());
  std::erase_if(launching_, [&](const User& user) { return user.task == task; });
  users_.push_back({world.picker.current().name, world.scheduler.now(), task, &context});
  return users_.back();
}

void Reach::bound(const Context& context) {
  use(context);
  if (context.launched) reach(Window::context_reused, context.way);
}

void Reach::compiling(const Context& context, std::uint32_t generation) {
  use(context);
  if (context.generation != generation) reach(Window::taken_reentrantly, context.way);
}

void Reach::launching(const Context& context, std::uint32_t generation, bool again) {
  const bool ended = generation <= model_.ended;
  User& user = use(context);
  user.launches = true;
  user.again = again;
  user.ended = ended;
  launching_.push_back(user);
  if (again) scene_.reach(raw(Window::context_reused), raw(context.way));
  if (context.launched) return reach(Window::context_reused, context.way);
  const Binding& binding = context.binding;
  for (std::uint32_t level = 0; level < binding.depth; ++level) {
    if (!binding.places[level].lost()) continue;
    if (level > 0) reach(Window::nested_replaced, context.way);
    if (level == 0 || level + 1 < binding.depth) reach(Window::parent_freed, context.way);
  }
  if (binding.at(Place::array).lost() || binding.at(Place::gradient).lost())
    reach(Window::array_deleted, context.way);
  if (binding.at(Place::external).lost()) reach(Window::external_gone, context.way);
  const bool reset = context.generation != generation || ended;
  const auto lost_reentrantly = [](const Bound& bound) {
    return bound.lost() && bound.thing->taken_reentrantly;
  };
  if ((binding.depth > 0 && reset) || std::ranges::any_of(binding.followed(), lost_reentrantly))
    reach(Window::taken_reentrantly, context.way);
}

void Reach::submitted(const Context& context) {
  std::erase_if(launching_, [&](const User& user) { return user.context == &context; });
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

const User* Reach::launch_of_kernel(harness::Tick tick) const {
  const harness::Tick submitted = submitted_at(scene_.world().history, tick);
  return last_user([&](const User& user) { return user.launches && user.tick <= submitted; });
}

const User* Reach::launch_in(harness::Name activation) const {
  return last_user(
      [&](const User& user) { return user.launches && user.activation == activation; });
}

const User* Reach::user_in(harness::Name activation) const {
  return last_user([&](const User& user) { return user.activation == activation; });
}

bool Reach::was_bound_stale(const User& user, harness::Name life) const {
  return std::ranges::any_of(user.context->binding.followed(),
                             [&](const Bound& bound) { return bound.stale && is_of(bound, life); });
}

// An object's memory is the last allocation before it at the same site.
bool Reach::is_of(const Bound& bound, harness::Name life) const {
  constexpr harness::Label kMemory = "device memory";
  const auto& lives = scene_.world().ledger.lives();
  const std::size_t object = raw(bound.thing->beneath);
  if (lives[object].name == life) return true;
  std::size_t memory = object;
  while (memory > 0 &&
         !(lives[memory].kind == kMemory && lives[memory].birth_site == lives[object].birth_site))
    --memory;
  return memory > 0 && lives[memory].name == life;
}

}  // namespace scenarios::argpack
