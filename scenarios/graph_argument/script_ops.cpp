// The ops and their arguments. The plain argument is the one that is most useful: an object that
// fits. Tapes name variables, never positions in a list, and a new thing's plain variable depends
// on its slot alone: deleting one op leaves the arguments of the others where they were.
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {

using harness::Site;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::Kernel;
using targets::graph_argument::kVariableCount;
using targets::graph_argument::Mischief;
using targets::graph_argument::Status;

namespace {

/// What tapes call a variable. 0 would be the plain.
constexpr std::uint32_t tape_value(Variable variable) { return variable + 1; }
constexpr std::uint32_t kNowhereValue = tape_value(kVariableCount);

/// The options of an argument, [0] plain.
class VariableList {
 public:
  void add(Variable variable) { values_[count_++] = tape_value(variable); }
  void add_nowhere() { values_[count_++] = kNowhereValue; }
  void add_all(Variables variables) {
    for (; variables != 0; variables &= variables - 1)
      add(static_cast<Variable>(std::countr_zero(variables)));
  }
  operator std::span<const std::uint32_t>() const { return {values_.data(), count_}; }

 private:
  std::array<std::uint32_t, kFavour*(kVariableCount + 1)> values_;
  std::size_t count_ = 0;
};

}  // namespace

// ---- arguments --------------------------------------------------------------------------------

std::uint32_t Script::choose_of(std::span<const std::uint32_t> values) {
  return values[scene_.world().picker.pick_value(Site::argument, values)];
}

Variable Script::choose(Variables fitting, Variables favoured) {
  VariableList options;
  options.add_all(fitting);
  for (std::size_t i = 1; i < kFavour; ++i) options.add_all(fitting & favoured);
  return choose_of(options) - 1;
}

Variable Script::choose_new(const Slot& slot, Variables kind) {
  const auto first = static_cast<Variable>(std::countr_zero(kind));
  const auto count = static_cast<std::uint32_t>(std::popcount(kind));
  const Variable plain = first + (slot.index + 3 * slot.task) % count;
  VariableList options;
  options.add(plain);
  options.add_all(kind & ~bit(plain));
  return choose_of(options) - 1;
}

Variable Script::choose_node(const Slot& slot) {
  const auto first = static_cast<Variable>(std::countr_zero(kNodeVariables));
  VariableList options;
  options.add(first + (slot.index + slot.task) % std::popcount(kNodeVariables));
  options.add_all(kNodeVariables & ~bit(first + (slot.index + slot.task) % 3));
  const std::size_t times = (dropped_ & kDefinitionVariables) != 0 ? 2 * kFavour : 1;
  for (std::size_t i = 0; i < times; ++i) options.add_nowhere();
  const std::uint32_t value = choose_of(options);
  return value == kNowhereValue ? targets::graph_argument::kNowhere : value - 1;
}

// ---- ops --------------------------------------------------------------------------------------

Status Script::perform(Op op, const Situation& now, const Slot& slot) {
  if (op < Op::create_definition) return perform_on_objects(op, now.census, slot);
  if (op < Op::instantiate) return perform_on_definition(op, now.census, slot);
  if (op < Op::begin_building) return perform_on_graph(op, now.census, slot);
  return perform_on_builder(op, now.census, slot);
}

Status Script::perform_on_objects(Op op, const Census& census, const Slot& slot) {
  GraphArgument& path = *path_;
  switch (op) {
    case Op::allocate: {
      const Variable into = choose_new(slot, kBufferVariables);
      return path.allocate(into, choose_stream(), slot.value());
    }
    case Op::close_buffer:
      return path.close_buffer(choose(census.buffers));
    case Op::set_deallocation_stream: {
      const Variable buffer = choose(census.buffers);
      return path.set_deallocation_stream(buffer, choose_stream());
    }
    case Op::link: {
      const Variable from = choose(census.buffers);
      return path.link(from, choose(census.buffers & ~bit(from)));
    }
    case Op::load_module:
      return path.load_module(choose_new(slot, kModuleVariables));
    case Op::create_event:
      return path.create_event(choose_new(slot, kEventVariables));
    case Op::close_event:
      return path.close_event(choose(census.events));
    case Op::record: {
      const Variable event = choose(census.events);
      return path.record(event, choose_stream());
    }
    default:
      return path.close_stream();
  }
}

Status Script::add_kernel(const Census& census, const Slot& slot) {
  const Variable into = choose_node(slot);
  const Variable definition = choose(census.definitions);
  const Variable module = choose(census.modules);
  const auto kernel = static_cast<Kernel>(choose_number(targets::graph_argument::kKernelCount));
  const Variable first = choose(census.buffers);
  return path_->add_kernel(into, definition, module, kernel, first, choose(census.buffers));
}

Status Script::add_memcpy(const Census& census, const Slot& slot) {
  const Variable into = choose_node(slot);
  const Variable definition = choose(census.definitions);
  const Variable target = choose(census.buffers);
  return path_->add_memcpy(into, definition, target, choose(census.buffers & ~bit(target)));
}

Status Script::perform_on_definition(Op op, const Census& census, const Slot& slot) {
  GraphArgument& path = *path_;
  const auto new_node = [&] { return choose_node(slot); };
  switch (op) {
    case Op::create_definition:
      return path.create_definition(choose_new(slot, kDefinitionVariables));
    case Op::add_kernel:
      return add_kernel(census, slot);
    case Op::add_memcpy:
      return add_memcpy(census, slot);
    case Op::add_memset: {
      const Variable into = new_node();
      const Variable definition = choose(census.definitions);
      return path.add_memset(into, definition, choose(census.buffers), slot.value());
    }
    case Op::add_record:
    case Op::add_wait: {
      const Variable into = new_node();
      const Variable definition = choose(census.definitions);
      const Variable event = choose(census.events);
      return op == Op::add_record ? path.add_record(into, definition, event)
                                  : path.add_wait(into, definition, event);
    }
    case Op::add_callback: {
      const Variable into = new_node();
      return path.add_callback(into, choose(census.definitions));
    }
    case Op::add_child: {
      const Variable into = new_node();
      const Variable definition = choose(census.definitions);
      return path.add_child(into, definition, choose(census.definitions & ~bit(definition)));
    }
    case Op::get_child: {
      const Variable into = choose_new(slot, kDefinitionVariables);
      return path.get_child(into, choose(census.child_nodes));
    }
    case Op::set_params: {
      const Variable node = choose(census.kernel_nodes);
      const Variable first = choose(census.buffers);
      return path.set_params(node, first, choose(census.buffers));
    }
    case Op::destroy_node:
      return path.destroy_node(choose(census.nodes));
    case Op::clone: {
      const Variable into = choose_new(slot, kDefinitionVariables);
      return path.clone(into, choose(census.definitions));
    }
    default: {
      const Variable buffer = choose(census.buffers);
      return path.set_attribute(buffer, choose(census.definitions));
    }
  }
}

Status Script::perform_on_graph(Op op, const Census& census, const Slot& slot) {
  GraphArgument& path = *path_;
  switch (op) {
    case Op::instantiate: {
      const Variable into = choose_new(slot, kGraphVariables);
      return path.instantiate(into, choose(census.definitions));
    }
    case Op::upload: {
      const Variable graph = choose(census.graphs);
      return path.upload(graph, choose_stream());
    }
    case Op::launch: {
      const Variable graph = choose(census.graphs);
      return path.launch(graph, choose_stream());
    }
    case Op::update_node: {
      const Variable graph = choose(census.graphs);
      const Variable node = choose(census.kernel_nodes);
      const Variable first = choose(census.buffers);
      return path.update_node(graph, node, first, choose(census.buffers));
    }
    case Op::update: {
      const Variable graph = choose(census.graphs);
      return path.update(graph, choose(census.definitions));
    }
    case Op::close_graph:
      return path.close_graph(choose(census.graphs));
    case Op::alias: {
      const Variable from = choose(census.all());
      return path.alias(choose_new(slot, siblings(from)), from);
    }
    case Op::drop:
      return path.drop(choose(census.all(), dropped_));
    case Op::make_cycle:
      return path.make_cycle(choose(census.all()));
    case Op::plant: {
      const auto mischief =
          static_cast<Mischief>(choose_number(targets::graph_argument::kMischiefCount));
      return path.plant(mischief, choose(census.buffers));
    }
    case Op::collect:
      return path.collect(2 - choose_number(3));
    case Op::flood:
      return path.flood_pending_calls();
    default:
      return path.synchronize(choose_stream());
  }
}

Status Script::perform_on_builder(Op op, const Census& census, const Slot& slot) {
  GraphArgument& path = *path_;
  switch (op) {
    case Op::begin_building:
      return path.begin_building(choose_new(slot, kBuilderVariables));
    case Op::launch_captured: {
      const Variable builder = choose(census.capturing);
      const Variable module = choose(census.modules);
      return path.launch_captured(builder, module, choose(census.buffers));
    }
    case Op::end_building:
      return path.end_building(choose(census.capturing));
    case Op::complete: {
      const Variable into = choose_new(slot, kGraphVariables);
      return path.complete(into, choose(census.builders & ~census.capturing));
    }
    default:
      return path.synchronize_device();
  }
}

}  // namespace scenarios::graph_argument
