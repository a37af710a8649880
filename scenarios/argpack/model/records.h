// SPDX-License-Identifier: Apache-2.0
// Records: the state of each wrapper and launch context of a script.
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <span>
#include <vector>

#include "scenarios/argpack/windows.h"
#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

using targets::argpack::Kind;
using targets::argpack::kPlaceCount;
using targets::argpack::Place;
using targets::argpack::ThingId;
using targets::argpack::Variable;

/// Number of an op, in the order in which ops begin.
using Serial = std::uint32_t;

struct Thing;

/// The thing that a context binds in one place, and its state when it was bound.
struct Bound {
  Thing* thing = nullptr;
  std::size_t first_value = 0;  ///< The oldest value that device memory may have had.
  std::uint32_t moves = 0;
  bool stale = false;  ///< Its program had already been reset.

  /// Returns whether the script has lost it at some time, or its memory has moved since.
  bool lost() const;
};

/// All bindings of a context, now or at its launch.
struct Binding {
  std::array<Bound, kPlaceCount> places;
  std::uint32_t depth = 0;  ///< Levels of packs, from Place::pack on.
  std::int64_t scalar = 0;

  const Bound& at(Place place) const { return places[harness::raw(place)]; }
  /// Returns the external array, bound in place or by a copy; or the gradient, followed or not.
  const Bound& external() const { return either(Place::external, Place::external_copy); }
  const Bound& gradient() const { return either(Place::gradient, Place::gradient_address); }
  /// Returns the places that a launch follows: not the address of a gradient, nor the original of a
  /// copy.
  std::span<const Bound> followed() const {
    return std::span(places).first(harness::raw(Place::gradient_address));
  }
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
  std::uint32_t generation = 0;  ///< Program that made it.
  Way way = Way::kernel;
  Binding binding;
  Binding at_launch;
  bool compiled = false;
  bool tried = false;  ///< A launch was attempted.
  bool launched = false;

  /// Returns whether it is compiled and every level of packs is bound.
  bool complete() const {
    bool all = binding.depth > 0 && compiled;
    for (std::uint32_t level = 0; level < binding.depth; ++level)
      all = all && binding.places[level].thing != nullptr;
    return all;
  }
};

/// Lifetime: in the run's arena; outlives its wrapper.
struct Thing {
  Kind kind = Kind::nothing;
  std::uint32_t depth = 0;
  std::uint32_t generation = 0;  ///< Program that made the object beneath.
  /// Lifetime of the object beneath, or of its storage if that is on the device.
  harness::BirthId beneath = harness::BirthId::none;
  bool on_host = false;        ///< The object beneath is a host object.
  Context* context = nullptr;  ///< For a launch context.

  // ---- its users ----
  std::uint32_t references = 0;  ///< From variables, members, frames and cycles of the script.
  bool gone = false;             ///< The script can no longer reach it.
  bool was_gone = false;         ///< It was gone at some time, which counts for windows.
  bool listed = false;           ///< It is in Model::gone.
  std::array<Thing*, 2> members{};
  std::array<Serial, 2> attached_by{};  ///< Ops that set the members last.
  /// Two ops have set a member at the same time. The facts do not say which was last, so it is
  /// unknown whether the script can reach it, or what it refers to.
  bool uncertain = false;
  bool has_uncertain_members = false;  ///< Two ops have set one of its members.
  Serial released = 0;                 ///< When its last user released it ...
  std::uint32_t launches = 0;          ///< Number of launches before that.
  std::uint32_t last_launch = 0;       ///< Last launch that uses it, from 1.
  /// The last launch that uses it and is the first of its context.
  std::uint32_t first_launch = 0;
  Way launched_by = Way::kernel;   ///< Way of that launch.
  bool taken_reentrantly = false;  ///< It was lost or moved while its task set arguments.

  // ---- contents ---------
  std::uint32_t moves = 0;  ///< Number of times its memory has moved.
  std::pmr::vector<std::int64_t> values;
  std::size_t on_device = 0;     ///< Index of the last written value.
  std::uint64_t on_the_way = 0;  ///< One bit per value that is assigned but not yet written.
  /// Bindings of the kernels that wrote to it, in order. For a gradient or an external array.
  std::pmr::vector<Bound> kernels;

  /// Returns the index of the oldest value that device memory may still get.
  std::size_t oldest() const {
    return std::min(on_device, static_cast<std::size_t>(std::countr_zero(on_the_way)));
  }
};

inline bool Bound::lost() const {
  return thing != nullptr && (thing->was_gone || thing->moves != moves);
}

}  // namespace scenarios::argpack
