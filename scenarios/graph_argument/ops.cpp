// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and a call, both of which are in this file. A
// call chooses its arguments and passes them to the path.
#include "scenarios/graph_argument/player.h"

namespace scenarios::graph_argument {
namespace {

using harness::Slot;
using targets::graph_argument::Condition;
using targets::graph_argument::FinalizerAction;
using targets::graph_argument::kBranchCount;
using targets::graph_argument::Kernel;
using targets::graph_argument::Status;

// ---- when --------------------------------------------------------------------------------------

bool always(const Situation&) { return true; }
bool has_any(const Situation& now) { return now.census.all() != 0; }
bool has_buffer(const Situation& now) { return now.census.buffers != 0; }
bool has_two_buffers(const Situation& now) { return several(now.census.buffers); }
bool has_module(const Situation& now) { return now.census.modules != 0; }
bool has_buffer_and_module(const Situation& now) { return has_buffer(now) && has_module(now); }
bool has_event(const Situation& now) { return now.census.events != 0; }
bool has_launch(const Situation& now) { return now.launched; }

bool has_definition(const Situation& now) { return now.census.definitions != 0; }
bool has_two_definitions(const Situation& now) { return several(now.census.definitions); }
bool has_definition_and_buffer(const Situation& now) {
  return has_definition(now) && has_buffer(now);
}
bool has_definition_and_event(const Situation& now) {
  return has_definition(now) && has_event(now);
}
bool has_definition_and_module(const Situation& now) {
  return has_definition(now) && has_module(now);
}

bool has_node(const Situation& now) { return now.census.nodes != 0; }
bool has_child_node(const Situation& now) { return now.census.child_nodes != 0; }
bool has_conditional_node(const Situation& now) { return now.census.conditional_nodes != 0; }
bool can_add_kernel(const Situation& now) {
  return has_definition(now) && has_buffer_and_module(now);
}
bool can_add_memcpy(const Situation& now) { return has_definition(now) && has_two_buffers(now); }
bool can_add_free(const Situation& now) {
  return has_definition(now) && now.census.allocation_nodes != 0;
}
bool can_add_scratch(const Situation& now) {
  return can_add_free(now) && has_buffer_and_module(now);
}
bool has_node_and_buffer(const Situation& now) {
  return now.census.kernel_nodes != 0 && has_buffer(now);
}
bool can_set_params(const Situation& now) {
  return now.api.changes_nodes && has_node_and_buffer(now);
}
bool can_clone(const Situation& now) { return now.api.clones && has_definition(now); }
bool can_move_deallocation(const Situation& now) {
  return now.api.moves_deallocation && has_buffer(now);
}

bool has_graph(const Situation& now) { return now.census.graphs != 0; }
bool can_update(const Situation& now) { return has_graph(now) && has_definition(now); }
bool can_update_node(const Situation& now) {
  return now.api.changes_executables && has_graph(now) && has_node_and_buffer(now);
}

bool has_builder(const Situation& now) { return now.census.builders != 0; }
bool has_launch_or_builder(const Situation& now) { return has_launch(now) || has_builder(now); }
bool can_complete(const Situation& now) { return now.census.builders != now.census.capturing; }
bool can_launch_captured(const Situation& now) {
  return now.census.capturing != 0 && has_buffer_and_module(now);
}

// ---- objects -----------------------------------------------------------------------------------

Status allocate(Player& player, const Situation&, const Slot& slot) {
  const Variable into = player.choose().place(slot, kBufferVariables);
  return player.path().objects.allocate(into, player.choose().stream(), value_of(slot));
}

Status close_buffer(Player& player, const Situation& now, const Slot&) {
  return player.path().objects.close_buffer(player.choose().from(now.census.buffers));
}

Status set_deallocation_stream(Player& player, const Situation& now, const Slot&) {
  const Variable buffer = player.choose().from(now.census.buffers);
  return player.path().objects.set_deallocation_stream(buffer, player.choose().stream());
}

Status link_buffers(Player& player, const Situation& now, const Slot&) {
  const Variable from = player.choose().from(now.census.buffers);
  return player.path().objects.link(from, player.choose().from(now.census.buffers & ~bit(from)));
}

Status load_module(Player& player, const Situation&, const Slot& slot) {
  return player.path().objects.load_module(player.choose().place(slot, kModuleVariables));
}

Status create_event(Player& player, const Situation&, const Slot& slot) {
  return player.path().objects.create_event(player.choose().place(slot, kEventVariables));
}

Status close_event(Player& player, const Situation& now, const Slot&) {
  return player.path().objects.close_event(player.choose().from(now.census.events));
}

Status record(Player& player, const Situation& now, const Slot&) {
  const Variable event = player.choose().from(now.census.events);
  return player.path().objects.record(event, player.choose().stream());
}

Status close_stream(Player& player, const Situation&, const Slot&) {
  return player.path().objects.close_stream();
}

// ---- definitions and nodes ---------------------------------------------------------------------

Status create_definition(Player& player, const Situation&, const Slot& slot) {
  return player.path().definitions.create_definition(
      player.choose().place(slot, kDefinitionVariables));
}

Status add_kernel(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  const Variable module = choose.from(now.census.modules);
  const auto kernel = static_cast<Kernel>(choose.number(targets::graph_argument::kKernelCount));
  const Variable first = choose.from(now.census.buffers);
  return player.path().nodes.add_kernel(into, definition, module, kernel, first,
                                        choose.from(now.census.buffers));
}

Status add_memcpy(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  const Variable target = choose.from(now.census.buffers);
  return player.path().nodes.add_memcpy(into, definition, target,
                                        choose.from(now.census.buffers & ~bit(target)));
}

Status add_memset(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  return player.path().nodes.add_memset(into, definition, choose.from(now.census.buffers),
                                        value_of(slot));
}

Status add_record(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  const Variable event = choose.from(now.census.events);
  return player.path().nodes.add_record(into, definition, event);
}

Status add_wait(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  const Variable event = choose.from(now.census.events);
  return player.path().nodes.add_wait(into, definition, event);
}

Status add_callback(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = player.choose().place_node(slot);
  return player.path().nodes.add_callback(
      into, player.choose().from(now.census.definitions | now.census.nodes));
}

Status add_child(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  return player.path().definitions.add_child(
      into, definition, choose.from(now.census.definitions & ~bit(definition)));
}

Status get_child(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = player.choose().place(slot, kDefinitionVariables);
  return player.path().definitions.get_child(into, player.choose().from(now.census.child_nodes));
}

Status set_params(Player& player, const Situation& now, const Slot&) {
  Chooser& choose = player.choose();
  const Variable node = choose.from(now.census.nodes, now.census.kernel_nodes);
  const Variable first = choose.from(now.census.buffers);
  return player.path().nodes.set_params(node, first, choose.from(now.census.buffers));
}

Status destroy_node(Player& player, const Situation& now, const Slot&) {
  return player.path().nodes.destroy_node(player.choose().from(now.census.nodes));
}

Status clone_definition(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = player.choose().place(slot, kDefinitionVariables);
  return player.path().definitions.clone(into, player.choose().from(now.census.definitions));
}

Status set_attribute(Player& player, const Situation& now, const Slot&) {
  const Variable buffer = player.choose().from(now.census.buffers);
  return player.path().objects.set_attribute(buffer, player.choose().from(now.census.definitions));
}

// ---- graphs ------------------------------------------------------------------------------------

Status instantiate(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = player.choose().place(slot, kGraphVariables);
  return player.path().executables.instantiate(into, player.choose().from(now.census.definitions));
}

Status upload(Player& player, const Situation& now, const Slot&) {
  const Variable graph = player.choose().from(now.census.graphs);
  return player.path().executables.upload(graph, player.choose().stream());
}

Status launch(Player& player, const Situation& now, const Slot&) {
  const Variable graph = player.choose().from(now.census.graphs);
  return player.path().executables.launch(graph, player.choose().stream());
}

/// Calls `change` with a graph that no other task changes. One thread at a time may use an
/// executable (CUDA programming guide, graphs). The script ensures this; cuda.core does not.
template <class Change>
Status change_graph(Player& player, const Situation& now, Change change) {
  const Variables graphs = now.census.graphs & ~player.changed_by_others(now.census.graphs);
  return graphs != 0 ? change(player.choose().from(graphs)) : Status::ok;
}

Status update_node(Player& player, const Situation& now, const Slot&) {
  return change_graph(player, now, [&](Variable graph) {
    Chooser& choose = player.choose();
    const Variable node = choose.from(now.census.nodes, now.census.kernel_nodes);
    const Variable first = choose.from(now.census.buffers);
    const Variable second = choose.from(now.census.buffers);
    return player.path().executables.update_node(graph, node, first, second);
  });
}

Status update(Player& player, const Situation& now, const Slot&) {
  return change_graph(player, now, [&](Variable graph) {
    const Variable definition = player.choose().from(now.census.definitions);
    return player.path().executables.update(graph, definition);
  });
}

Status close_graph(Player& player, const Situation& now, const Slot&) {
  return player.path().executables.close_graph(player.choose().from(now.census.graphs));
}

// ---- variables ---------------------------------------------------------------------------------

Status alias(Player& player, const Situation& now, const Slot& slot) {
  const Variable from = player.choose().from(now.census.all());
  return player.path().globals.alias(player.choose().place(slot, siblings(from)), from);
}

Status drop(Player& player, const Situation& now, const Slot&) {
  return player.path().globals.drop(player.choose().to_drop(now.census.all()));
}

Status make_cycle(Player& player, const Situation& now, const Slot&) {
  return player.path().globals.make_cycle(player.choose().from(now.census.all()));
}

Status plant(Player& player, const Situation& now, const Slot&) {
  const auto action = static_cast<FinalizerAction>(
      player.choose().number(targets::graph_argument::kFinalizerActionCount));
  return player.path().globals.plant(action, player.choose().from(now.census.buffers));
}

Status collect(Player& player, const Situation&, const Slot&) {
  return player.path().process.collect(2 - player.choose().number(3));
}

// ---- the process -------------------------------------------------------------------------------

Status synchronize(Player& player, const Situation&, const Slot&) {
  return player.path().process.synchronize(player.choose().stream());
}

Status flood(Player& player, const Situation&, const Slot&) {
  return player.path().process.flood_pending_calls();
}

// ---- builders ----------------------------------------------------------------------------------

Status begin_building(Player& player, const Situation&, const Slot& slot) {
  return player.path().builders.begin_building(player.choose().place(slot, kBuilderVariables));
}

Status launch_captured(Player& player, const Situation& now, const Slot&) {
  Chooser& choose = player.choose();
  const Variable builder = choose.from(now.census.capturing);
  const Variable module = choose.from(now.census.modules);
  return player.path().builders.launch_captured(builder, module, choose.from(now.census.buffers));
}

Status end_building(Player& player, const Situation& now, const Slot&) {
  return player.path().builders.end_building(
      player.choose().from(now.census.builders, now.census.capturing));
}

Status complete(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = player.choose().place(slot, kGraphVariables);
  return player.path().builders.complete(
      into, player.choose().from(now.census.builders & ~now.census.capturing));
}

Status synchronize_device(Player& player, const Situation&, const Slot&) {
  return player.path().process.synchronize_device();
}

// ---- branches, and memory of graphs ------------------------------------------------------------

Status add_conditional(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  const auto condition =
      static_cast<Condition>(choose.number(targets::graph_argument::kConditionCount));
  const std::uint32_t branch = choose.number(kBranchCount);
  return player.path().definitions.add_conditional(into, definition, condition, branch,
                                                   choose.from(now.census.modules));
}

Status get_branch(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place(slot, kDefinitionVariables);
  const Variable node = choose.from(now.census.conditional_nodes);
  return player.path().definitions.get_branch(into, node, choose.number(kBranchCount));
}

Status add_alloc(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = player.choose().place_node(slot);
  return player.path().nodes.add_alloc(
      into, player.choose().from(now.census.definitions | now.census.nodes));
}

Status add_free(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  return player.path().nodes.add_free(into, definition, choose.from(now.census.allocation_nodes));
}

Status add_scratch(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place_node(slot);
  const Variable definition = choose.from(now.census.definitions | now.census.nodes);
  const Variable module = choose.from(now.census.modules);
  const Variable node = choose.from(now.census.allocation_nodes);
  return player.path().nodes.add_scratch(into, definition, module, node,
                                         choose.from(now.census.buffers));
}

// ---- the table ----------------------------------------------------------------------------------

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, applies, call) {#name, applies, call},
#include "scenarios/graph_argument/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::graph_argument
