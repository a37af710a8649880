// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/attach_per_node.h"

#include <algorithm>

namespace targets::graph_argument {

void AttachPerNode::destroy_attachment(void* data) {
  auto& attachment = *static_cast<Attachment*>(data);
  const DestructorScope scope(attachment.policy.core_);
  const DestructorGil gil(attachment.policy);
  attachment.policy.put_off(attachment.owners);
}

Status AttachPerNode::prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) {
  auto* attachment = core_.arena.make<Attachment>(*this, owners);
  if (cuUserObjectCreate(&attachment->object, attachment, destroy_attachment, 1,
                         CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != CUDA_SUCCESS) {
    attachment->owners = {};
    return Status::driver_error;
  }
  if (cuGraphRetainUserObject(graph.graph, attachment->object, 1, CU_GRAPH_USER_OBJECT_MOVE) !=
      CUDA_SUCCESS) {
    cuUserObjectRelease(attachment->object, 1);
    return Status::driver_error;
  }
  prepared = attachment;
  return Status::ok;
}

void AttachPerNode::roll_back(GraphBox& graph, Keeping* prepared) {
  if (prepared != nullptr)
    cuGraphReleaseUserObject(graph.graph, static_cast<Attachment*>(prepared)->object, 1);
}

AttachPerNode::Attachment* AttachPerNode::take(GraphBox& graph, CUgraphNode node) {
  if (graph.keeping == nullptr) return nullptr;
  auto& entries = static_cast<Attachments*>(graph.keeping)->entries;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.node == node; });
  if (found == entries.end()) return nullptr;
  Attachment* attachment = found->attachment;
  entries.erase(found);
  return attachment;
}

Status AttachPerNode::commit(GraphBox& graph, harness::Object&, CUgraphNode node, const Owners&,
                             Keeping* prepared) {
  Attachment* previous = take(graph, node);
  if (graph.keeping == nullptr) graph.keeping = core_.arena.make<Attachments>();
  static_cast<Attachments*>(graph.keeping)
      ->entries.push_back({node, static_cast<Attachment*>(prepared)});
  roll_back(graph, previous);
  return Status::ok;
}

void AttachPerNode::destroyed(GraphBox& graph, CUgraphNode node) {
  roll_back(graph, take(graph, node));
}

}  // namespace targets::graph_argument
