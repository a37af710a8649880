// SPDX-License-Identifier: Apache-2.0
// Policy: defines what a graph keeps alive for its nodes, and which code releases it. One for each
// variant; this base class behaves as cuda.core 0.7.0.
#pragma once

#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

/// Objects that a node's parameters point into.
struct Owners {
  Shared<ModuleBox> module;
  harness::Ref arguments;                   ///< The tuple of a kernel node's arguments.
  harness::Ref operands;                    ///< Tuple of the buffers of a copy or set.
  std::array<Shared<DevicePtr>, 2> memory;  ///< Memory of those buffers.
  Shared<EventBox> event;
  harness::Ref function;  ///< Function that a host node calls.

  bool any() const { return module || arguments || operands || memory[0] || event || function; }
};

/// Defines when a builder owns the graph that it captures.
enum class Captured : std::uint8_t {
  lost_with_builder,  ///< The builder owns it once it has ended the capture. Before, it has no
                      ///< owner. 0.7.0.
  owned_at_once,      ///< The builder owns it from the start, whatever CUDA does with it. #2008.
  owned_when_ended,   ///< The builder owns it once it has ended the capture, even if it does so in
                      ///< its destructor.
};

/// Ownership: made in the run's arena, one per run.
/// Threads: with the GIL, except for callbacks on CUDA's threads.
class Policy {
 public:
  explicit Policy(Core& core) : core_(core) {}
  virtual ~Policy() = default;

  /// Calls that the modelled version of cuda.core has.
  static constexpr Api kApi{};

  // ---- nodes ----
  /// Called before a node is added or gets new parameters. A failure has changed nothing.
  virtual Status prepare(GraphBox&, const Owners&, Keeping*& /*prepared*/) { return Status::ok; }
  /// Called if the CUDA call failed.
  virtual void roll_back(GraphBox&, Keeping* /*prepared*/) {}
  /// Called if the CUDA call succeeded. `definition` is the wrapper that was called. A failure here
  /// leaves the node as it is.
  virtual Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                        const Owners& owners, Keeping* prepared);
  virtual void destroyed(GraphBox&, CUgraphNode) {}
  /// Called when the box has no holder. CUDA may still hold the graph.
  virtual void dropped(GraphBox&) {}
  virtual void dropped(ExecBox&) {}
  /// Returns whether boxes know that their graph was destroyed with its node.
  virtual bool sets_tombstones() const { return false; }

  virtual Captured captured() const { return Captured::lost_with_builder; }

  // ---- executables ----
  virtual CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& /*keeping*/) {
    return cuGraphInstantiate(&exec, graph.graph, 0);
  }
  /// Called around the update of one node.
  virtual void prepare_update(ExecBox&, const Owners&) {}
  virtual void roll_back_update(ExecBox&) {}
  virtual CUresult update(ExecBox& exec, GraphBox& graph) {
    CUgraphExecUpdateResultInfo result;
    return cuGraphExecUpdate(exec.exec, graph.graph, &result);
  }

  // ---- the GIL ----
  /// Returns whether CUDA calls keep the GIL. cuda.core releases it.
  virtual bool keeps_gil() const { return false; }

  // ---- the end of things ----
  virtual void release(Garbage garbage) { carry_out(core_, garbage); }  // NOLINT: some keep it.
  /// Called when a method of cuda.core begins.
  virtual void entered() {}
  /// Called before Py_Finalize.
  virtual void finalizing() {}
  /// Returns whether closed streams are refused. If not, they mean the default stream.
  virtual bool refuses_closed() const { return false; }

 protected:
  /// Makes the graph hold `value` until it, its copies and their launches are gone. Then CUDA's
  /// thread releases `value` at once.
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

// Transfers the reference to the driver. If it creates no user object, the value is released here.
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
