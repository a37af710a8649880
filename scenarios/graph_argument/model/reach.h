// SPDX-License-Identifier: Apache-2.0
// Reach: the windows that a run reaches, by what may still use an object, and the window of a
// fault.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Notes that the run has reached the window.
void reach(Model& model, Window window);
/// The script has lost the thing, or it ends. Reaches the window of its next use if a launch that
/// works on it may be running. Returns that window.
Window reach_by_loss(Model& model, const Thing& thing);
/// The executable is about to be launched. Reaches the windows of what its nodes have lost.
void reach_by_launch(Model& model, const Exec& exec);

/// Returns the window of a use of the thing if it died now.
Window window_of(const Records& records, const Thing& thing);
/// Returns whether the nodes have a thing that the script has lost, and nothing else may use.
bool has_last_of(const Records& records, const NodeList& nodes);
/// Returns whether objects that graphs keep alive lead back to a graph that keeps them.
bool has_cycle(const Records& records);

/// Returns the window of a fault, or -1.
int window_of(const Model& model, const harness::Fault& fault);

}  // namespace scenarios::graph_argument
