// Model: what the script did, in the judges' own words, from plain facts of the path.
//
// It knows what every variable refers to, which values each thing was given, what each context
// binds, and who can still use what. It judges nothing; it is what the judges compare with. The
// target writes none of it but by telling a fact, and the values of a fact are those that the
// scenario handed out (Witness sees to that).
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <vector>

#include "harness/scenario.h"
#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

using targets::argpack::Kind;
using targets::argpack::kPlaceCount;
using targets::argpack::Place;
using targets::argpack::ThingId;
using targets::argpack::Variable;

struct Thing;

/// What a context holds in one place, and the oldest value that device memory may have had then.
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
  bool has(const Thing& thing) const {
    return std::any_of(places.begin(), places.end(),
                       [&](const Bound& bound) { return bound.thing == &thing; });
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

/// Counts the ops that have begun: what came first.
using Serial = std::uint32_t;

/// Lifetime: in the run's arena.
struct Thing {
  Kind kind = Kind::nothing;
  std::uint32_t depth = 0;
  std::uint32_t generation = 0;  ///< Of the program that made what is beneath.
  /// What is beneath, where that is a host object.
  harness::BirthId object = harness::BirthId::none;
  Context* context = nullptr;  ///< Of a launch context.

  // ---- who can use it ----
  std::uint32_t references = 0;  ///< Of the script: variables, members, frames, cycles.
  bool gone = false;             ///< The script can reach it no more.
  bool listed = false;           ///< Among gone().
  std::array<Thing*, 2> members{};
  std::array<Serial, 2> attached_by{};  ///< The ops that set them last.
  /// Two ops set a member at a time: the facts do not tell which came last, so that nobody knows
  /// whether the script can reach it, or what it refers to.
  bool uncertain = false;
  bool has_uncertain_members = false;  ///< It is the one whose member they set.
  Serial released = 0;                 ///< When the last one who could use it let go ...
  std::uint32_t launches = 0;          ///< ... and how many launches there had been.
  std::uint32_t last_launch = 0;       ///< The last that uses it; they count from 1.

  // ---- what it holds ----
  std::pmr::vector<std::int64_t> values;
  std::size_t on_device = 0;     ///< Index of the value that was written last.
  std::uint64_t on_the_way = 0;  ///< Bit per value that is assigned and not yet written.
  /// The kernels that wrote it, in order, by what they read: of a gradient, of an external array.
  std::pmr::vector<Bound> kernels;

  /// Index of the oldest value that device memory may come to hold.
  std::size_t oldest() const {
    return std::min(on_device, static_cast<std::size_t>(std::countr_zero(on_the_way)));
  }
};

/// Ownership: in the run's arena. Threads: facts come in the order of the path's own locks; TSan
/// hears of it.
class Model : public targets::argpack::Observer {
 public:
  explicit Model(harness::Scene& scene) : scene_(scene) {
    things_.reserve(32);
    contexts_.reserve(8);
    gone_.reserve(16);
    things_.push_back(nullptr);
  }

  // ---- what is the case ----
  Thing* held_by(Variable variable) const { return variables_[variable]; }
  Thing* find(ThingId id) const { return things_[harness::raw(id)]; }
  std::uint32_t generation() const { return generation_; }  ///< 0 where there is no program.
  std::uint32_t launch_count() const { return launch_count_; }
  /// Made under an earlier program, or refers to what was.
  bool is_stale(const Thing& thing) const;
  /// A context that has not been launched binds it, or a launch that may still run.
  bool is_held(const Thing& thing) const;
  /// A context that has not been launched binds it.
  bool is_bound(const Thing& thing) const;
  /// The script cannot reach it, and no context that can still be launched binds it.
  bool is_unusable(const Thing& thing) const;
  /// Things that nobody can use, with something beneath them that may be alive.
  std::pmr::vector<Thing*>& gone() { return gone_; }

  /// An op begins.
  Serial begin_op() { return ++serial_; }
  Serial serial() const { return serial_; }

  // ---- Observer ----
  void program_began(std::uint32_t generation) override;
  void program_ended() override;
  void deleted_by_stale_wrapper() override {}
  void made(const targets::argpack::Making& making) override;
  void built(ThingId thing, harness::BirthId object, std::uint32_t generation) override;
  void referred(ThingId thing) override;
  void dropped(ThingId thing) override;
  void ended(ThingId thing) override;
  void attached(ThingId thing, std::size_t member, ThingId value) override;
  void stored(Variable variable, ThingId thing) override;
  void assigned(ThingId thing, std::int64_t value) override;
  void written(ThingId thing, std::int64_t value) override;
  void moved(ThingId thing) override;
  void kept_in_place(ThingId) override {}
  void setting_began() override {}
  void setting_ended() override {}
  void bound(ThingId context, Place place, ThingId thing) override;
  void scalar_set(ThingId context, std::int64_t value) override;
  void compiling(ThingId, std::uint32_t) override {}
  void compiled(ThingId context) override;
  void argument_renamed(Variable) override {}
  void launching(ThingId, std::uint32_t) override {}
  void submitted(ThingId context) override;
  void finished() override { finished_ = launch_count_; }
  void read(ThingId, std::span<const std::int32_t>) override {}
  void contents(ThingId, std::span<const std::int32_t>) override {}

 protected:
  /// Something changed that decides what an op may answer: what other ops may, or this one as well.
  enum class Change : std::uint8_t { of_others, of_all };
  virtual void changed(Change) {}
  /// Marks a thing that may be null, and all that the script reaches through it.
  static void make_uncertain(Thing* thing);

  harness::Scene& scene_;

 private:
  void link(Thing* thing);
  void unlink(Thing* thing);
  void lose(Thing& thing);
  void release(Thing* thing);

  std::pmr::vector<Thing*> things_;    ///< By id; [0] is none.
  std::pmr::vector<Thing*> contexts_;  ///< That somebody may still have.
  std::pmr::vector<Thing*> gone_;
  std::array<Thing*, targets::argpack::kVariableCount> variables_{};
  std::uint32_t generation_ = 0;
  std::uint32_t launch_count_ = 0;
  std::uint32_t finished_ = 0;  ///< So many launches are known to have finished.
  Serial serial_ = 0;
};

}  // namespace scenarios::argpack
