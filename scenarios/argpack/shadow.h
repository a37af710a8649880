// SPDX-License-Identifier: Apache-2.0
// Shadow: the script's actions on bound objects, whatever the policy keeps, and the windows that
// a run reached.
//
// It receives facts and changes nothing. For each wrapper and launch context it has the
// references of the *script* (variables, members, frames, cycles; not those of a policy), and the
// bindings.
#pragma once

#include "scenarios/argpack/windows.h"
#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

struct ShadowBinding;

/// Lifetime: in the run's arena; outlives its wrapper.
struct ShadowThing {
  std::uint32_t references = 0;
  bool gone = false;  ///< The script can no longer reach it.
  bool taken_reentrantly =
      false;                ///< Its memory moved, or it was deleted, while its task set arguments.
  std::uint32_t moves = 0;  ///< Number of times its memory has moved.
  std::uint32_t in_flight = 0;     ///< Last launch that uses it, from 1; 0 if none.
  Way in_flight_by = Way::kernel;  ///< Way of that launch.
  std::array<ShadowThing*, 2> members{};
  ShadowBinding* binding = nullptr;                   ///< Bindings of a launch context.
  harness::BirthId beneath = harness::BirthId::none;  ///< Lifetime of the object, or of the
                                                      ///< storage.
  std::uint32_t generation = 0;  ///< Generation of the program that made the object.
};

/// The end of the object beneath a thing.
struct ShadowEnd {
  harness::BirthId beneath;
  harness::Name activation;  ///< Activation in which it ended.
  bool reentrant;            ///< Its own task was setting arguments when it ended.
  bool in_flight;            ///< A kernel that uses the thing may have been running.
};

/// A bound thing, and its state when it was bound.
struct ShadowBound {
  ShadowThing* thing = nullptr;
  std::uint32_t moves = 0;
  bool stale = false;  ///< Its program had already been reset.

  bool lost() const { return thing != nullptr && (thing->gone || thing->moves != moves); }
};

/// An activation that binds to a context or launches it.
struct ShadowUser {
  harness::Name activation;
  harness::Tick tick;
  std::uint32_t task;
  const ShadowBinding* context;
  Way way;
  bool launches;
  bool again;          ///< An earlier launch failed or was refused.
  bool ended = false;  ///< It launches in a program that has ended.
};

struct ShadowBinding {
  std::array<ShadowBound, targets::argpack::kPlaceCount> places;
  std::uint32_t depth = 0;       ///< Levels of packs, from Place::pack on.
  std::uint32_t generation = 0;  ///< Program that made the context.
  bool launched = false;
  bool tried = false;  ///< A launch was attempted.
  Way way = Way::kernel;

  const ShadowBound& at(targets::argpack::Place place) const { return places[harness::raw(place)]; }
};

/// Ownership: in the run's arena; borrows the scene and the passages.
class Shadow {
 public:
  using Place = targets::argpack::Place;
  using ThingId = targets::argpack::ThingId;

  Shadow(harness::Scene& scene, Passages& passages);
  Shadow(const Shadow&) = delete;  // Things point at each other.
  Shadow& operator=(const Shadow&) = delete;

  // ---- facts: see targets::argpack::Observer ----
  /// The current program has this generation; 0 if there is no program.
  void program_is(std::uint32_t generation) {
    if (generation == 0)
      ended_ = generation_;
    else
      generation_ = generation;
  }
  void met_stale_wrapper() { passages_.reach(Window::stale_wrapper); }
  void made(const targets::argpack::Making& making);
  void built(ThingId thing, harness::BirthId object, std::uint32_t generation);
  void referred(ThingId thing) { ++find(thing)->references; }
  void dropped(ThingId thing) { let_go(find(thing)); }
  void ended(ThingId thing);
  void attached(ThingId thing, std::size_t member, ThingId value);
  void moved(ThingId thing);
  /// Marks a context as made by hand: only those are stored in a variable.
  void stored(ThingId thing) {
    if (thing != ThingId::none && find(thing)->binding != nullptr)
      find(thing)->binding->way = Way::context;
  }
  void setting_began() { setting_ |= task_bit(); }
  void setting_ended() { setting_ &= ~task_bit(); }
  void bound(ThingId context, Place place, ThingId thing);
  void scalar_set(ThingId context) { set(*find(context)->binding); }
  void compiling(ThingId context, std::uint32_t generation);
  void argument_renamed() { passages_.reach(Window::top_level_dropped); }
  void launching(ThingId context, std::uint32_t generation);
  void submitted(ThingId context);
  void finished() { finished_ = submitted_; }

