// SPDX-License-Identifier: Apache-2.0
// Model: the state of a script, from its calls and from when CUDA did them. It does not know the
// policies; the judges compare the path with it.
//
// The witness reports the calls, the path reports plain facts about their execution, and the ledger
// identifies the objects.
#pragma once

#include "scenarios/graph_argument/model/binder.h"
#include "scenarios/graph_argument/model/values.h"

namespace scenarios::graph_argument {

/// Ownership: in the run's arena; borrows the scene.
class Model {
 public:
  explicit Model(harness::Scene& scene);
  Model(const Model&) = delete;  // Its parts point at each other.
  Model& operator=(const Model&) = delete;

  // ---- calls ----
  Call& begin(const Asked& asked);
  void end(Call& call, targets::graph_argument::Status status);

  // ---- facts ----
  /// The path is made: the script's streams exist.
  void begins();
  void referred(Variable variable, Wrapper wrapper);
  void stored(Variable variable, Wrapper wrapper);
  /// The node about to be added depends on `count` others.
  void comes_after(std::size_t count);
  /// Returns the call for which CUDA has done something, or null.
  const Call* bound();
  void closed(Wrapper wrapper);
  void waits(StreamName stream);
  void finished(StreamName stream);
  /// The device has finished all its work, according to code that is not a call of the
  /// path.
  void finished_all();
  void accepted_closed() {
    if (Call* call = calls_.current()) call->accepted_closed = true;
  }
  void met_ended() {
    if (Call* call = calls_.current()) call->met_ended = true;
  }

  // ---- what there is ----
  /// Returns whether the path may say that the variable's builder is capturing, or is not.
  bool may_say_capturing(Variable variable, bool said) const;
  /// Returns whether another call is ending the builder's capture, successfully or not.
  bool is_ending(const Wrapped& builder, const Call& but) const;
  const harness::Scene& scene() const { return scene_; }
  ModelCalls& calls() { return calls_; }
  const ModelCalls& calls() const { return calls_; }
  const ModelNames& names() const { return names_; }
  const ModelThings& things() const { return things_; }
  const ModelGraphs& graphs() const { return graphs_; }
  const ModelRuns& runs() const { return runs_; }
  ModelLosses& losses() { return losses_; }
  const ModelLosses& losses() const { return losses_; }
  const ModelValues& values() const { return values_; }

 private:
  void fail(const Call& call, targets::graph_argument::Status status);
  /// Records the user objects that CUDA has made for the call.
  void hold_user_objects(const Call& call);

  harness::Scene& scene_;
  ModelCalls calls_;
  ModelNames names_;
  ModelThings things_;
  ModelGraphs graphs_;
  ModelRuns runs_;
  ModelLosses losses_;
  ModelBinder binder_;
  ModelValues values_;
};

/// Returns whether an ended object had been used by then, other than by a caller error. Afterwards
/// it is unknown who holds what, and later faults may be consequences.
bool went_wrong(const harness::Scene& scene, harness::Tick by);

}  // namespace scenarios::graph_argument
