// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/records.h"

#include <algorithm>

namespace scenarios::graph_argument {

using harness::Label;

Label to_label(Work work) {
  static constexpr std::array<Label, targets::graph_argument::kWorkCount> kLabels{
      "add_one", "saxpy", "block_sum", "produce", "consume", "chase",      "captured",
      "scratch", "leave", "memcpy",    "memset",  "record",  "wait",       "callback",
      "alloc",   "free",  "child",     "if_then", "if_else", "while_loop", "switch_case"};
  return kLabels[harness::raw(work)];
}

std::array<Thing*, 2> things_of(Work work, const Wrapped& first, const Wrapped& second) {
  const bool one = work == Work::add_one || work == Work::produce;
  return {first.thing, one ? nullptr : second.thing};
}

ModelNode* find(ModelGraph& graph, std::uint32_t serial) {
  for (ModelNode& node : graph.nodes)
    if (node.serial == serial) return &node;
  return nullptr;
}

bool has_changed(const ModelGraph& graph) {
  return graph.changed ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ModelNode& node) {
           return std::any_of(node.bodies.begin(), node.bodies.end(), [](const ModelGraph* body) {
             return body != nullptr && has_changed(*body);
           });
         });
}

// A node with graphs inside follows their nodes, and does nothing itself.
void flatten(const ModelGraph& graph, ModelNodes& into, bool idle, bool looped) {
  for (const ModelNode& node : graph.nodes) {
    const bool loops = looped || node.work == Work::while_loop;
    std::array<std::size_t, targets::graph_argument::kBranchCount> inside{};
    for (std::size_t i = 0; i < node.bodies.size(); ++i) {
      const std::size_t before = into.size();
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i), loops);
      inside[i] = into.size() - before;
    }
    ModelNode& made = into.emplace_back(node);
    made.inside = inside;
    made.home = &graph;
    made.idle = idle;
    made.looped = looped;
  }
}

}  // namespace scenarios::graph_argument
