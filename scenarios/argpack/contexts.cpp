// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/contexts.h"

namespace scenarios::argpack {

bool Contexts::is_bound(const Thing& thing) const {
  return std::any_of(holders_.begin(), holders_.end(), [&](const Thing* holder) {
    return !holder->context->launched && holder->context->binding.has(thing);
  });
}

bool Contexts::is_unusable(const Thing& thing) const {
  return thing.gone && std::none_of(holders_.begin(), holders_.end(), [&](const Thing* holder) {
           return !holder->gone && !holder->context->launched &&
                  holder->context->binding.has(thing);
         });
}

void Contexts::made(Thing& context, std::uint32_t generation) {
  context.context->generation = generation;
  holders_.push_back(&context);
}

void Contexts::bound(Context& context, Place place, Thing* thing) {
  // An array is bound in place or by a copy, but not both.
  if (place == Place::external) give_up(context, Place::external_copy);
  if (place == Place::external_copy) give_up(context, Place::external);
  Bound& bound = context.binding.places[harness::raw(place)];
  things_.release(bound.thing);
  bound = thing != nullptr ? Bound{thing, thing->oldest()} : Bound{};
  if (place > Place::nested_twice) return;
  std::uint32_t& depth = context.binding.depth;
  depth = thing != nullptr ? std::max(depth, harness::raw(place) + std::uint32_t{1}) : 0;
}

void Contexts::give_up(Context& context, Place place) {
  Bound& bound = context.binding.places[harness::raw(place)];
  things_.release(bound.thing);
  bound = {};
}

void Contexts::copied_back(const Context& context) {
  const Bound& external = context.at_launch.at(Place::external_copy);
  if (external.thing != nullptr) external.thing->kernels.push_back(external);
}

void Contexts::submitted(Context& context) {
  context.launched = true;
  context.at_launch = context.binding;
  const std::uint32_t launch = progress_.submit();
  for (const Bound& bound : context.binding.places) {
    things_.release(bound.thing);
    if (bound.thing != nullptr) bound.thing->last_launch = launch;
  }
  Thing* gradient = context.binding.at(Place::gradient).thing;
  if (gradient != nullptr) gradient->kernels.push_back(context.binding.at(Place::array));
  const Bound& external = context.binding.at(Place::external);
  if (external.thing != nullptr) external.thing->kernels.push_back(external);
}

}  // namespace scenarios::argpack
