// Script: the Python side. Each method is a list of steps, named after bytecodes and C calls; other
// tasks may run between any two of them.
#pragma once

#include "targets/graph_argument/policy.h"
#include "targets/graph_argument/wrappers.h"

namespace targets::graph_argument {

/// Ownership: holds the script's globals; the heap owns what they refer to. Never destroyed.
class Script : public GraphArgument {
 public:
  Script(Core& core, Policy& policy) : core_(core), policy_(policy) { core.policy = &policy; }

  Status init() override;

  Status allocate(Variable into, StreamName stream, std::int32_t value) override;
  Status close_buffer(Variable buffer) override;
  Status set_deallocation_stream(Variable buffer, StreamName stream) override;
  Status link(Variable from, Variable to) override;

  Status load_module(Variable into) override;
  Status create_event(Variable into) override;
  Status close_event(Variable event) override;
  Status record(Variable event, StreamName stream) override;
  Status close_stream() override;

  Status create_definition(Variable into) override;
  Status add_kernel(Variable into, Variable definition, Variable module, Kernel kernel,
                    Variable first, Variable second) override;
  Status add_memcpy(Variable into, Variable definition, Variable target, Variable source) override;
  Status add_memset(Variable into, Variable definition, Variable target,
                    std::int32_t value) override;
  Status add_record(Variable into, Variable definition, Variable event) override;
  Status add_wait(Variable into, Variable definition, Variable event) override;
  Status add_callback(Variable into, Variable definition) override;
  Status add_child(Variable into, Variable definition, Variable child) override;
  Status get_child(Variable into, Variable node) override;
  Status add_conditional(Variable into, Variable definition, Condition condition,
                         std::uint32_t branch, Variable module) override;
  Status get_branch(Variable into, Variable node, std::uint32_t branch) override;
  Status set_params(Variable node, Variable first, Variable second) override;
  Status destroy_node(Variable node) override;
  Status clone(Variable into, Variable definition) override;
  Status add_alloc(Variable into, Variable definition) override;
  Status add_free(Variable into, Variable definition, Variable node) override;
  Status add_scratch(Variable into, Variable definition, Variable module, Variable node,
                     Variable buffer) override;
  Status set_attribute(Variable buffer, Variable definition) override;

  Status begin_building(Variable into) override;
  Status launch_captured(Variable builder, Variable module, Variable buffer) override;
  Status end_building(Variable builder) override;
  Status complete(Variable into, Variable builder) override;

  Status instantiate(Variable into, Variable definition) override;
  Status upload(Variable graph, StreamName stream) override;
  Status launch(Variable graph, StreamName stream) override;
  Status update_node(Variable graph, Variable node, Variable first, Variable second) override;
  Status update(Variable graph, Variable definition) override;
  Status close_graph(Variable graph) override;

  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status make_cycle(Variable variable) override;
  Status plant(Mischief mischief, Variable victim) override;
  Status collect(std::uint32_t generation) override;
  Kind kind(Variable variable) const override;
  NodeKind node_kind(Variable variable) const override;
  bool is_capturing(Variable variable) const override;

  Status synchronize(StreamName stream) override;
  Status synchronize_device() override;
  Status flood_pending_calls() override;

  Status drop_all(bool graphs) override;
  void wait_for_destructors(std::size_t count) override;
  void idle() override;
  Status finalize() override;
  harness::Interpreter& interpreter() override { return core_.interpreter; }

  /// Runs what a planted finalizer does.
  void run_trap(const TrapPayload& trap);

 private:
  using Ref = harness::Ref;

  /// A method runs: on a Python thread.
  class Op {
   public:
    explicit Op(Core& core) : core_(core), attach_(core.interpreter) {
      core_.order();
      core_.policy->entered();
    }
    ~Op() { core_.order(); }
    Op(const Op&) = delete;
    Op& operator=(const Op&) = delete;

   private:
    Core& core_;
    harness::AttachScope attach_;
  };

  /// A variable, what it is to hold, and where to.
  struct Wanted {
    Variable variable;
    const harness::TypeInfo& type;
    Ref& loaded;
  };

