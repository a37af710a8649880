// SPDX-License-Identifier: Apache-2.0
// Shadow: the script's actions, whatever a policy keeps: the windows that a run reached, and why
// something died. It receives facts, and changes nothing.
#pragma once

#include "scenarios/graph_argument/shadow/execs.h"
#include "scenarios/graph_argument/shadow/graphs.h"
#include "scenarios/graph_argument/shadow/things.h"

namespace scenarios::graph_argument {

/// Ownership: owned by the script; its records are in the run's arena. Borrows the scene.
class Shadow {
 public:
  explicit Shadow(harness::Scene& scene)
      : passages_(scene),
        records_(scene.world().arena),
        things_(scene, records_, users_, passages_),
        graphs_(records_, users_, passages_),
        execs_(scene, records_, users_, passages_) {}
  Shadow(const Shadow&) = delete;  // Its parts point at each other.
  Shadow& operator=(const Shadow&) = delete;

  // ---- who listens ----
  ShadowThings& things() { return things_; }
  const ShadowThings& things() const { return things_; }
  ShadowGraphs& graphs() { return graphs_; }
  ShadowExecs& execs() { return execs_; }

  Passages& passages() { return passages_; }
  const Passages& passages() const { return passages_; }
  /// Returns whether objects that graphs keep alive lead back to a graph that keeps them.
  bool has_cycle() const { return users_.has_cycle(); }

 private:
  Passages passages_;
  ShadowRecords records_;
  ShadowUsers users_{records_};
  ShadowThings things_;
  ShadowGraphs graphs_;
  ShadowExecs execs_;
};

}  // namespace scenarios::graph_argument
