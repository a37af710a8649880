// SPDX-License-Identifier: Apache-2.0
// Thing: what is known of one wrapper or launch context, in the judges' own words.
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

/// The thing that a context holds in one place, and the oldest value that device memory may have
/// had then.
struct Bound {
  Thing* thing = nullptr;
  std::size_t first_value = 0;
};

/// Everything that a context binds, or bound when it was launched.
struct Binding {
  std::array<Bound, kPlaceCount> places;
  std::uint32_t depth = 0;
  std::int64_t scalar = 0;

  const Bound& at(Place place) const { return places[harness::raw(place)]; }
  /// The external array, in place or by a copy; the gradient, code that follows it.
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

  /// Compiled, and no level of packs left out.
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
  std::uint32_t generation = 0;  ///< Generation of the program that made what is beneath.
  /// The thing beneath, if it is a host object.
  harness::BirthId object = harness::BirthId::none;
  Context* context = nullptr;  ///< The binding of a launch context.

  // ---- its users ----
  std::uint32_t references = 0;  ///< References of the script: variables, members, frames, cycles.
  bool gone = false;             ///< The script can reach it no more.
  bool listed = false;           ///< Among gone().
  std::array<Thing*, 2> members{};
  std::array<Serial, 2> attached_by{};  ///< The ops that set them last.
  /// Two ops set a member at the same time. The facts do not say which came last, so it is unknown
  /// whether the script can reach it, or what it refers to.
  bool uncertain = false;
  bool has_uncertain_members = false;  ///< It is the one whose member they set.
  Serial released = 0;                 ///< When its last user let go ...
  std::uint32_t launches = 0;          ///< Launches that there had been by then.
  std::uint32_t last_launch = 0;       ///< The last that uses it; they count from 1.

  // ---- what it holds ----
  std::pmr::vector<std::int64_t> values;
  std::size_t on_device = 0;     ///< Index of the value that was written last.
  std::uint64_t on_the_way = 0;  ///< Bit per value that is assigned and not yet written.
  /// The kernels that wrote it, in order, by what they read: of a gradient, of an external array.
  std::pmr::vector<Bound> kernels;

  /// Adds a value that was assigned and is on its way to device memory.
  void assign(std::int64_t value);
  /// Takes in that device memory holds the value.
  void write(std::int64_t value);
  /// Marks a thing that may be null, and all that the script reaches through it.
  static void make_uncertain(Thing* thing);

  /// Index of the oldest value that device memory may come to hold.
  std::size_t oldest() const {
    return std::min(on_device, static_cast<std::size_t>(std::countr_zero(on_the_way)));
  }
};

}  // namespace scenarios::argpack
