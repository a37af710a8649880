// SPDX-License-Identifier: Apache-2.0
// Thing: the state of one wrapper or launch context, as the judges know it.
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <vector>

#include "scenarios/argpack/progress.h"
#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

using targets::argpack::Kind;
using targets::argpack::kPlaceCount;
using targets::argpack::Place;
using targets::argpack::ThingId;
using targets::argpack::Variable;

struct Thing;

/// The thing that a context binds in one place, and the oldest value that device memory may have
/// had at that time.
struct Bound {
  Thing* thing = nullptr;
  std::size_t first_value = 0;
};

/// All bindings of a context, now or at its launch.
struct Binding {
  std::array<Bound, kPlaceCount> places;
  std::uint32_t depth = 0;
  std::int64_t scalar = 0;

  const Bound& at(Place place) const { return places[harness::raw(place)]; }
  /// Returns the external array, bound in place or by a copy; or the gradient, followed or not.
  const Bound& external() const { return either(Place::external, Place::external_copy); }
  const Bound& gradient() const { return either(Place::gradient, Place::gradient_address); }
  bool has(const Thing& thing) const {
    return std::any_of(places.begin(), places.end(),
                       [&](const Bound& bound) { return bound.thing == &thing; });
  }

 private:
  const Bound& either(Place one, Place other) const {
    return at(one).thing != nullptr ? at(one) : at(other);
  }
};

struct Context {
  std::uint32_t generation = 0;
  Binding binding;
  Binding at_launch;
  bool compiled = false;
  bool launched = false;

  /// Returns whether it is compiled and every level of packs is bound.
  bool complete() const {
    bool all = binding.depth > 0 && compiled;
    for (std::uint32_t level = 0; level < binding.depth; ++level)
      all = all && binding.places[level].thing != nullptr;
    return all;
  }
};

/// Lifetime: in the run's arena.
struct Thing {
  Kind kind = Kind::nothing;
  std::uint32_t depth = 0;
  std::uint32_t generation = 0;  ///< Program that made the object beneath.
  /// The object beneath, if it is a host object.
  harness::BirthId object = harness::BirthId::none;
  Context* context = nullptr;  ///< Bindings of a launch context.

  // ---- its users ----
  std::uint32_t references = 0;  ///< From variables, members, frames and cycles of the script.
  bool gone = false;             ///< The script can no longer reach it.
  bool listed = false;           ///< It is in gone().
  std::array<Thing*, 2> members{};
  std::array<Serial, 2> attached_by{};  ///< Ops that set the members last.
  /// Two ops have set a member at the same time. The facts do not say which was last, so it is
  /// unknown whether the script can reach it, or what it refers to.
  bool uncertain = false;
  bool has_uncertain_members = false;  ///< Two ops have set one of its members.
  Serial released = 0;                 ///< When its last user released it ...
  std::uint32_t launches = 0;          ///< Number of launches before that.
  std::uint32_t last_launch = 0;       ///< Last launch that uses it, from 1.

  // ---- what it holds ----
  std::pmr::vector<std::int64_t> values;
  std::size_t on_device = 0;     ///< Index of the last written value.
  std::uint64_t on_the_way = 0;  ///< One bit per value that is assigned but not yet written.
  /// Bindings of the kernels that wrote to it, in order. For a gradient or an external array.
  std::pmr::vector<Bound> kernels;

  /// Adds an assigned value, which is not yet in device memory.
  void assign(std::int64_t value);
  /// Notes that device memory holds the value.
  void write(std::int64_t value);
  /// Marks a thing, which may be null, and everything reachable through it.
  static void make_uncertain(Thing* thing);

  /// Returns the index of the oldest value that device memory may still get.
  std::size_t oldest() const {
    return std::min(on_device, static_cast<std::size_t>(std::countr_zero(on_the_way)));
  }
};

}  // namespace scenarios::argpack
