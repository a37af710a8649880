// SPDX-License-Identifier: Apache-2.0
// Model: what a script has, by what it asked for and when CUDA did it. It knows nothing of
// policies; the judges compare the path with it.
//
// The question comes from the witness, its coming true from the path, as plain facts; which
// life of the ledger belongs to it, from the ledger.
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
  /// The path is made: the script's streams are there.
  void begins();
  void referred(Variable variable, Wrapper wrapper);
  void stored(Variable variable, Wrapper wrapper);
  /// Nodes of a definition run one after another.
  void comes_after(std::size_t count);
  /// Returns the call that CUDA has done something for; null if none was asked for.
  const Call* bound();
  void closed(Wrapper wrapper);
  void waits(StreamName stream);
  void finished(StreamName stream);
  /// The device has run all that it was given: by who waited for it, and is not a call of the
  /// path's.
  void finished_all();
  void accepted_closed() {
    if (Call* call = calls_.current()) call->accepted_closed = true;
  }
  void met_ended() {
    if (Call* call = calls_.current()) call->met_ended = true;
  }

  // ---- what there is ----
  /// Returns whether a builder in the variable may be said to be capturing, or not to be.
  bool may_say_capturing(Variable variable, bool said) const;
  /// Returns whether another call ends the builder's capture, well or not.
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
  /// Holds the user objects that CUDA has made for the call.
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

/// Something that was not there had been used by then, and that was no mistake of the caller's:
/// from then on no one knows who holds what, and all that follows may follow from it.
bool went_wrong(const harness::Scene& scene, harness::Tick by);

}  // namespace scenarios::graph_argument
