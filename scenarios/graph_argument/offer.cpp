#include "scenarios/graph_argument/offer.h"

namespace scenarios::graph_argument {
namespace {

/// What every run needs to get to a launch.
constexpr Ops kShortWay = ops(Op::add_kernel, Op::instantiate, Op::launch);
constexpr Ops kWay = kShortWay | ops(Op::allocate, Op::create_definition);

/// What takes something away.
constexpr Ops kTakers = ops(Op::drop, Op::close_buffer, Op::close_graph, Op::make_cycle, Op::plant,
                            Op::destroy_node, Op::close_stream, Op::close_event);

constexpr std::array<Theme, kThemeCount> kThemes{{
    {~Ops{0}, ~Ops{0}, ops(Op::drop, Op::launch), 0},
    // Kernel arguments, dropped before the launch.
    {kWay | ops(Op::drop, Op::synchronize, Op::make_cycle, Op::plant),
     ops(Op::drop, Op::collect, Op::alias, Op::make_cycle, Op::allocate), ops(Op::drop, Op::launch),
     kBufferVariables},
    // Copies and sets.
    {kWay | ops(Op::add_memcpy, Op::add_memset, Op::drop, Op::synchronize, Op::close_buffer),
     ops(Op::drop, Op::close_buffer, Op::collect, Op::allocate, Op::destroy_node),
     ops(Op::add_memcpy, Op::add_memset, Op::drop, Op::launch), kBufferVariables},
    // Definitions that change while executables of them live.
    {kWay | ops(Op::set_params, Op::destroy_node, Op::drop, Op::synchronize, Op::plant),
     ops(Op::set_params, Op::destroy_node, Op::drop, Op::launch, Op::plant),
     ops(Op::set_params, Op::destroy_node, Op::drop, Op::launch), kBufferVariables},
    // Executables that are updated.
    {kShortWay | ops(Op::update_node, Op::update, Op::drop, Op::add_memset),
     ops(Op::update_node, Op::drop, Op::launch),
     ops(Op::update_node, Op::update, Op::drop, Op::launch), kBufferVariables},
    // Clones, and definitions that go before their executables.
    {kShortWay | ops(Op::clone, Op::drop, Op::add_memcpy), ops(Op::drop, Op::launch),
     ops(Op::clone, Op::drop, Op::launch), kBufferVariables | kDefinitionVariables},
    // Work in flight.
    {kWay | ops(Op::drop, Op::close_graph, Op::upload, Op::set_deallocation_stream),
     ops(Op::drop, Op::close_graph, Op::launch, Op::synchronize, Op::allocate),
     ops(Op::launch, Op::drop, Op::close_graph), kBufferVariables},
    // Children, and what belongs to them.
    {ops(Op::add_child, Op::get_child, Op::destroy_node, Op::add_memset, Op::create_definition,
         Op::instantiate, Op::clone, Op::update),
     ops(Op::destroy_node, Op::get_child, Op::add_child, Op::add_callback),
     ops(Op::add_child, Op::get_child, Op::destroy_node, Op::create_definition), kNodeVariables},
    // What CUDA's threads let go of: modules, events, functions.
    {kWay | ops(Op::load_module, Op::add_callback, Op::create_event, Op::add_record, Op::drop,
                Op::close_graph),
     ops(Op::drop, Op::collect, Op::make_cycle, Op::close_graph, Op::plant, Op::flood),
     ops(Op::drop, Op::launch), kModuleVariables | kEventVariables},
    // Events and streams that are closed.
    {kWay | ops(Op::create_event, Op::add_record, Op::add_wait, Op::close_event, Op::record,
                Op::close_stream, Op::drop, Op::upload),
     ops(Op::close_event, Op::close_stream, Op::drop, Op::record),
     ops(Op::add_record, Op::add_wait, Op::close_event, Op::record), kEventVariables},
    // What is the caller's to keep: what he closes, and bare addresses.
    {kWay | ops(Op::close_buffer, Op::link, Op::set_attribute, Op::synchronize, Op::drop),
     ops(Op::close_buffer, Op::drop, Op::link, Op::plant),
     ops(Op::close_buffer, Op::link, Op::set_attribute), kBufferVariables},
    // Nobody runs pending calls.
    {kWay | ops(Op::flood, Op::drop, Op::close_graph, Op::synchronize, Op::set_params),
     ops(Op::flood, Op::drop, Op::close_graph, Op::set_params, Op::destroy_node),
     ops(Op::flood, Op::drop, Op::set_params), kDefinitionVariables | kNodeVariables},
    // Captures: what is launched into them, and those that are invalidated.
    {ops(Op::begin_building, Op::launch_captured, Op::end_building, Op::complete, Op::launch,
         Op::drop, Op::synchronize, Op::synchronize_device, Op::add_memset),
     ops(Op::drop, Op::synchronize_device, Op::end_building, Op::make_cycle, Op::collect),
     ops(Op::launch_captured, Op::end_building, Op::complete, Op::launch), kBufferVariables},
    // Branches: what is given to nodes in them, and branches whose node goes.
    {kShortWay | ops(Op::add_conditional, Op::get_branch, Op::add_memset, Op::set_params,
                     Op::destroy_node, Op::drop, Op::synchronize),
     ops(Op::drop, Op::destroy_node, Op::set_params, Op::get_branch, Op::add_kernel, Op::launch),
     ops(Op::add_conditional, Op::get_branch, Op::drop, Op::launch), kBufferVariables},
    // Memory of graphs: freed too early, too late, elsewhere or never.
    {kShortWay | ops(Op::create_definition, Op::add_alloc, Op::add_free, Op::add_scratch, Op::drop,
                     Op::synchronize),
     ops(Op::drop, Op::add_scratch, Op::add_free, Op::launch),
     ops(Op::add_alloc, Op::add_free, Op::add_scratch, Op::launch), kBufferVariables},
}};

/// `members` where `condition` holds.
constexpr Ops when(bool condition, Ops members) { return condition ? members : 0; }

/// More than one.
bool several(Variables variables) { return std::popcount(variables) > 1; }

}  // namespace

Ops applicable(const Situation& now) {
  const Census& census = now.census;
  const bool defined = census.definitions != 0;
  const bool buffered = census.buffers != 0;
  return ops(Op::allocate, Op::load_module, Op::create_event, Op::create_definition,
             Op::close_stream) |
         when(buffered, ops(Op::close_buffer, Op::set_deallocation_stream, Op::plant)) |
         when(several(census.buffers), ops(Op::link)) |
         when(census.events != 0, ops(Op::close_event, Op::record)) |
         when(defined && buffered && census.modules != 0, ops(Op::add_kernel)) |
         when(defined && several(census.buffers), ops(Op::add_memcpy)) |
         when(defined && buffered, ops(Op::add_memset, Op::set_attribute)) |
         when(defined && census.events != 0, ops(Op::add_record, Op::add_wait)) |
         when(defined, ops(Op::add_callback, Op::clone, Op::instantiate, Op::flood)) |
         when(several(census.definitions), ops(Op::add_child)) |
         when(census.child_nodes != 0, ops(Op::get_child)) |
         when(defined && census.modules != 0, ops(Op::add_conditional)) |
         when(census.conditional_nodes != 0, ops(Op::get_branch)) |
         when(defined, ops(Op::add_alloc)) |
         when(defined && census.allocation_nodes != 0, ops(Op::add_free)) |
         when(defined && census.allocation_nodes != 0 && buffered && census.modules != 0,
              ops(Op::add_scratch)) |
         when(census.kernel_nodes != 0 && buffered, ops(Op::set_params)) |
         when(census.nodes != 0, ops(Op::destroy_node)) |
         when(census.graphs != 0, ops(Op::upload, Op::launch, Op::close_graph)) |
         when(census.graphs != 0 && census.kernel_nodes != 0 && buffered, ops(Op::update_node)) |
         when(census.graphs != 0 && defined, ops(Op::update)) |
         when(now.launched, ops(Op::synchronize)) |
         when(now.launched || census.builders != 0, ops(Op::synchronize_device)) |
         when(buffered && census.modules != 0, ops(Op::begin_building)) |
         when(census.builders != 0, ops(Op::end_building)) |
         when(census.builders != census.capturing, ops(Op::complete)) |
         when(census.capturing != 0 && buffered && census.modules != 0, ops(Op::launch_captured)) |
         when(census.all() != 0, ops(Op::alias, Op::drop, Op::make_cycle, Op::collect));
}

Ops wanted(const Situation& now) {
  const Census& census = now.census;
  if (census.graphs != 0) return 0;  // From here on a run is about what it is about.
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

const Theme& theme(std::uint32_t index) { return kThemes[index]; }

Ops offer(const Theme& theme, std::uint32_t task, const Situation& now) {
  const Ops possible = applicable(now);
  if (&theme == &kThemes[0]) return possible;
  return possible & (task == 0 ? theme.script : theme.mutator) &
         ~redundant(now, (theme.favoured & ops(Op::create_definition)) != 0);
}

}  // namespace scenarios::graph_argument
