// SPDX-License-Identifier: Apache-2.0
// Attempt: one call of the path's interface while it runs, and the circumstances during the call.
//
// Other tasks run during a call. So a result is allowed if its condition held at some time between
// call and return, and it is required if the condition held all the time.
#pragma once

#include "harness/run/scenario/ops.h"
#include "scenarios/argpack/model.h"
#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {

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

/// Effects of an op with the result ok, as facts; one bit each.
enum Deed : std::uint32_t {
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
Deeds deeds_of(Op op, bool returns);

/// Lifetime: on the stack of the call.
struct Attempt {
  Op op;
  std::array<Watch, 3> watches{};  ///< For set_nested: the parent at its depth, then the child.
  bool returns = false;            ///< It waits for a value.
  Cases given = 0;                 ///< Conditions known from its arguments.
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
};

/// Returns the conditions that hold now, for everything that its variables refer to or did.
Cases cases_of(Attempt& attempt, const Model& model);

/// A result other than ok, and when it is allowed or required, as precisely as the model can tell.
struct Refusal {
  harness::Ops ops;
  targets::argpack::Status status;
  Cases due;              ///< One of these must have held.
  Cases required = 0;     ///< If one of these holds all the time, ok is not allowed.
  bool protects = false;  ///< Required only of variants that claim to be sound.
  std::string_view reason;
};
std::span<const Refusal> refusals();

}  // namespace scenarios::argpack
