// SPDX-License-Identifier: Apache-2.0
// Witness: the path as a script sees it. It records each call, forwards it, and judges the
// result.
#pragma once

#include "scenarios/graph_argument/bounded.h"
#include "scenarios/graph_argument/service.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Builders;
using targets::graph_argument::Definitions;
using targets::graph_argument::Executables;
using targets::graph_argument::Globals;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::Nodes;
using targets::graph_argument::Objects;
using targets::graph_argument::Process;

/// Judges a call of any part of the path.
/// Ownership: in the run's arena; borrows both members. Threads: those of the path.
class Judging {
 public:
  using Status = targets::graph_argument::Status;

  Judging(harness::Scene& scene, Model& model) : scene_(scene), model_(model) {}
  Model& model() { return model_; }

  /// Calls `function`, which calls the path.
  template <class Function>
  Status operator()(const Asked& asked, Function function) {
    Call& call = model_.begin(asked);
    const Status status = function();
    judge_answer(scene_, model_, call, status);
    if (call.finished_some) judge_runs(scene_, model_, false);
    model_.end(call, status);
    judge_bound(scene_, model_, call, status);
    return status;
  }
  void judge_capturing(Variable variable, bool said) {
    if (!model_.may_say_capturing(variable, said)) refuse_capturing(said);
  }

 private:
  void refuse_capturing(bool said);

  harness::Scene& scene_;
  Model& model_;
};

// Ownership of each: in the run's arena; borrows both members. Threads: those of the path.

class WitnessedProcess final : public Process {
 public:
  using Status = targets::graph_argument::Status;

  WitnessedProcess(Judging& judging, Process& path) : judging_(judging), path_(path) {}

  Status collect(std::uint32_t generation) override;
  Status synchronize(StreamName stream) override;
  Status synchronize_device() override;
  Status flood_pending_calls() override;

  // ---- nothing to judge ----
  Status init() override {
    const Status status = path_.init();
    judging_.model().begins();
    return status;
  }
  void wait_for_destructors(std::size_t count) override { path_.wait_for_destructors(count); }
  void idle() override { path_.idle(); }
  Status finalize() override {
    judging_.model().calls().finalizes();
    return path_.finalize();
  }
  harness::Interpreter& interpreter() override { return path_.interpreter(); }

 private:
  Judging& judging_;
  Process& path_;
};

class WitnessedGlobals final : public Globals {
 public:
  using Status = targets::graph_argument::Status;
  using FinalizerAction = targets::graph_argument::FinalizerAction;

  WitnessedGlobals(Judging& judging, Globals& path) : judging_(judging), path_(path) {}

  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status make_cycle(Variable variable) override;
  Status plant(FinalizerAction action, Variable victim) override;

  // ---- what a variable holds ----
  targets::graph_argument::Kind kind(Variable variable) const override {
    return path_.kind(variable);
  }
  targets::graph_argument::NodeKind node_kind(Variable variable) const override {
    return path_.node_kind(variable);
  }
  bool is_capturing(Variable variable) const override;

  // ---- nothing to judge ----
  Status drop_all(bool graphs) override { return path_.drop_all(graphs); }

 private:
  Judging& judging_;
  Globals& path_;
};

class WitnessedObjects final : public Objects {
 public:
  using Status = targets::graph_argument::Status;

  WitnessedObjects(Judging& judging, Objects& path) : judging_(judging), path_(path) {}

  Status allocate(Variable into, StreamName stream, std::int32_t value) override;
  Status close_buffer(Variable buffer) override;
  Status set_deallocation_stream(Variable buffer, StreamName stream) override;
  Status link(Variable from, Variable to) override;
  Status load_module(Variable into) override;
  Status create_event(Variable into) override;
  Status close_event(Variable event) override;
  Status record(Variable event, StreamName stream) override;
  Status close_stream() override;
  Status set_attribute(Variable buffer, Variable definition) override;

 private:
  Judging& judging_;
  Objects& path_;
};

