// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/enabled_ops.h"

namespace scenarios::graph_argument {
namespace {

using harness::when;

/// Ops that every run needs in order to get to a launch.
constexpr Ops kShortWay = ops(Op::add_kernel, Op::instantiate, Op::launch);
constexpr Ops kWay = kShortWay | ops(Op::allocate, Op::create_definition);

/// Ops that remove something.
constexpr Ops kTakers = ops(Op::drop, Op::close_buffer, Op::close_graph, Op::make_cycle, Op::plant,
                            Op::destroy_node, Op::close_stream, Op::close_event);

constexpr std::array<Theme, 16> kThemes{{
    {.name = "everything", .favoured = ops(Op::drop, Op::launch)},
    {.name = "kernel arguments, dropped before the launch",
     .script = kWay | ops(Op::drop, Op::synchronize, Op::make_cycle, Op::plant),
     .mutator = ops(Op::drop, Op::collect, Op::alias, Op::make_cycle, Op::allocate),
     .favoured = ops(Op::drop, Op::launch),
     .dropped = kBufferVariables},
    {.name = "copies and sets",
     .script =
         kWay | ops(Op::add_memcpy, Op::add_memset, Op::drop, Op::synchronize, Op::close_buffer),
     .mutator = ops(Op::drop, Op::close_buffer, Op::collect, Op::allocate, Op::destroy_node),
     .favoured = ops(Op::add_memcpy, Op::add_memset, Op::drop, Op::launch),
     .dropped = kBufferVariables},
    {.name = "definitions that change while executables of them live",
     .script = kWay | ops(Op::set_params, Op::destroy_node, Op::drop, Op::synchronize, Op::plant),
     .mutator = ops(Op::set_params, Op::destroy_node, Op::drop, Op::launch, Op::plant),
     .favoured = ops(Op::set_params, Op::destroy_node, Op::drop, Op::launch),
     .dropped = kBufferVariables},
    {.name = "executables that are updated",
     .script = kShortWay | ops(Op::update_node, Op::update, Op::drop, Op::add_memset),
     .mutator = ops(Op::update_node, Op::drop, Op::launch),
     .favoured = ops(Op::update_node, Op::update, Op::drop, Op::launch),
     .dropped = kBufferVariables},
    {.name = "clones, and definitions that go before their executables",
     .script = kShortWay | ops(Op::clone, Op::drop, Op::add_memcpy),
     .mutator = ops(Op::drop, Op::launch),
     .favoured = ops(Op::clone, Op::drop, Op::launch),
     .dropped = kBufferVariables | kDefinitionVariables},
    {.name = "work in flight",
     .script = kWay | ops(Op::drop, Op::close_graph, Op::upload, Op::set_deallocation_stream),
     .mutator = ops(Op::drop, Op::close_graph, Op::launch, Op::synchronize, Op::allocate),
     .favoured = ops(Op::launch, Op::drop, Op::close_graph),
     .dropped = kBufferVariables},
    {.name = "children, and what belongs to them",
     .script = ops(Op::add_child, Op::get_child, Op::destroy_node, Op::add_memset,
                   Op::create_definition, Op::instantiate, Op::clone, Op::update),
     .mutator = ops(Op::destroy_node, Op::get_child, Op::add_child, Op::add_callback),
     .favoured = ops(Op::add_child, Op::get_child, Op::destroy_node, Op::create_definition),
     .dropped = kNodeVariables},
    {.name = "what CUDA's threads let go of: modules, events, functions",
     .script = kWay | ops(Op::load_module, Op::add_callback, Op::create_event, Op::add_record,
                          Op::drop, Op::close_graph),
     .mutator = ops(Op::drop, Op::collect, Op::make_cycle, Op::close_graph, Op::plant, Op::flood),
     .favoured = ops(Op::drop, Op::launch),
     .dropped = kModuleVariables | kEventVariables},
    {.name = "cycles that the collector may find in a host function",
     .script = kShortWay | ops(Op::allocate, Op::add_callback, Op::make_cycle, Op::plant, Op::drop,
                               Op::synchronize),
     .mutator = ops(Op::make_cycle, Op::plant, Op::drop, Op::launch, Op::allocate),
     .favoured = ops(Op::add_callback, Op::make_cycle, Op::plant, Op::launch),
     .dropped = kBufferVariables},
    {.name = "events and streams that are closed",
     .script = kWay | ops(Op::create_event, Op::add_record, Op::add_wait, Op::close_event,
                          Op::record, Op::close_stream, Op::drop, Op::upload),
     .mutator = ops(Op::close_event, Op::close_stream, Op::drop, Op::record),
     .favoured = ops(Op::add_record, Op::add_wait, Op::close_event, Op::record),
     .dropped = kEventVariables},
    {.name = "what is kept by the caller: closed objects, and bare addresses",
     .script = kWay | ops(Op::close_buffer, Op::link, Op::set_attribute, Op::synchronize, Op::drop),
     .mutator = ops(Op::close_buffer, Op::drop, Op::link, Op::plant),
     .favoured = ops(Op::close_buffer, Op::link, Op::set_attribute),
     .dropped = kBufferVariables},
    {.name = "pending calls are not run",
     .script = kWay | ops(Op::flood, Op::drop, Op::close_graph, Op::synchronize, Op::set_params),
     .mutator = ops(Op::flood, Op::drop, Op::close_graph, Op::set_params, Op::destroy_node),
     .favoured = ops(Op::flood, Op::drop, Op::set_params),
     .dropped = kDefinitionVariables | kNodeVariables},
    {.name = "captures: what is launched into them, and those that are invalidated",
     .script = ops(Op::begin_building, Op::launch_captured, Op::end_building, Op::complete,
                   Op::launch, Op::drop, Op::synchronize, Op::synchronize_device, Op::add_memset),
     .mutator =
         ops(Op::drop, Op::synchronize_device, Op::end_building, Op::make_cycle, Op::collect),
     .favoured = ops(Op::launch_captured, Op::end_building, Op::complete, Op::launch),
     .dropped = kBufferVariables},
    {.name = "branches: what is given to nodes in them, and branches whose node goes",
     .script = kShortWay | ops(Op::add_conditional, Op::get_branch, Op::add_memset, Op::set_params,
                               Op::destroy_node, Op::drop, Op::synchronize),
     .mutator = ops(Op::drop, Op::destroy_node, Op::set_params, Op::get_branch, Op::add_kernel,
                    Op::launch),
     .favoured = ops(Op::add_conditional, Op::get_branch, Op::drop, Op::launch),
     .dropped = kBufferVariables},
    {.name = "memory of graphs: freed too early, too late, elsewhere or never",
     .script = kShortWay | ops(Op::create_definition, Op::add_alloc, Op::add_free, Op::add_scratch,
                               Op::drop, Op::synchronize),
     .mutator = ops(Op::drop, Op::add_scratch, Op::add_free, Op::launch),
     .favoured = ops(Op::add_alloc, Op::add_free, Op::add_scratch, Op::launch),
     .dropped = kBufferVariables},
}};

}  // namespace

Ops wanted(const Situation& now) {
  const Census& census = now.census;
  if (census.graphs != 0) return 0;  // Later slots are for the run's own theme.
  return when(census.buffers == 0, ops(Op::allocate)) |
         when(census.modules == 0, ops(Op::load_module)) |
         when(census.definitions == 0, ops(Op::create_definition)) |
         when(!now.added, ops(Op::add_kernel)) | when(now.added, ops(Op::instantiate));
}

Ops redundant(const Situation& now, bool several_definitions) {
  const auto enough = [](Variables variables) { return std::popcount(variables) > 2; };
  const bool two_definitions = several(now.census.definitions);
  const bool defined = now.census.definitions != 0;
  return when(enough(now.census.buffers), ops(Op::allocate)) |
         when(!several_definitions && defined, ops(Op::create_definition)) |
         when(!several_definitions && two_definitions, ops(Op::clone)) |
         when(now.census.modules != 0, ops(Op::load_module)) |
         when(now.census.builders != 0, ops(Op::begin_building)) |
         when(now.census.events != 0, ops(Op::create_event)) |
         when(several(now.census.graphs), ops(Op::instantiate)) | when(!now.added, kTakers);
}

std::span<const Theme> themes() { return kThemes; }

Ops offer(const Theme& theme, std::uint32_t task, const Situation& now) {
  const Ops possible = applicable(now);
  if (&theme == &kThemes[0]) return possible;
  return possible & (task == 0 ? theme.script : theme.mutator) &
         ~redundant(now, (theme.favoured & ops(Op::create_definition)) != 0);
}

}  // namespace scenarios::graph_argument
