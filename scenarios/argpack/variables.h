// SPDX-License-Identifier: Apache-2.0
// Variables: the script's globals, each for one kind of object, so that every op finds fitting
// arguments, and deleting an op leaves the arguments of the others unchanged.
#pragma once

#include <bit>
#include <cstdint>

#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

using targets::argpack::Kind;
using targets::argpack::Variable;

/// A set of variables, one bit each.
using Variables = std::uint32_t;

constexpr Variables bit(Variable variable) { return Variables{1} << variable; }

constexpr Variables range(Variable first, std::uint32_t count) {
  return ((Variables{1} << count) - 1) << first;
}

inline constexpr Variables kPackVariables = range(0, 5);
inline constexpr Variables kArrayVariables = range(5, 3);
inline constexpr Variables kExternalVariables = range(8, 2);
inline constexpr Variables kContextVariables = range(10, 2);
static_assert((kPackVariables | kArrayVariables | kExternalVariables | kContextVariables) ==
              range(0, targets::argpack::kVariableCount));

/// Returns the variables that may hold the same kind of object as `variable`.
constexpr Variables siblings(Variable variable) {
  for (const Variables kind : {kPackVariables, kArrayVariables, kExternalVariables})
    if ((kind >> variable) & 1) return kind;
  return kContextVariables;
}

/// The contents of all variables, at one moment.
struct Census {
  Variables packs = 0;
  Variables deep = 0;  ///< Packs with a nested one.
  Variables arrays = 0;
  Variables externals = 0;
  Variables contexts = 0;
  Variables stale = 0;  ///< Packs and arrays from before a reset, or with a member from before.

  Variables all() const { return packs | arrays | externals | contexts; }
};

inline Census take_census(const targets::argpack::Globals& globals) {
  Census census;
  for (Variable v = 0; v < targets::argpack::kVariableCount; ++v) {
    const Kind kind = globals.kind(v);
    if (kind == Kind::pack) census.packs |= bit(v);
    if (kind == Kind::pack && globals.depth(v) > 1) census.deep |= bit(v);
    if (kind == Kind::ndarray) census.arrays |= bit(v);
    if (kind == Kind::external) census.externals |= bit(v);
    if (kind == Kind::context) census.contexts |= bit(v);
  }
  return census;
}

}  // namespace scenarios::argpack
