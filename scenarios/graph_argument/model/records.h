// SPDX-License-Identifier: Apache-2.0
// Records: the state of a script in the model: things, graphs, executables, launches, and the
// contents of wrappers.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/graph_argument/call.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Contents;
using targets::graph_argument::Kind;
using targets::graph_argument::Work;

struct ModelGraph;

harness::Label to_label(Work work);
/// Returns whether the device executes it and reports its end.
constexpr bool is_device_work(Work work) { return work <= Work::set; }
inline constexpr std::size_t kDeviceWorkCount = harness::raw(Work::set) + std::size_t{1};

/// A buffer, a module or an event.
struct Thing {
  Wrapper wrapper = Wrapper::none;
  Kind kind;
  std::int32_t value = 0;                          ///< First element of a buffer.
  harness::BirthId life = harness::BirthId::none;  ///< Memory, library or event.
  StreamName stream = StreamName::first;           ///< Memory: stream on which it will be freed.
  bool closed = false;
  ModelGraph* attribute = nullptr;  ///< buffer.graph
  std::pmr::vector<Thing*> next;    ///< Things to which its block's `next` points, or pointed.
};

/// A node with its parameters at one time.
struct ModelNode {
  Work work;
  std::uint32_t serial = 0;   ///< Same in a definition, its clones and its executables.
  std::uint32_t made_by = 0;  ///< Number of the call.
  std::size_t after = 0;      ///< Position in its graph, from 1, of the node it depends on.
  std::array<Thing*, 2> things{};
  Thing* helper = nullptr;  ///< A module or an event.
  std::int32_t value =
      0;  ///< Value of a set; for a conditional node, the index of the body that runs.
  std::array<ModelGraph*, targets::graph_argument::kBranchCount> bodies{};
  const ModelGraph* home = nullptr;  ///< In an executable: graph that has the original node.
  /// In an executable: number of preceding nodes that are inside each of its bodies.
  std::array<std::size_t, targets::graph_argument::kBranchCount> inside{};
  bool idle = false;    ///< In an executable: part of a branch that does not run.
  bool looped = false;  ///< In an executable: part of a loop, whose value others may set.

  /// In an executable, compares the home, too: a child's copy of the node has the same serial.
  bool is(std::uint32_t its_serial, const ModelGraph* its_home) const {
    return serial == its_serial && home == its_home;
  }
  bool runs(std::size_t body) const {
    return !is_conditional(work) || static_cast<std::size_t>(value) == body;
  }
  /// Bare addresses keep nothing alive, nor do captured launches.
  bool keeps_things() const { return work != Work::chase && work != Work::captured; }
  bool keeps_helper() const { return work != Work::captured; }
  bool points_into(const Thing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
};
using ModelNodes = std::pmr::vector<ModelNode>;

/// A definition, a clone, a captured graph, or a graph inside a node.
struct ModelGraph {
  ModelNodes nodes;
  ModelGraph* parent = nullptr;
  harness::BirthId life = harness::BirthId::none;  ///< For a root.
  bool destroyed = false;                          ///< Its node, or an outer one, was destroyed.
  bool changed = false;  ///< A node was destroyed, so its shape differs from this list.
  bool endless = false;  ///< It may have a loop that never ends.
  bool branch = false;   ///< It belongs to a conditional node.
  bool spoilt = false;   ///< It has a condition without a node.

  bool in_branch() const { return branch || (parent != nullptr && parent->in_branch()); }
  const ModelGraph& root() const { return parent != nullptr ? parent->root() : *this; }
  ModelGraph& root() { return parent != nullptr ? parent->root() : *this; }
};

struct ModelExec {
  ModelNodes nodes;                    ///< All nodes, flat.
  ModelNodes given;                    ///< Updates of single nodes since the last whole update.
  const ModelGraph* source = nullptr;  ///< Graph that it was instantiated from.
  harness::BirthId life = harness::BirthId::none;
  std::uint32_t made_by = 0;
  /// Call of the last whole update, and those that failed since.
  std::pmr::vector<std::uint32_t> updated_by;
  bool closed = false;
  bool changed = false;   ///< It differs from its source graph.
  bool in_doubt = false;  ///< It may have been updated, so it has the old and the new nodes.
};

struct ModelLaunch {
  ModelNodes nodes;
  ModelNodes given;
  std::pmr::vector<std::uint32_t> calls;  ///< Calls that made and updated its executable.
  StreamName stream;
  harness::TaskId task;
  bool finished = false;
  std::uint32_t finished_in = 0;  ///< Number of the wait that reported it.
};

/// A wrapper and its content.
struct Wrapped {
  Wrapper wrapper = Wrapper::none;
  Kind kind = Kind::nothing;
  Thing* thing = nullptr;
  ModelGraph* graph = nullptr;  ///< For a definition, a node or a builder.
  ModelExec* exec = nullptr;
  std::uint32_t serial = 0;  ///< Serial of a node.
  Work work = Work::add_one;
  Thing* module = nullptr;  ///< For a kernel node: its module, which the wrapper also holds.
  std::array<ModelGraph*, targets::graph_argument::kBranchCount> bodies{};  ///< For a node.
  bool destroyed = false;
  bool capturing = false;
  bool ended = false;  ///< A builder has ended its capture successfully.
  bool invalidated = false;
  harness::BirthId stream = harness::BirthId::none;  ///< For a builder.
  std::uint32_t variable_count = 0;                  ///< Number of variables that hold it.
};

/// Returns the things that a node points into. A kernel with one buffer ignores the second.
std::array<Thing*, 2> things_of(Work work, const Wrapped& first, const Wrapped& second);

/// Finds the node in the graph; null if there is none.
ModelNode* find(ModelGraph& graph, std::uint32_t serial);
/// Returns whether a node in the graph, or inside it, was destroyed.
bool has_changed(const ModelGraph& graph);
/// Appends the nodes of the graph, each preceded by the nodes inside it.
void flatten(const ModelGraph& graph, ModelNodes& into, bool idle = false, bool looped = false);

}  // namespace scenarios::graph_argument
