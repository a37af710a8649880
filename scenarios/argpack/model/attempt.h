// SPDX-License-Identifier: Apache-2.0
// Attempt: one call of the path's interface while it runs, and the circumstances during the call.
//
// Other tasks run during a call. So a result is allowed if its condition held at some time between
// call and return, and it is required if the condition held all the time.
#pragma once

#include <optional>

#include "scenarios/argpack/model/records.h"
#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {

// ---- an op, as its row in ops.def describes it --------------------------------------------------

/// Meaning of an argument to the judge.
enum class Role : std::uint8_t {
  other,     ///< Nothing depends on it. A variable that gets a new object is one.
  used,      ///< A variable that the op loads.
  level,     ///< Nesting level in the pack that the op loads first, which must be deep enough.
  depth,     ///< Depth of the pack that the op makes.
  value,     ///< Value that the op assigns.
  planted,   ///< Value that a finalizer may assign later, and the next ones to nested packs.
  returns,   ///< Whether it waits for a value.
  too_many,  ///< Whether it passes one argument too many.
};

/// The rows of arguments.def.
enum class Argument : std::uint8_t {
#define ARGUMENT(name, role, choice) name,
#include "scenarios/argpack/arguments.def"
};
inline constexpr auto kRoles = std::to_array<Role>({
#define ARGUMENT(name, role, choice) Role::role,
#include "scenarios/argpack/arguments.def"
});

inline constexpr std::size_t kArgumentLimit = 5;
/// The arguments of an op.
struct ArgumentList {
  std::array<Argument, kArgumentLimit> of{};
  std::size_t count;

  template <class... Given>
  constexpr explicit ArgumentList(Given... given) : of{given...}, count(sizeof...(given)) {}
};
/// Their values, in the same order.
using Values = std::array<std::uint32_t, kArgumentLimit>;

/// Things that an op uses and may be refused for, one bit each.
enum Use : std::uint32_t {
  kUsesNothing = 0,
  kNames = 1,      ///< Variables, which may be empty.
  kMember = 2,     ///< A member of a pack, at a level that it may not have.
  kObject = 4,     ///< A pack or an array, which it binds, writes or reads.
  kContext = 8,    ///< A launch context.
  kLaunches = 16,  ///< A launch context that it launches.
  kCalls = 32,     ///< A context that it makes and launches itself.
  kStorage = 64,   ///< Storage that it moves.
  kGradient = 128  ///< The gradient of the array that it binds, which it binds, too.
};
using Uses = std::uint32_t;

/// Effects of an op with the result ok, as facts; one bit each.
enum Deed : std::uint32_t {
  kUnseen = 0,  ///< No fact reports it.
  kStored = 1,
  kWritten = 2,
  kAttached = 4,
  kMoved = 8,
  kContents = 16,
  kBound = 32,
  kScalar = 64,
  kCompiled = 128,
  kSubmitted = 256,
  kRead = 512,
  kFinished = 1024,
  kBegan = 2048,
};
using Deeds = std::uint32_t;

struct OpTraits {
  ArgumentList arguments;
  Uses uses;
  Deeds effects;
};
inline constexpr auto kTraits = [] {
  using enum Argument;
  return std::to_array<OpTraits>({
#define OP(name, condition, call, function, arguments, uses, effects) \
  {ArgumentList arguments, uses, effects},
#include "scenarios/argpack/ops.def"
  });
}();
constexpr const OpTraits& traits_of(Op op) { return kTraits[harness::raw(op)]; }

// ---- one call -----------------------------------------------------------------------------------

/// Conditions that can hold when an op is tried, one bit each.
enum Case : std::uint32_t {
  kEmpty = 1,          ///< One of its variables is empty.
  kMisfit = 2,         ///< Its pack is not as deep as the op requires.
  kNoProgram = 4,      ///< There is no program.
  kReset = 8,          ///< The program ended after the op had begun.
  kStale = 16,         ///< An object that it uses, or a member of one, is of an earlier program.
  kTooMany = 32,       ///< It passes one argument too many.
  kUnbound = 64,       ///< Its context lacks a pack, or was not compiled.
  kHeld = 128,         ///< Its external array is bound to a context, or used by a launch.
  kSpent = 256,        ///< Its context was already launched.
  kInvalid = 512,      ///< Its context was made by an earlier program.
  kInjected = 1024,    ///< An error was injected into one of its calls.
  kStaleRoot = 2048,   ///< An object that it uses is itself of an earlier program.
  kExported = 4096,    ///< Its external array is bound to a context that has not been launched.
  kBindsStale = 8192,  ///< Its context binds an object of an earlier program.
};
using Cases = std::uint32_t;

/// A variable that is an argument of the op.
struct Watch {
  Variable variable = targets::argpack::kNothing;
  std::uint32_t depth = 0;  ///< Depth that the op requires of a pack.
  /// Things that it referred to during the op, one of which the op has loaded.
  std::array<const Thing*, 4> met{};

  void meet(const Thing* thing) {
    const auto place = std::find_if(met.begin(), met.end() - 1, [&](const Thing* known) {
      return known == nullptr || known == thing;
    });
    *place = thing;
  }
};

/// Lifetime: on the stack of the call.
struct Attempt {
  Op op;
  std::array<Watch, 3> watches{};  ///< For set_nested: the parent at its depth, then the child.
  std::size_t watch_count = 0;
  std::optional<std::int64_t> planted;  ///< Value that a finalizer may assign later.
  bool returns = false;                 ///< It waits for a value.
  Cases given = 0;                      ///< Conditions known from its arguments.
  /// Value that the scenario assigns with it. Packs of this depth get it, and each nested pack gets
  /// one more.
  std::int64_t value = 0;
  std::uint32_t made_depth = 0;  ///< 0 if it makes no pack of a known depth.

  // ---- filled in when it begins ----
  Serial began = 0;
  harness::Name activation = 0;
  std::size_t first_event = 0;
  Cases at_begin = 0;
  Cases seen = 0;                     ///< Conditions that held at some time.
  bool disturbed = false;             ///< Another task changed the conditions.
  bool alone = false;                 ///< No other op was running when it began.
  bool idle = false;                  ///< It is a launch that found the device idle.
  const Context* launched = nullptr;  ///< The last context that it launched.
  std::uint32_t answered = 0;         ///< Number of launches before it.
  Deeds done = 0;

  bool uses(Uses things) const { return (traits_of(op).uses & things) != 0; }
  /// Returns the effects that are due if its result is ok.
  Deeds due() const {
    const Deeds effects = traits_of(op).effects;
    return effects | (returns && (effects & kSubmitted) != 0 ? kRead | kFinished : Deeds{0});
  }

  /// Notes an argument of its call.
  void take(Role role, std::uint32_t argument) {
    if (role == Role::used) watches[watch_count++].variable = argument;
    if (role == Role::level) watches[0].depth = argument + 1;
    if (role == Role::depth) made_depth = argument;
    if (role == Role::value) value = argument;
    if (role == Role::planted) planted = argument;
    if (role == Role::returns) returns = argument != 0;
    if (role == Role::too_many && argument != 0) given = kTooMany;
  }
};

/// Returns the attempt of an op that is about to be called with these arguments.
inline Attempt attempt_of(Op op, const Values& values) {
  Attempt attempt{.op = op};
  const ArgumentList& arguments = traits_of(op).arguments;
  for (std::size_t i = 0; i < arguments.count; ++i)
    attempt.take(kRoles[harness::raw(arguments.of[i])], values[i]);
  return attempt;
}

}  // namespace scenarios::argpack
