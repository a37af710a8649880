// SPDX-License-Identifier: Apache-2.0
// Variables: the script's globals, each for one kind of object, so that every op finds fitting
// arguments, and deleting an op leaves the arguments of the others unchanged.
#pragma once

#include <bit>
#include <cstdint>

#include "harness/run/scenario/unwatched.h"
#include "targets/graph_argument/graph_argument.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Variable;

/// A set of variables, one bit each.
using Variables = std::uint32_t;

constexpr Variables bit(Variable variable) { return Variables{1} << variable; }

constexpr Variables range(Variable first, std::uint32_t count) {
  return ((Variables{1} << count) - 1) << first;
}

// Objects made before the script starts; two buffers.
inline constexpr Variable kFirstBuffer = 0;
inline constexpr Variable kFirstModule = 5;
inline constexpr Variable kFirstDefinition = 9;
inline constexpr Variable kLastGraph = targets::graph_argument::kVariableCount - 1;

/// Values of different slots' buffers differ by more than a block's elements.
inline constexpr std::int32_t kBlockStride = 100;
inline constexpr std::int32_t kFirstValue = kBlockStride;

inline constexpr Variables kBufferVariables = range(kFirstBuffer, 5);
inline constexpr Variables kModuleVariables = range(kFirstModule, 2);
inline constexpr Variables kEventVariables = range(7, 2);
inline constexpr Variables kDefinitionVariables = range(kFirstDefinition, 3);
inline constexpr Variables kNodeVariables = range(12, 3);
inline constexpr Variables kBuilderVariables = range(15, 2);
inline constexpr Variables kGraphVariables = range(17, 3);
inline constexpr std::array<Variables, 7> kRanges{
    kBufferVariables, kModuleVariables,  kEventVariables, kDefinitionVariables,
    kNodeVariables,   kBuilderVariables, kGraphVariables};
static_assert((kBufferVariables | kModuleVariables | kEventVariables | kDefinitionVariables |
               kNodeVariables | kBuilderVariables | kGraphVariables) ==
              range(0, targets::graph_argument::kVariableCount));

/// Returns the variables that may hold the same kind of object as `variable`.
constexpr Variables siblings(Variable variable) {
  for (const Variables kind : kRanges)
    if ((kind >> variable) & 1) return kind;
  return 0;
}

/// The contents of all variables, at one moment.
struct Census {
  Variables buffers = 0;
  Variables modules = 0;
  Variables events = 0;
  Variables definitions = 0;
  Variables nodes = 0;
  Variables kernel_nodes = 0;
  Variables child_nodes = 0;
  Variables conditional_nodes = 0;
  Variables allocation_nodes = 0;
  Variables builders = 0;
  Variables capturing = 0;
  Variables graphs = 0;

  Variables all() const {
    return buffers | modules | events | definitions | nodes | builders | graphs;
  }
};

inline Census take_census(const targets::graph_argument::GraphArgument& path) {
  // By Kind, and by NodeKind; null for kinds without a use.
  static constexpr std::array<Variables Census::*, 8> kOfKind{
      nullptr,        &Census::buffers,  &Census::modules, &Census::events, &Census::definitions,
      &Census::nodes, &Census::builders, &Census::graphs};
  static constexpr std::array<Variables Census::*, 5> kOfNodeKind{
      nullptr, &Census::kernel_nodes, &Census::child_nodes, &Census::conditional_nodes,
      &Census::allocation_nodes};
  const harness::Unwatched look;
  Census census;
  for (Variable v = 0; v < targets::graph_argument::kVariableCount; ++v) {
    const auto kind = path.globals.kind(v);
    if (kind == targets::graph_argument::Kind::nothing) continue;
    census.*kOfKind[harness::raw(kind)] |= bit(v);
    if (path.globals.is_capturing(v)) census.capturing |= bit(v);
    const auto nodes = kOfNodeKind[harness::raw(path.globals.node_kind(v))];
    if (nodes != nullptr) census.*nodes |= bit(v);
  }
  return census;
}

}  // namespace scenarios::graph_argument