  /// Returns the launch whose kernel runs at `tick`, or null: the last launch that had begun when
  /// the kernel was submitted.
  const ShadowUser* launch_of_kernel(harness::Tick tick) const;
  /// Returns the last launch that began in `activation`, or null.
  const ShadowUser* launch_in(harness::Name activation) const;
  /// Returns the last context that was bound to or launched in `activation`, or null.
  const ShadowUser* user_in(harness::Name activation) const;
  /// Returns whether the user's context was bound to the object `life`, or to the one whose memory
  /// that is, after its program had been reset.
  bool was_bound_stale(const ShadowUser& user, harness::Name life) const;
  /// Returns the end of the storage `life`, or null.
  const ShadowEnd* end_of_storage(harness::Name life) const;
  /// Returns the end of a wrapper in whose activation `life` died, or null.
  const ShadowEnd* end_of_object(harness::Name life) const;

 private:
  ShadowThing* find(ThingId thing) const { return things_[harness::raw(thing)]; }
  void let_go(ShadowThing* thing) {
    if (thing != nullptr && --thing->references == 0) lose(*thing);
  }
  void reach(Window window, Way way) { passages_.reach(window, harness::raw(way)); }
  /// Returns the last user for which `is(user)` holds, or null.
  template <class Is>
  const ShadowUser* last_user(Is is) const {
    for (std::size_t i = users_.size(); i-- > 0;)
      if (is(users_[i])) return &users_[i];
    return nullptr;
  }
  ShadowUser& use(const ShadowBinding& binding, bool launches, bool again = false);
  bool is_of(const ShadowBound& bound, harness::Name life) const;
  ShadowBound bind(ShadowThing* thing) const;
  /// Records a binding to the context, which may have been launched before.
  void set(const ShadowBinding& binding) {
    use(binding, false);
    if (binding.launched) reach(Window::context_reused, binding.way);
  }
  void take_from_launches(const ShadowThing& thing);
  void lose(ShadowThing& thing);
  void taken(ShadowThing& thing);
  void note_end(const ShadowThing& thing);
  /// Returns whether a kernel that uses it may be running.
  bool is_in_flight(const ShadowThing& thing) const { return thing.in_flight > finished_; }
  bool lost_reentrantly(const ShadowBinding& binding) const;
  std::uint64_t task_bit() const {
    return std::uint64_t{1} << (harness::raw(scene_.world().scheduler.current()) % 64);
  }

  harness::Scene& scene_;
  Passages& passages_;
  std::pmr::vector<ShadowThing*> things_;   ///< By id; [0] is none.
  std::pmr::vector<ShadowEnd> ends_;        ///< In order.
  std::pmr::vector<ShadowUser> users_;      ///< In order.
  std::pmr::vector<ShadowUser> launching_;  ///< Begun, but not yet submitted.
  std::uint32_t generation_ = 0;            ///< The current program's, or the last one's.
  std::uint32_t ended_ = 0;                 ///< The last program's that has ended.
  std::uint32_t submitted_ = 0;
  std::uint32_t finished_ = 0;
  std::uint64_t setting_ = 0;  ///< One bit per task that is setting arguments for a launch.
};

}  // namespace scenarios::argpack
