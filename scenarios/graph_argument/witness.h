// Witness: the path as a script meets it. It writes down what is asked before it passes it on, and
// has the answer judged.
#pragma once

#include "scenarios/graph_argument/bounded.h"
#include "scenarios/graph_argument/service.h"

namespace scenarios::graph_argument {

/// Ownership: in the run's arena; borrows all three. Threads: those of the path.
class Witness final : public targets::graph_argument::GraphArgument {
 public:
  using Status = targets::graph_argument::Status;
  using Mischief = targets::graph_argument::Mischief;

  Witness(harness::Scene& scene, Model& model, GraphArgument& path)
      : scene_(scene), model_(model), path_(path) {}

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
  Status synchronize(StreamName stream) override;
  Status synchronize_device() override;
  Status flood_pending_calls() override;

  // ---- nothing to judge ----
  Status init() override {
    const Status status = path_.init();
    model_.begins();
    return status;
  }
  Status drop_all(bool graphs) override { return path_.drop_all(graphs); }
  void wait_for_destructors(std::size_t count) override { path_.wait_for_destructors(count); }
  void idle() override { path_.idle(); }
  Status finalize() override {
    model_.finalizes();
    return path_.finalize();
  }
  targets::graph_argument::Kind kind(Variable variable) const override {
    return path_.kind(variable);
  }
  targets::graph_argument::NodeKind node_kind(Variable variable) const override {
    return path_.node_kind(variable);
  }
  bool is_capturing(Variable variable) const override {
    const bool said = path_.is_capturing(variable);
    if (!model_.may_say_capturing(variable, said))
      scene_.refuse("builder",
                    said ? "captures, and has ended" : "does not capture, and has not ended");
    return said;
  }
  harness::Interpreter& interpreter() override { return path_.interpreter(); }

 private:
  template <class Function>
  Status judged(const Asked& asked, Function function) {
    Call& call = model_.begin(asked);
    const Status status = function();
    judge_answer(scene_, model_, call, status);
    if (call.finished_some) judge_runs(scene_, model_, false);
    model_.end(call, status);
    judge_bound(scene_, model_, call, status);
    return status;
  }

  harness::Scene& scene_;
  Model& model_;
  GraphArgument& path_;
};

}  // namespace scenarios::graph_argument