class WitnessedDefinitions final : public Definitions {
 public:
  using Status = targets::graph_argument::Status;

  WitnessedDefinitions(Judging& judging, Definitions& path) : judging_(judging), path_(path) {}

  Status create_definition(Variable into) override;
  Status add_child(Variable into, Variable definition, Variable child) override;
  Status get_child(Variable into, Variable node) override;
  Status add_conditional(Variable into, Variable definition, Condition condition,
                         std::uint32_t branch, Variable module) override;
  Status get_branch(Variable into, Variable node, std::uint32_t branch) override;
  Status clone(Variable into, Variable definition) override;

 private:
  Judging& judging_;
  Definitions& path_;
};

class WitnessedNodes final : public Nodes {
 public:
  using Status = targets::graph_argument::Status;

  WitnessedNodes(Judging& judging, Nodes& path) : judging_(judging), path_(path) {}

  Status add_kernel(Variable into, Variable definition, Variable module, Kernel kernel,
                    Variable first, Variable second) override;
  Status add_memcpy(Variable into, Variable definition, Variable target, Variable source) override;
  Status add_memset(Variable into, Variable definition, Variable target,
                    std::int32_t value) override;
  Status add_record(Variable into, Variable definition, Variable event) override;
  Status add_wait(Variable into, Variable definition, Variable event) override;
  Status add_callback(Variable into, Variable definition) override;
  Status set_params(Variable node, Variable first, Variable second) override;
  Status destroy_node(Variable node) override;
  Status add_alloc(Variable into, Variable definition) override;
  Status add_free(Variable into, Variable definition, Variable node) override;
  Status add_scratch(Variable into, Variable definition, Variable module, Variable node,
                     Variable buffer) override;

 private:
  Judging& judging_;
  Nodes& path_;
};

class WitnessedBuilders final : public Builders {
 public:
  using Status = targets::graph_argument::Status;

  WitnessedBuilders(Judging& judging, Builders& path) : judging_(judging), path_(path) {}

  Status begin_building(Variable into) override;
  Status launch_captured(Variable builder, Variable module, Variable buffer) override;
  Status end_building(Variable builder) override;
  Status complete(Variable into, Variable builder) override;

 private:
  Judging& judging_;
  Builders& path_;
};

class WitnessedExecutables final : public Executables {
 public:
  using Status = targets::graph_argument::Status;

  WitnessedExecutables(Judging& judging, Executables& path) : judging_(judging), path_(path) {}

  Status instantiate(Variable into, Variable definition) override;
  Status upload(Variable graph, StreamName stream) override;
  Status launch(Variable graph, StreamName stream) override;
  Status update_node(Variable graph, Variable node, Variable first, Variable second) override;
  Status update(Variable graph, Variable definition) override;
  Status close_graph(Variable graph) override;

 private:
  Judging& judging_;
  Executables& path_;
};

/// Ownership: in the run's arena; borrows the scene, the model and the parts of the path.
class Witness {
 public:
  Witness(harness::Scene& scene, Model& model, const GraphArgument& path)
      : judging_(scene, model),
        process_(judging_, path.process),
        globals_(judging_, path.globals),
        objects_(judging_, path.objects),
        definitions_(judging_, path.definitions),
        nodes_(judging_, path.nodes),
        builders_(judging_, path.builders),
        executables_(judging_, path.executables) {}
  Witness(const Witness&) = delete;  // Its parts point at judging_.
  Witness& operator=(const Witness&) = delete;

  /// Returns the same path, every call of which is judged.
  const GraphArgument& parts() const { return parts_; }

 private:
  Judging judging_;
  WitnessedProcess process_;
  WitnessedGlobals globals_;
  WitnessedObjects objects_;
  WitnessedDefinitions definitions_;
  WitnessedNodes nodes_;
  WitnessedBuilders builders_;
  WitnessedExecutables executables_;
  GraphArgument parts_{process_, globals_, objects_, definitions_, nodes_, builders_, executables_};
};

}  // namespace scenarios::graph_argument
