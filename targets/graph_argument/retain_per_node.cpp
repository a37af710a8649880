#include "targets/graph_argument/retain_per_node.h"

#include <algorithm>
#include <optional>

namespace targets::graph_argument {

// ---- on CUDA's thread ---------------------------------------------------------------------------

// Once there is no interpreter, nobody takes it (#2074).
class RetainPerNode::DestructorGil {
 public:
  explicit DestructorGil(const RetainPerNode& policy) {
    if (policy.destructors_take_gil() && !policy.core_.finalized.raised())
      attach_.emplace(policy.core_);
  }

 private:
  std::optional<CallbackAttach> attach_;
};

void RetainPerNode::destroy_attachment(void* data) {
  auto& attachment = *static_cast<Attachment*>(data);
  const DestructorScope scope(attachment.policy.core_);
  const DestructorGil gil(attachment.policy);
  attachment.policy.deferred_.push(attachment.owners);
}

void RetainPerNode::destroy_accumulator(void* data) {
  auto& accumulator = *static_cast<Accumulator*>(data);
  const DestructorScope scope(accumulator.policy.core_);
  const DestructorGil gil(accumulator.policy);
  for (Owners* owners : accumulator.owners) accumulator.policy.deferred_.push(*owners);
}

// ---- nodes --------------------------------------------------------------------------------------

Status RetainPerNode::prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) {
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

void RetainPerNode::roll_back(GraphBox& graph, Keeping* prepared) {
  if (prepared != nullptr)
    cuGraphReleaseUserObject(graph.graph, static_cast<Attachment*>(prepared)->object, 1);
}

RetainPerNode::Attachment* RetainPerNode::take(GraphBox& graph, CUgraphNode node) {
  if (graph.keeping == nullptr) return nullptr;
  auto& entries = static_cast<Attachments*>(graph.keeping)->entries;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.node == node; });
  if (found == entries.end()) return nullptr;
  Attachment* attachment = found->attachment;
  entries.erase(found);
  return attachment;
}

Status RetainPerNode::commit(GraphBox& graph, harness::Object&, CUgraphNode node, const Owners&,
                             Keeping* prepared) {
  Attachment* previous = take(graph, node);
  if (graph.keeping == nullptr) graph.keeping = core_.arena.make<Attachments>();
  static_cast<Attachments*>(graph.keeping)
      ->entries.push_back({node, static_cast<Attachment*>(prepared)});
  roll_back(graph, previous);
  return Status::ok;
}

void RetainPerNode::destroyed(GraphBox& graph, CUgraphNode node) {
  roll_back(graph, take(graph, node));
}

// ---- executables --------------------------------------------------------------------------------

RetainPerNode::Accumulator* RetainPerNode::accumulate(GraphBox& graph) {
  auto* made = core_.arena.make<Accumulator>(*this);
  if (cuUserObjectCreate(&made->object, made, destroy_accumulator, 1,
                         CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != CUDA_SUCCESS)
    return nullptr;
  if (cuGraphRetainUserObject(graph.graph, made->object, 1, 0) == CUDA_SUCCESS) return made;
  cuUserObjectRelease(made->object, 1);
  return nullptr;
}

CUresult RetainPerNode::instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) {
  Accumulator* accumulator = accumulate(graph);
  if (accumulator == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = Policy::instantiate(graph, exec, keeping);
  cuGraphReleaseUserObject(graph.graph, accumulator->object, 1);
  if (result != CUDA_SUCCESS) {
    cuUserObjectRelease(accumulator->object, 1);
    return result;
  }
  auto* accumulators = core_.arena.make<Accumulators>();
  accumulators->held.push_back(accumulator);
  keeping = accumulators;
  return result;
}

void RetainPerNode::prepare_update(ExecBox& exec, const Owners& owners) {
  static_cast<Accumulators*>(exec.keeping)
      ->held.back()
      ->owners.push_back(core_.arena.make<Owners>(owners));
}

void RetainPerNode::roll_back_update(ExecBox& exec) {
  auto& appended = static_cast<Accumulators*>(exec.keeping)->held.back()->owners;
  *appended.back() = {};
  appended.pop_back();
}

// After a failure nobody knows what the executable holds, so that both stay with it. The last one
// is what it is known to refer to: later changes of its nodes are appended there.
CUresult RetainPerNode::update(ExecBox& exec, GraphBox& graph) {
  Accumulator* accumulator = accumulate(graph);
  if (accumulator == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = Policy::update(exec, graph);
  cuGraphReleaseUserObject(graph.graph, accumulator->object, 1);
  auto& accumulators = *static_cast<Accumulators*>(exec.keeping);
  if (result == CUDA_SUCCESS) {
    accumulators.held.push_back(accumulator);
    give_up(accumulators, 0, accumulators.held.size() - 1);
  } else {
    accumulators.held.insert(accumulators.held.end() - 1, accumulator);
  }
  return result;
}

void RetainPerNode::give_up(Accumulators& accumulators, std::size_t first, std::size_t last) {
  const auto begin = accumulators.held.begin();
  const std::pmr::vector<Accumulator*> given_up(begin + static_cast<std::ptrdiff_t>(first),
                                                begin + static_cast<std::ptrdiff_t>(last));
  accumulators.held.erase(begin + static_cast<std::ptrdiff_t>(first),
                          begin + static_cast<std::ptrdiff_t>(last));
  for (const Accumulator* accumulator : given_up)
    release({ResourceKind::user_object, bits_of(accumulator->object)});
}

void RetainPerNode::dropped(ExecBox& exec) {
  auto& accumulators = *static_cast<Accumulators*>(exec.keeping);
  give_up(accumulators, 0, accumulators.held.size());
}

// ---- the end of things --------------------------------------------------------------------------

// The whole recipe: not on a thread of CUDA's; and on one without a context, in ours.
void RetainPerNode::release(Garbage garbage) {
  if (core_.in_callback()) return deferred_.push(std::move(garbage));
  CUcontext current = nullptr;
  const bool pushes = cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == nullptr &&
                      cuCtxPushCurrent(core_.context) == CUDA_SUCCESS;
  carry_out(core_, garbage);
  if (pushes) cuCtxPopCurrent(&current);
}

}  // namespace targets::graph_argument
