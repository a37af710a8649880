// SPDX-License-Identifier: Apache-2.0
// Policy: what a graph keeps alive for its nodes, and which code releases it. One for each variant;
// this base class behaves as cuda.core 0.7.0.
#pragma once

#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

/// Things that a node's parameters point into.
struct Owners {
  Shared<ModuleBox> module;
  harness::Ref arguments;                   ///< Arguments of a kernel node: the tuple.
  harness::Ref operands;                    ///< Operands of a copy or set: a tuple of buffers.
  std::array<Shared<DevicePtr>, 2> memory;  ///< and what they own.
  Shared<EventBox> event;
  harness::Ref function;  ///< Function that a host node calls.

  bool any() const { return module || arguments || operands || memory[0] || event || function; }
};

/// The owner of the graph that a builder captures.
enum class Captured : std::uint8_t {
  lost_with_builder,  ///< Owned by the builder once it has ended the capture, and before that by
                      ///< none. 0.7.0.
  owned_at_once,      ///< The builder's from the beginning, whatever CUDA does with it. #2008.
  owned_when_ended,   ///< The builder's once it has ended the capture, also if that is its last
                      ///< act.
};

/// Ownership: made in the run's arena, one per run.
/// Threads: with the GIL, but for what CUDA's threads call.
class Policy {
 public:
  explicit Policy(Core& core) : core_(core) {}
  virtual ~Policy() = default;

  /// The calls of the version that has this policy.
  static constexpr Api kApi{};

  // ---- nodes ----
  /// Before a node is added or gets new parameters. What fails here has changed nothing.
  virtual Status prepare(GraphBox&, const Owners&, Keeping*& /*prepared*/) { return Status::ok; }
  /// The call failed.
  virtual void roll_back(GraphBox&, Keeping* /*prepared*/) {}
  /// The call succeeded. `definition` is the wrapper through which it was made. What fails here
  /// leaves the node as it is.
  virtual Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                        const Owners& owners, Keeping* prepared);
  virtual void destroyed(GraphBox&, CUgraphNode) {}
  /// The box has no holder any more; CUDA may hold the graph.
  virtual void dropped(GraphBox&) {}
  virtual void dropped(ExecBox&) {}
  /// Whether boxes of graphs that went with their node know it.
  virtual bool sets_tombstones() const { return false; }

  virtual Captured captured() const { return Captured::lost_with_builder; }

  // ---- executables ----
  virtual CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& /*keeping*/) {
    return cuGraphInstantiate(&exec, graph.graph, 0);
  }
  /// Around the update of one node.
  virtual void prepare_update(ExecBox&, const Owners&) {}
  virtual void roll_back_update(ExecBox&) {}
  virtual CUresult update(ExecBox& exec, GraphBox& graph) {
    CUgraphExecUpdateResultInfo result;
    return cuGraphExecUpdate(exec.exec, graph.graph, &result);
  }

  // ---- the GIL ----
  /// Whether CUDA calls keep it. Else they are made without it, as cuda.core makes them.
  virtual bool keeps_gil() const { return false; }

  // ---- the end of things ----
  virtual void release(Garbage garbage) { carry_out(core_, garbage); }  // NOLINT: some keep it.
  /// A method of cuda.core's begins.
  virtual void entered() {}
  /// Py_Finalize is about to begin.
  virtual void finalizing() {}
  /// Whether closed streams are refused. Else their handle is null, which means the default stream.
  virtual bool refuses_closed() const { return false; }

 protected:
  /// The graph holds `value` until it, its copies and their launches are gone; then CUDA's thread
  /// lets go of it, there and then.
  template <class T>
  Status attach(CUgraph graph, T value);

  Core& core_;

 private:
  template <class T>
  struct Payload {
    Core& core;
    T value;
  };
  template <class T>
  static void destroy(void* payload);
  CUresult create_user_object(CUgraph graph, void* payload, CUhostFn destroy, bool& created);
};

template <class T>
void Policy::destroy(void* data) {
  auto& payload = *static_cast<Payload<T>*>(data);
  const DestructorScope scope(payload.core);
  if constexpr (std::is_same_v<T, harness::Ref>) {
    const CallbackAttach attach(payload.core);
    payload.value.reset();
  } else {
    payload.value.reset();
  }
}

// The driver takes the reference over, or lets go of it in its own time.
template <class T>
Status Policy::attach(CUgraph graph, T value) {
  if (!value) return Status::ok;
  auto* payload = core_.arena.make<Payload<T>>(core_, std::move(value));
  bool created = false;
  const CUresult result = create_user_object(graph, payload, destroy<T>, created);
  if (!created) payload->value.reset();
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

}  // namespace targets::graph_argument
