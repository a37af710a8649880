// Ghost: what the script did, whatever a policy kept: which windows a run reached, and why
// something died. It hears facts, and changes nothing.
#pragma once

#include "scenarios/graph_argument/ghost/execs.h"
#include "scenarios/graph_argument/ghost/graphs.h"
#include "scenarios/graph_argument/ghost/things.h"

namespace scenarios::graph_argument {

/// Ownership: the script's; what it remembers is in the run's arena. Borrows the scene.
class Ghost {
 public:
  explicit Ghost(harness::Scene& scene)
      : passages_(scene),
        records_(scene.world().arena),
        things_(scene, records_, users_, passages_),
        graphs_(records_, users_, passages_),
        execs_(scene, records_, users_, passages_) {}
  Ghost(const Ghost&) = delete;  // Its parts point at each other.
  Ghost& operator=(const Ghost&) = delete;

  // ---- who listens ----
  GhostThings& things() { return things_; }
  const GhostThings& things() const { return things_; }
  GhostGraphs& graphs() { return graphs_; }
  GhostExecs& execs() { return execs_; }

  Passages& passages() { return passages_; }
  const Passages& passages() const { return passages_; }
  /// Says if something that graphs keep alive leads back to a graph that keeps it.
  bool has_cycle() const { return users_.has_cycle(); }

 private:
  Passages passages_;
  GhostRecords records_;
  GhostUsers users_{records_};
  GhostThings things_;
  GhostGraphs graphs_;
  GhostExecs execs_;
};

}  // namespace scenarios::graph_argument
