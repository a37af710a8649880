// SPDX-License-Identifier: Apache-2.0
// Model: the state of a script, from its calls and from the facts of the path. It does not know the
// policies.
//
//   update.h  facts -> state            refuse.h  state -> statuses that a call may return
//   expect.h  state -> contents of blocks           reach.h  state -> windows
#pragma once

#include "scenarios/graph_argument/model/losses.h"

namespace scenarios::graph_argument {

/// Ownership: in the run's arena; borrows the scene.
struct Model {
  explicit Model(harness::Scene& the_scene)
      : scene(the_scene),
        calls(the_scene.world()),
        names(the_scene.world()),
        records(the_scene.world()),
        losses(the_scene.world().ledger, calls, names, records) {}
  Model(const Model&) = delete;  // Its parts point at each other.
  Model& operator=(const Model&) = delete;

  harness::Scene& scene;
  Calls calls;
  Names names;
  Records records;
  Losses losses;
  /// Objects that were there for too long, even if they are gone by now.
  std::pmr::vector<Holding> overdue;
  /// Handles of graphs and nodes that CUDA no longer has.
  std::pmr::vector<std::uint64_t> dead_handles;
  std::size_t destructed = 0;  ///< Destructors of user objects that have returned.
  bool flooded = false;        ///< Python's queue was filled.
  bool stuck = false;       ///< CUDA's threads have deferred objects, and no pending call for them.
  bool finalizing = false;  ///< Py_Finalize was called.
  bool ended = false;       ///< The script has ended.
  /// A graph keeps an object alive that keeps the graph, and the script has dropped both.
  bool keeps_itself = false;
};

}  // namespace scenarios::graph_argument
