// SPDX-License-Identifier: Apache-2.0
// How it works. Each graph is a cluster of records. An embedded graph is a separate cluster, and
// the node that it is embedded in points to it. Each flag adds a field to the records.
#include "harness/devices/sim/graphs/dot.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

namespace {

class Writer {
 public:
  explicit Writer(unsigned flags) : flags_(flags) {}

  /// Writes the graph, and returns the text.
  std::string write(const Graph& outer) {
    line("digraph graphs {{");
    line("  compound=true");
    graph(outer);
    line("}}");
    return std::move(text_);
  }

 private:
  /// Writes a graph. Returns the number that identifies it.
  std::uint32_t graph(const Graph& graph) {
    const std::uint32_t number = graph_count_++;
    line("  subgraph cluster_{} {{", number);
    line("    label=\"graph_{}\" graph[style=\"dashed\"]", number);
    std::uint32_t index = 0;
    for (GraphNode* node : graph.nodes) node->index = index++;
    if (graph.nodes.empty()) line("    \"graph_{}_empty\"[style=\"invis\"]", number);
    for (const GraphNode* each : graph.nodes) node(number, *each);
    for (const GraphNode* each : graph.nodes)
      for (std::size_t i = 0; i < each->after.size(); ++i) edge(number, *each, i);
    line("  }}");
    for (const GraphNode* each : graph.nodes) bodies(number, *each);
    return number;
  }

  bool asked(unsigned flag) const {
    return (flags_ & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0;
  }

  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  template <class... Arguments>
  void field(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += '|';
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  void node(std::uint32_t graph, const GraphNode& node) {
    fmt::format_to(std::back_inserter(text_),
                   "    \"graph_{}_node_{}\"[shape=\"record\" label=\"{{", graph, node.index);
    fmt::format_to(std::back_inserter(text_), "{}|ID {}", name_of(node.params->type), node.index);
    if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)) field("node {:#x}", node.handle);
    details(*node.params);
    if (node.params->type == CU_GRAPH_NODE_TYPE_KERNEL &&
        asked(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES))
      field("cooperative {}|priority {}", node.attributes->cooperative() ? 1 : 0,
            node.attributes->priority());
    text_ += "}\"]\n";
  }

  void details(const NodeParams& params) {
    switch (params.type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        return kernel(params);
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        return copy(params.copy);
      case CU_GRAPH_NODE_TYPE_MEMSET:
        if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
          field("to {:#x}|value {}|{} of {} bytes|{} rows", params.set.dst, params.set.value,
                params.set.width, params.set.elementSize, params.set.height);
        return;
      case CU_GRAPH_NODE_TYPE_HOST:
        if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS))
          field("function {}|data {}", reinterpret_cast<const void*>(params.host.fn),
                params.host.userData);
        return;
      case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
          field("event {}", static_cast<const void*>(params.event->as<CUevent>()));
        return;
      case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS))
          field("{} bytes|at {:#x}", params.alloc.bytesize, params.alloc.dptr);
        return;
      case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS))
          field("{} operations", params.batch_operations.size());
        return;
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
          field("{}", params.condition_type == CU_GRAPH_COND_TYPE_IF      ? "IF"
                      : params.condition_type == CU_GRAPH_COND_TYPE_WHILE ? "WHILE"
                                                                          : "SWITCH");
        return;
      default:
        return;
    }
  }

  void kernel(const NodeParams& params) {
    const CUDA_KERNEL_NODE_PARAMS& given = params.kernel;
    field("{}", params.label.view());
    if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
      field("grid {} {} {}|block {} {} {}|shared {} bytes", given.gridDimX, given.gridDimY,
            given.gridDimZ, given.blockDimX, given.blockDimY, given.blockDimZ,
            given.sharedMemBytes);
    if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
      field("function {}", static_cast<const void*>(given.func));
  }

  void copy(const CUDA_MEMCPY3D& given) {
    const auto side = [](CUmemorytype type) {
      return type == CU_MEMORYTYPE_HOST ? "host" : type == CU_MEMORYTYPE_DEVICE ? "device" : "any";
    };
    field("{} to {}", side(given.srcMemoryType), side(given.dstMemoryType));
    if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
      field("{} bytes|{} rows|{} layers", given.WidthInBytes, given.Height, given.Depth);
  }

  void edge(std::uint32_t graph, const GraphNode& node, std::size_t place) {
    const GraphEdge& edge = node.after[place];
    fmt::format_to(std::back_inserter(text_), "    \"graph_{}_node_{}\" -> \"graph_{}_node_{}\"",
                   graph, edge.from->index, graph, node.index);
    if (edge.data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC) text_ += "[style=\"dashed\"]";
    if (asked(CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO))
      fmt::format_to(std::back_inserter(text_), "[label=\"{}\"]", place);
    text_ += '\n';
  }

  void bodies(std::uint32_t number, const GraphNode& node) {
    const std::uint32_t index = node.index;
    for (const Graph* body : node.bodies) {
      const char* first = body->nodes.empty() ? "empty" : "node_0";
      const std::uint32_t inner = graph(*body);
      line("  \"graph_{}_node_{}\" -> \"graph_{}_{}\"[lhead=\"cluster_{}\" style=\"dotted\"]",
           number, index, inner, first, inner);
    }
  }

  static const char* name_of(CUgraphNodeType type) {
    switch (type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        return "KERNEL";
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        return "MEMCPY";
      case CU_GRAPH_NODE_TYPE_MEMSET:
        return "MEMSET";
      case CU_GRAPH_NODE_TYPE_HOST:
        return "HOST";
      case CU_GRAPH_NODE_TYPE_GRAPH:
        return "GRAPH";
      case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return "WAIT_EVENT";
      case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return "EVENT_RECORD";
      case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return "MEM_ALLOC";
      case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return "MEM_FREE";
      case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return "BATCH_MEM_OP";
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return "CONDITIONAL";
      default:
        return "EMPTY";
    }
  }

  unsigned flags_;
  std::uint32_t graph_count_ = 0;
  std::string text_;
};

}  // namespace

std::string to_dot(const Graph& graph, unsigned flags) { return Writer(flags).write(graph); }

}  // namespace harness::devices
