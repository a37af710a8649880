// The ops and their arguments, but for those of nodes (script_node_ops.cpp).
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {

using targets::graph_argument::GraphArgument;
using targets::graph_argument::Mischief;
using targets::graph_argument::Status;

Status Script::perform(Op op, const Situation& now, const Slot& slot) {
  if (op < Op::create_definition) return perform_on_objects(op, now.census, slot);
  if (op < Op::instantiate) return perform_on_definition(op, now.census, slot);
  if (op < Op::begin_building) return perform_on_graph(op, now.census, slot);
  if (op < Op::add_conditional) return perform_on_builder(op, now.census, slot);
  return perform_on_inside(op, now.census, slot);
}

Status Script::perform_on_objects(Op op, const Census& census, const Slot& slot) {
  const GraphArgument& path = *path_;
  switch (op) {
    case Op::allocate: {
      const Variable into = choose_new(slot, kBufferVariables);
      return path.objects.allocate(into, choose_stream(), slot.value());
    }
    case Op::close_buffer:
      return path.objects.close_buffer(choose(census.buffers));
    case Op::set_deallocation_stream: {
      const Variable buffer = choose(census.buffers);
      return path.objects.set_deallocation_stream(buffer, choose_stream());
    }
    case Op::link: {
      const Variable from = choose(census.buffers);
      return path.objects.link(from, choose(census.buffers & ~bit(from)));
    }
    case Op::load_module:
      return path.objects.load_module(choose_new(slot, kModuleVariables));
    case Op::create_event:
      return path.objects.create_event(choose_new(slot, kEventVariables));
    case Op::close_event:
      return path.objects.close_event(choose(census.events));
    case Op::record: {
      const Variable event = choose(census.events);
      return path.objects.record(event, choose_stream());
    }
    default:
      return path.objects.close_stream();
  }
}

Status Script::perform_on_graph(Op op, const Census& census, const Slot& slot) {
  const GraphArgument& path = *path_;
  switch (op) {
    case Op::instantiate: {
      const Variable into = choose_new(slot, kGraphVariables);
      return path.executables.instantiate(into, choose(census.definitions));
    }
    case Op::upload: {
      const Variable graph = choose(census.graphs);
      return path.executables.upload(graph, choose_stream());
    }
    case Op::launch: {
      const Variable graph = choose(census.graphs);
      return path.executables.launch(graph, choose_stream());
    }
    case Op::update_node: {
      const Variable graph = choose(census.graphs);
      const Variable node = choose(census.nodes, census.kernel_nodes);
      const Variable first = choose(census.buffers);
      return path.executables.update_node(graph, node, first, choose(census.buffers));
    }
    case Op::update: {
      const Variable graph = choose(census.graphs);
      return path.executables.update(graph, choose(census.definitions));
    }
    case Op::close_graph:
      return path.executables.close_graph(choose(census.graphs));
    case Op::alias: {
      const Variable from = choose(census.all());
      return path.globals.alias(choose_new(slot, siblings(from)), from);
    }
    case Op::drop:
      return path.globals.drop(choose(census.all(), dropped_));
    case Op::make_cycle:
      return path.globals.make_cycle(choose(census.all()));
    case Op::plant: {
      const auto mischief =
          static_cast<Mischief>(choose_number(targets::graph_argument::kMischiefCount));
      return path.globals.plant(mischief, choose(census.buffers));
    }
    case Op::collect:
      return path.process.collect(2 - choose_number(3));
    case Op::flood:
      return path.process.flood_pending_calls();
    default:
      return path.process.synchronize(choose_stream());
  }
}

Status Script::perform_on_builder(Op op, const Census& census, const Slot& slot) {
  const GraphArgument& path = *path_;
  switch (op) {
    case Op::begin_building:
      return path.builders.begin_building(choose_new(slot, kBuilderVariables));
    case Op::launch_captured: {
      const Variable builder = choose(census.capturing);
      const Variable module = choose(census.modules);
      return path.builders.launch_captured(builder, module, choose(census.buffers));
    }
    case Op::end_building:
      return path.builders.end_building(choose(census.builders, census.capturing));
    case Op::complete: {
      const Variable into = choose_new(slot, kGraphVariables);
      return path.builders.complete(into, choose(census.builders & ~census.capturing));
    }
    default:
      return path.process.synchronize_device();
  }
}

}  // namespace scenarios::graph_argument
