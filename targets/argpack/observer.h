// SPDX-License-Identifier: Apache-2.0
// Observer: receives the facts that the path reports as it runs, whatever the policy keeps.
//
// A fact is an action of the script or an event of the path, by the script's own rules, without any
// judgement. Lifetime: outlives the path. Threads: called by the acting task in the middle of an
// operation; it may record, but must neither call back nor offer a preemption point.
#pragma once

#include <span>

#include "targets/argpack/vocabulary.h"

namespace targets::argpack {

/// Id of a wrapper or launch context. Never reused within a run; 0 is none.
enum class ThingId : std::uint32_t { none };

/// Parameter to which a context binds a thing.
enum class Place : std::uint8_t {
  pack,
  nested,
  nested_twice,
  array,
  gradient,
  external,
  gradient_address,  ///< A gradient that no launch follows and no kernel accesses.
  external_copy,     ///< A copy of an external array, made when it was bound.
};
inline constexpr std::size_t kPlaceCount = 8;

/// Creation of a wrapper.
struct Making {
  ThingId thing;
  Kind kind;
  std::uint32_t depth;       ///< Depth of a pack; 0 for other kinds.
  std::int64_t value;        ///< Initial value of its elements or its scalar.
  std::uint32_t generation;  ///< Program of a context; 0 for other kinds, see built().
};

/// Facts about programs.
class ProgramFacts {
 public:
  virtual ~ProgramFacts() = default;

  virtual void program_began(std::uint32_t generation) = 0;
  virtual void program_ended() = 0;
  /// A wrapper from before the last reset() requests the deletion of the object that is now at its
  /// object's address.
  virtual void deleted_by_stale_wrapper() = 0;
  /// A program that has ended is being destroyed, and is about to free memory by an address that an
  /// allocation of the next program has now.
  virtual void freed_by_ended_program() = 0;
  /// A wrapper from before the last reset() is about to be bound, or its object to be written or
  /// read. The policy may refuse.
  virtual void using_stale_wrapper() = 0;
};

/// Facts about wrappers and contexts, and references to them.
class ThingFacts {
 public:
  virtual ~ThingFacts() = default;

  virtual void made(const Making& making) = 0;
  /// The object beneath the wrapper exists: a C++ object, or host storage (none if it is on the
  /// device). It was made by the program of this generation.
  virtual void built(ThingId thing, harness::BirthId object, std::uint32_t generation) = 0;
  /// A variable, a member, a frame or a cycle refers to it, or no longer does.
  virtual void referred(ThingId thing) = 0;
  virtual void dropped(ThingId thing) = 0;
  /// The thing dies: no reference is left, not even one of the policy.
  virtual void ended(ThingId thing) = 0;
  /// The member now refers to `value`. Member 0 is the nested pack, 1 the array or the gradient.
  virtual void attached(ThingId thing, std::size_t member, ThingId value) = 0;
  /// The variable now refers to the thing, or to none.
  virtual void stored(Variable variable, ThingId thing) = 0;
};

/// Facts about values: assignments, and storage.
class ValueFacts {
 public:
  virtual ~ValueFacts() = default;

  /// The script has assigned a value. written() follows once device memory holds it.
  virtual void assigned(ThingId thing, std::int64_t value) = 0;
  virtual void written(ThingId thing, std::int64_t value) = 0;
  /// Its storage was resized: the new storage has the initial elements.
  virtual void moved(ThingId thing) = 0;
  /// A resize was refused because the storage is exported.
  virtual void kept_in_place(ThingId thing) = 0;
  /// Elements read by to_numpy(), as words.
  virtual void contents(ThingId array, std::span<const std::int32_t> words) = 0;
};

/// Facts about contexts, from the setting of arguments to the kernel's results.
class LaunchFacts {
 public:
  virtual ~LaunchFacts() = default;

  /// The current task begins or ends setting the arguments of a launch. launching() implies the
  /// end, too.
  virtual void setting_began() = 0;
  virtual void setting_ended() = 0;
  virtual void bound(ThingId context, Place place, ThingId thing) = 0;
  virtual void scalar_set(ThingId context, std::int64_t value) = 0;
  /// compile_kernel() begins in the program of this generation. It may be refused.
  virtual void compiling(ThingId context, std::uint32_t generation) = 0;
  virtual void compiled(ThingId context) = 0;
  /// A call is about to launch, but the variable from which it got its pack now refers to something
  /// else.
  virtual void argument_renamed(Variable pack) = 0;
  /// launch_kernel() begins in the program of this generation, which may have ended. It may be
  /// refused.
  virtual void launching(ThingId context, std::uint32_t generation) = 0;
  /// A kernel was submitted or recorded with everything that is bound.
  virtual void submitted(ThingId context) = 0;
  /// The device has finished all work submitted so far.
  virtual void finished() = 0;
  /// The result in the copy was copied back to the array itself.
  virtual void copied_back(ThingId context) = 0;
  /// The kernel's results have reached the host. For each thread: the words of the pack, of the
  /// array, of the external array's input, and of its output.
  virtual void read(ThingId context, std::span<const std::int32_t> words) = 0;
};

/// Receives all facts.
class Observer : public ProgramFacts, public ThingFacts, public ValueFacts, public LaunchFacts {};

}  // namespace targets::argpack
