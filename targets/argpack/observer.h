// SPDX-License-Identifier: Apache-2.0
// Observer: the facts that the path reports as it runs, whatever the policy keeps.
//
// A fact says what the script did, or what the path ran into, by the script's own rules. Nothing is
// expected, compared or decided here. Lifetime: outlives the path. Threads: called by the task that
// acts, in the middle of an operation; it may record, and must not call back or offer a turn.
#pragma once

#include <span>

#include "targets/argpack/vocabulary.h"

namespace targets::argpack {

/// Distinguishes wrappers and launch contexts. Never reused within a run; 0 is none.
enum class ThingId : std::uint32_t { none };

/// Where a context binds a thing.
enum class Place : std::uint8_t {
  pack,
  nested,
  nested_twice,
  array,
  gradient,
  external,
  gradient_address,  ///< A gradient that no launch follows, and no kernel touches.
  external_copy,     ///< An external array by a copy, made when it was bound.
};
inline constexpr std::size_t kPlaceCount = 8;

/// A wrapper at its making.
struct Making {
  ThingId thing;
  Kind kind;
  std::uint32_t depth;       ///< Depth of a pack.
  std::int64_t value;        ///< Value that its elements, or its scalar, begin with.
  std::uint32_t generation;  ///< Generation of a context's program. 0 elsewhere; see built().
};

/// Facts of programs.
class ProgramFacts {
 public:
  virtual ~ProgramFacts() = default;

  virtual void program_began(std::uint32_t generation) = 0;
  virtual void program_ended() = 0;
  /// A wrapper from before the last reset() requests the deletion of the object at its object's
  /// address.
  virtual void deleted_by_stale_wrapper() = 0;
  /// A program that has ended is destroyed, and is about to free memory by an address that an
  /// allocation of the next one has by now.
  virtual void freed_by_ended_program() = 0;
  /// A wrapper from before the last reset() is about to be bound, or what it wraps to be written or
  /// read. The policy may refuse.
  virtual void using_stale_wrapper() = 0;
};

/// Facts of wrappers and contexts: references.
class ThingFacts {
 public:
  virtual ~ThingFacts() = default;

  virtual void made(const Making& making) = 0;
  /// The object beneath the wrapper exists: the C++ object, or storage on the host (none if it is
  /// on the device). Made by the program of this generation.
  virtual void built(ThingId thing, harness::BirthId object, std::uint32_t generation) = 0;
  /// A variable, a member, a frame or a cycle refers to it, or no longer.
  virtual void referred(ThingId thing) = 0;
  virtual void dropped(ThingId thing) = 0;
  /// It dies: there is no reference any more, not even one of the policy.
  virtual void ended(ThingId thing) = 0;
  /// A member refers to `member` now: 0 is the nested pack, 1 the array or the gradient.
  virtual void attached(ThingId thing, std::size_t member, ThingId value) = 0;
  /// A variable refers to the thing now, or to none.
  virtual void stored(Variable variable, ThingId thing) = 0;
};

/// Facts of values: assignments, and where values are.
class ValueFacts {
 public:
  virtual ~ValueFacts() = default;

  /// The script has assigned a value. Device memory holds it: written().
  virtual void assigned(ThingId thing, std::int64_t value) = 0;
  virtual void written(ThingId thing, std::int64_t value) = 0;
  /// Its storage was resized: what is beneath is another, and as it was made.
  virtual void moved(ThingId thing) = 0;
  /// Its storage was to be resized, and stays because it is exported.
  virtual void kept_in_place(ThingId thing) = 0;
  /// The elements that to_numpy() found, as words.
  virtual void contents(ThingId array, std::span<const std::int32_t> words) = 0;
};

/// Facts of contexts, from setting arguments to what the kernel reported.
class LaunchFacts {
 public:
  virtual ~LaunchFacts() = default;

  /// The current task begins to set the arguments of a launch, or has set them. launching() says
  /// the latter, too.
  virtual void setting_began() = 0;
  virtual void setting_ended() = 0;
  virtual void bound(ThingId context, Place place, ThingId thing) = 0;
  virtual void scalar_set(ThingId context, std::int64_t value) = 0;
  /// compile_kernel() begins under the program of this generation, and may refuse.
  virtual void compiling(ThingId context, std::uint32_t generation) = 0;
  virtual void compiled(ThingId context) = 0;
  /// A call is about to launch, and the variable that it got its pack from refers to something
  /// else.
  virtual void argument_renamed(Variable pack) = 0;
  /// launch_kernel() begins under the program of this generation, which may have ended, and may
  /// refuse.
  virtual void launching(ThingId context, std::uint32_t generation) = 0;
  /// A kernel was submitted, or recorded, with everything bound.
  virtual void submitted(ThingId context) = 0;
  /// The device has finished everything submitted so far.
  virtual void finished() = 0;
  /// The array itself has by now what the last launch left in the copy of it.
  virtual void copied_back(ThingId context) = 0;
  /// The kernel's report, which the host has now: for each thread, the words of the pack, the
  /// array, the external array's input, and its output.
  virtual void read(ThingId context, std::span<const std::int32_t> words) = 0;
};

/// Receives all facts.
class Observer : public ProgramFacts, public ThingFacts, public ValueFacts, public LaunchFacts {};

}  // namespace targets::argpack
