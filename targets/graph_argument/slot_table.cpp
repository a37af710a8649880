// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/slot_table.h"

#include <algorithm>

namespace targets::graph_argument {

// Releases the old content after the new content is in place.
void SlotTable::Table::set(CUgraphNode node, Owners owners) {
  const auto found =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.node == node; });
  if (found != slots.end())
    std::swap(found->owners, owners);
  else
    slots.push_back({node, std::move(owners)});
}

void SlotTable::TableHandle::reset() {
  const CallbackAttach attach(table->core);
  std::pmr::vector<Table::Slot> slots;
  std::swap(slots, table->slots);
}

Status SlotTable::prepare(GraphBox& graph, const Owners&, Keeping*&) {
  if (graph.keeping != nullptr) return Status::ok;
  auto* table = core_.arena.make<Table>(core_);
  const Status status = attach(graph.graph, TableHandle{table});
  if (status == Status::ok) graph.keeping = table;
  return status;
}

Status SlotTable::commit(GraphBox& graph, harness::Object&, CUgraphNode node, const Owners& owners,
                         Keeping*) {
  static_cast<Table*>(graph.keeping)->set(node, owners);
  return Status::ok;
}

void SlotTable::destroyed(GraphBox& graph, CUgraphNode node) {
  if (graph.keeping != nullptr) static_cast<Table*>(graph.keeping)->set(node, {});
}

}  // namespace targets::graph_argument
