// SPDX-License-Identifier: Apache-2.0
// ModelBinder: updates the model when CUDA has done the work of a call. The object that CUDA has
// made is the newest of its kind that this op has made; other ops may have made more since.
#pragma once

#include "scenarios/graph_argument/model/losses.h"

namespace scenarios::graph_argument {

/// Records a capture while the call waits for the device, which invalidates both.
void meet_capture(Call& waiting, Wrapped& builder);

/// Returns the newest object of that kind born in the current activation; none if it has ended.
harness::BirthId newest_life(harness::World& world, harness::Label kind);

/// Ownership: borrows all members.
class ModelBinder {
 public:
  ModelBinder(harness::World& world, const ModelCalls& calls, ModelNames& names,
              ModelThings& things, ModelGraphs& graphs, ModelRuns& runs, ModelLosses& losses)
      : world_(world),
        calls_(calls),
        names_(names),
        things_(things),
        graphs_(graphs),
        runs_(runs),
        losses_(losses) {}

  /// CUDA has done an operation for the call.
  void bind(Call& call);

 private:
  void bind_object(Call& call);
  void bind_node(Call& call);
  void bind_inside(Call& call);
  void bind_definition(Call& call);
  void bind_exec(Call& call);
  harness::BirthId newest(harness::Label kind) const { return newest_life(world_, kind); }
  void make_thing(Call& call, Kind kind, harness::Label life);
  ModelGraph& make_graph(ModelGraph* parent, harness::BirthId life);
  Wrapped& wrap_graph(Call& call, Kind kind, ModelGraph* graph);
  void begin_building(Call& call);
  void destroy_node(Wrapped& node);
  ModelNode& add(Call& call, ModelGraph& graph, ModelNode node);
  void add_conditional(Call& call);
  void change(Call& call);
  void instantiate(Call& call, ModelGraph& graph);
  void launch(Call& call);
  void update_node(Call& call);
  void update(Call& call);

  harness::World& world_;
  const ModelCalls& calls_;
  ModelNames& names_;
  ModelThings& things_;
  ModelGraphs& graphs_;
  ModelRuns& runs_;
  ModelLosses& losses_;
};

}  // namespace scenarios::graph_argument
