// SPDX-License-Identifier: Apache-2.0
// Records: what a script has, as the model knows it: things, graphs, executables, launches, and
// what wrappers wrap.
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
/// The device does it, and says when it is done.
constexpr bool is_device_work(Work work) { return work <= Work::set; }
inline constexpr std::size_t kDeviceWorkCount = harness::raw(Work::set) + std::size_t{1};

/// A buffer, a module or an event.
struct Thing {
  Wrapper wrapper = Wrapper::none;
  Kind kind;
  std::int32_t value = 0;                          ///< A buffer's first element.
  harness::BirthId life = harness::BirthId::none;  ///< Its memory, library or event.
  StreamName stream = StreamName::first;           ///< Memory: where it is going to be freed.
  bool closed = false;
  ModelGraph* attribute = nullptr;  ///< buffer.graph
  std::pmr::vector<Thing*> next;  ///< Things that its block's `next` points at, or has pointed at.
};

/// A node with the parameters of one call.
struct ModelNode {
  Work work;
  std::uint32_t serial = 0;   ///< The same node in a definition, its clones and its executables.
  std::uint32_t made_by = 0;  ///< The call.
  std::size_t after = 0;      ///< The place in its graph, from 1, of the one that it waits for.
  std::array<Thing*, 2> things{};
  Thing* helper = nullptr;  ///< A module or an event.
  std::int32_t value =
      0;  ///< Value that a set writes; which of its bodies a conditional node runs.
  std::array<ModelGraph*, targets::graph_argument::kBranchCount> bodies{};
  const ModelGraph* home = nullptr;  ///< In an executable: the graph that its own node is in.
  /// In an executable: how many of the nodes before it are inside of each of its bodies.
  std::array<std::size_t, targets::graph_argument::kBranchCount> inside{};
  bool idle = false;    ///< In an executable: in a branch that does not run.
  bool looped = false;  ///< In an executable: in a loop, whose value others may set.

  /// In an executable. A child's copy of the node has its serial, too.
  bool is(std::uint32_t its_serial, const ModelGraph* its_home) const {
    return serial == its_serial && home == its_home;
  }
  bool runs(std::size_t body) const {
    return !is_conditional(work) || static_cast<std::size_t>(value) == body;
  }
  /// A bare address keeps nothing, nor does what is launched into a capture.
  bool keeps_things() const { return work != Work::chase && work != Work::captured; }
  bool keeps_helper() const { return work != Work::captured; }
  bool points_into(const Thing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
};
using ModelNodes = std::pmr::vector<ModelNode>;

/// A definition, a clone, a captured graph; or what is inside of a node.
struct ModelGraph {
  ModelNodes nodes;
  ModelGraph* parent = nullptr;
  harness::BirthId life = harness::BirthId::none;  ///< Life of a root.
  bool destroyed = false;                          ///< Its node was destroyed, or one around it.
  bool changed = false;  ///< Its shape is not that of its list, as a node of it was destroyed.
  bool endless = false;  ///< A loop in it may have nothing that ends it.
  bool branch = false;   ///< It belongs to a conditional node.
  bool spoilt = false;   ///< It has a condition that no node asks.

  bool in_branch() const { return branch || (parent != nullptr && parent->in_branch()); }
  const ModelGraph& root() const { return parent != nullptr ? parent->root() : *this; }
  ModelGraph& root() { return parent != nullptr ? parent->root() : *this; }
};

struct ModelExec {
  ModelNodes nodes;                    ///< Flat.
  ModelNodes given;                    ///< Updates of single nodes, since the last of all.
  const ModelGraph* source = nullptr;  ///< Graph that it was made of.
  harness::BirthId life = harness::BirthId::none;
  std::uint32_t made_by = 0;
  /// The last whole update, and those that failed since.
  std::pmr::vector<std::uint32_t> updated_by;
  bool closed = false;
  bool changed = false;   ///< It differs from the graph that it was made of.
  bool in_doubt = false;  ///< It may have been updated: it has the nodes of before, and those too.
};

struct ModelLaunch {
  ModelNodes nodes;
  ModelNodes given;
  std::pmr::vector<std::uint32_t> calls;  ///< That made and updated its executable.
  StreamName stream;
  harness::TaskId task;
  bool finished = false;
  std::uint32_t finished_in = 0;  ///< Which wait said so.
};

/// The thing in a wrapper.
struct Wrapped {
  Wrapper wrapper = Wrapper::none;
  Kind kind = Kind::nothing;
  Thing* thing = nullptr;
  ModelGraph* graph = nullptr;  ///< Graph of a definition, a node, or a builder.
  ModelExec* exec = nullptr;
  std::uint32_t serial = 0;  ///< A node's.
  Work work = Work::add_one;
  Thing* module = nullptr;  ///< A kernel node's module: the wrapper has it, too.
  std::array<ModelGraph*, targets::graph_argument::kBranchCount> bodies{};  ///< A node's.
  bool destroyed = false;
  bool capturing = false;
  bool ended = false;  ///< A capture, well.
  bool invalidated = false;
  harness::BirthId stream = harness::BirthId::none;  ///< A builder's.
  std::uint32_t variable_count = 0;                  ///< Number of variables that hold it.
};

/// Returns what a node points into. A kernel that takes one buffer has the second for nothing.
std::array<Thing*, 2> things_of(Work work, const Wrapped& first, const Wrapped& second);

/// Finds the node in the graph; null if there is none.
ModelNode* find(ModelGraph& graph, std::uint32_t serial);
/// Returns whether a node was destroyed, in the graph or inside of it.
bool has_changed(const ModelGraph& graph);
/// Adds the nodes of the graph, and before each what is inside of it.
void flatten(const ModelGraph& graph, ModelNodes& into, bool idle = false, bool looped = false);

}  // namespace scenarios::graph_argument
