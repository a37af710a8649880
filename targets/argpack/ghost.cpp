#include "targets/argpack/ghost.h"

namespace targets::argpack {

Thing* Ghost::make(Kind kind, std::int64_t value, std::uint32_t depth, std::uint32_t generation) {
  const Order order(this);
  Thing* thing = scheduler_.arena().make<Thing>();
  thing->id = static_cast<ThingId>(++thing_count_);
  observer_.made({thing->id, kind, depth, value, generation});
  return thing;
}

void Ghost::taken(Thing& thing) {
  if (is_setting()) thing.taken_reentrantly = true;
  if (in_flight(thing)) reach(Window::w5_in_flight);
}

void Ghost::lose(Thing& thing) {
  const Order order(this);
  if (thing.gone) return;
  thing.gone = true;
  taken(thing);
  for (Thing*& member : thing.members) detach(std::exchange(member, nullptr));
}

void Ghost::move(Thing& thing) {
  const Order order(this);
  ++thing.moves;
  taken(thing);
}

void Ghost::launching(const Binding& binding, std::uint32_t generation) {
  const Order order(this);
  if (binding.launched) return reach(Window::w11_context_reused);
  const std::uint32_t depth = binding.depth;
  for (std::uint32_t level = 0; level < depth; ++level) {
    if (!binding.packs[level].lost()) continue;
    if (level > 0) reach(Window::w1_nested_replaced);
    if (level == 0 || level + 1 < depth) reach(Window::w2_parent_freed);
  }
  if (binding.array.lost() || binding.gradient.lost()) reach(Window::w3_array_deleted);
  if (binding.external.lost()) reach(Window::w4_external_gone);
  bool reentrantly = depth > 0 && binding.generation != generation;
  binding.each([&](const Bound& bound) {
    if (bound.lost() && bound.thing->taken_reentrantly) reentrantly = true;
  });
  if (reentrantly) reach(Window::w7_reentrant);
}

void Ghost::launched(const Thing& context, Binding& binding) {
  const Order order(this);
  binding.launched = true;
  ++submitted_;
  binding.each([&](const Bound& bound) { bound.thing->in_flight = submitted_; });
  observer_.submitted(context.id);
}

}  // namespace targets::argpack