  /// A kernel node's parameters, as the driver is going to copy them.
  struct KernelCall {
    CUDA_KERNEL_NODE_PARAMS params{};
    CUgraphConditionalHandle condition = 0;
    CUdeviceptr x = 0;
    CUdeviceptr y = 0;
    float a = kSaxpyFactor;
    std::array<void*, 3> addresses{};
    Things things{};
    Owners owners;
  };

  // ---- script.cpp ----
  template <class Fact, class... Arguments>
  void tell(Fact fact, const Arguments&... arguments) {
    core_.facts.tell(fact, arguments...);
  }
  void step(harness::Label bytecode) {
    core_.order();
    core_.interpreter.step(bytecode);
    core_.order();
  }
  template <class Function>
  Status c_call(harness::Label name, Function function) {
    core_.order();
    return core_.interpreter.c_call(name, [&] {
      core_.make_current();
      core_.order();
      return core_.finalized ? Status::finalized : function();
    });
  }
  Status get(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  /// As a call does for what it is given.
  Status load(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  /// In this order; the first that fails is the last.
  Status load_all(std::initializer_list<Wanted> wanted);
  void store(Variable variable, Ref value);
  /// Stores what a call that came out well has made, and returns its status.
  Status keep(Variable into, Status status, Ref made);
  template <class Payload>
  Ref make(const harness::TypeInfo& type, Payload payload) {
    return core_.runtime.heap.make<Payload>(type, std::move(payload));
  }
  /// The stream's handle: null, which means the default stream, where a closed one is not refused.
  Status stream_of(StreamName name, CUstream& stream);

  // ---- script_objects.cpp ----
  Status fill(const DevicePtr& memory, std::int32_t value);
  Status write(const DevicePtr& memory, std::size_t offset, const void* bytes, std::size_t count);
  Status close_now(const Ref& buffer);
  void read_back(const Ref& buffer);

  // ---- script_definitions.cpp ----
  /// Whether the policy knows that the graph has gone with its owner.
  bool is_closed(const GraphBox& graph);
  Ref wrap_graph(Shared<GraphBox> graph);

  // ---- script_add_node.h ----
  /// Adds a node by `call(graph, dependencies, count, node)`.
  template <class Call>
  Status add_node(const Ref& definition, const NodeFacts& facts, const Owners& owners, Ref& made,
                  Call call);

  // ---- script_kernels.cpp ----
  /// The tuple of the arguments, and what does not depend on them.
  Status begin_call(const Shared<ModuleBox>& module, Work work, KernelCall& call);
  /// Fills in `call`, whose members point at each other.
  Status prepare_call(const Shared<ModuleBox>& module, Work work, const Ref& first,
                      const Ref& second, KernelCall& call);
  Status add_called(const Ref& definition, const NodeFacts& facts, const KernelCall& call,
                    Ref& made);
  Status add_kernel_node(const Ref& definition, const Shared<ModuleBox>& module, Work work,
                         const Ref& first, const Ref& second, Ref& made);
  /// What both ways to give a kernel node other buffers begin with.
  Status load_change(Variable node, Variable first, Variable second, std::array<Ref, 3>& loaded);
  Status prepare_change(const Ref& node, const Ref& first, const Ref& second, KernelCall& call);

  // ---- script_nodes.cpp ----
  Status add_event_node(Variable into, Variable definition, Variable event, Work work);
  Status add_copy_or_set(Variable into, Variable definition, Variable target, Variable source,
                         std::int32_t value);

  // ---- script_bodies.cpp ----
  /// The boxes and wrappers of a new conditional node's branches.
  void wrap_branches(const Ref& node, std::span<const CUgraph> graphs);
  Status add_leave(const Ref& loop, const Shared<ModuleBox>& module,
                   CUgraphConditionalHandle condition);

  // ---- script_builders.cpp ----
  /// The builder's handle of the graph that CUDA is making.
  Status own_capture(BuilderBox& box);

  // ---- script_graphs.cpp ----
  Status instantiate_now(const Shared<GraphBox>& graph, Ref& made);

  Core& core_;
  Policy& policy_;
  std::array<Ref, kVariableCount> variables_;
};

}  // namespace targets::graph_argument
