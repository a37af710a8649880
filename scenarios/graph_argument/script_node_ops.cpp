// The ops that make nodes and change them, and their arguments.
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Condition;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::kBranchCount;
using targets::graph_argument::Kernel;
using targets::graph_argument::Status;

Status Script::add_kernel(const Census& census, const Slot& slot) {
  const Variable into = choose_node(slot);
  const Variable definition = choose(census.definitions);
  const Variable module = choose(census.modules);
  const auto kernel = static_cast<Kernel>(choose_number(targets::graph_argument::kKernelCount));
  const Variable first = choose(census.buffers);
  return path_->nodes.add_kernel(into, definition, module, kernel, first, choose(census.buffers));
}

Status Script::add_memcpy(const Census& census, const Slot& slot) {
  const Variable into = choose_node(slot);
  const Variable definition = choose(census.definitions);
  const Variable target = choose(census.buffers);
  return path_->nodes.add_memcpy(into, definition, target, choose(census.buffers & ~bit(target)));
}

Status Script::perform_on_definition(Op op, const Census& census, const Slot& slot) {
  const GraphArgument& path = *path_;
  const auto new_node = [&] { return choose_node(slot); };
  switch (op) {
    case Op::create_definition:
      return path.definitions.create_definition(choose_new(slot, kDefinitionVariables));
    case Op::add_kernel:
      return add_kernel(census, slot);
    case Op::add_memcpy:
      return add_memcpy(census, slot);
    case Op::add_memset: {
      const Variable into = new_node();
      const Variable definition = choose(census.definitions);
      return path.nodes.add_memset(into, definition, choose(census.buffers), slot.value());
    }
    case Op::add_record:
    case Op::add_wait: {
      const Variable into = new_node();
      const Variable definition = choose(census.definitions);
      const Variable event = choose(census.events);
      return op == Op::add_record ? path.nodes.add_record(into, definition, event)
                                  : path.nodes.add_wait(into, definition, event);
    }
    case Op::add_callback: {
      const Variable into = new_node();
      return path.nodes.add_callback(into, choose(census.definitions));
    }
    case Op::add_child: {
      const Variable into = new_node();
      const Variable definition = choose(census.definitions);
      return path.definitions.add_child(into, definition,
                                        choose(census.definitions & ~bit(definition)));
    }
    case Op::get_child: {
      const Variable into = choose_new(slot, kDefinitionVariables);
      return path.definitions.get_child(into, choose(census.child_nodes));
    }
    case Op::set_params: {
      const Variable node = choose(census.nodes, census.kernel_nodes);
      const Variable first = choose(census.buffers);
      return path.nodes.set_params(node, first, choose(census.buffers));
    }
    case Op::destroy_node:
      return path.nodes.destroy_node(choose(census.nodes));
    case Op::clone: {
      const Variable into = choose_new(slot, kDefinitionVariables);
      return path.definitions.clone(into, choose(census.definitions));
    }
    default: {
      const Variable buffer = choose(census.buffers);
      return path.objects.set_attribute(buffer, choose(census.definitions));
    }
  }
}

Status Script::perform_on_inside(Op op, const Census& census, const Slot& slot) {
  const GraphArgument& path = *path_;
  switch (op) {
    case Op::add_conditional: {
      const Variable into = choose_node(slot);
      const Variable definition = choose(census.definitions);
      const auto condition =
          static_cast<Condition>(choose_number(targets::graph_argument::kConditionCount));
      const std::uint32_t branch = choose_number(kBranchCount);
      return path.definitions.add_conditional(into, definition, condition, branch,
                                              choose(census.modules));
    }
    case Op::get_branch: {
      const Variable into = choose_new(slot, kDefinitionVariables);
      const Variable node = choose(census.conditional_nodes);
      return path.definitions.get_branch(into, node, choose_number(kBranchCount));
    }
    case Op::add_alloc: {
      const Variable into = choose_node(slot);
      return path.nodes.add_alloc(into, choose(census.definitions));
    }
    case Op::add_free: {
      const Variable into = choose_node(slot);
      const Variable definition = choose(census.definitions);
      return path.nodes.add_free(into, definition, choose(census.allocation_nodes));
    }
    default: {
      const Variable into = choose_node(slot);
      const Variable definition = choose(census.definitions);
      const Variable module = choose(census.modules);
      const Variable node = choose(census.allocation_nodes);
      return path.nodes.add_scratch(into, definition, module, node, choose(census.buffers));
    }
  }
}

}  // namespace scenarios::graph_argument
