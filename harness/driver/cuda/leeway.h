// SPDX-License-Identifier: Apache-2.0
// Leeway: whether a driver may omit actions that are optional in its documentation ("may"). Without
// leeway it behaves like current drivers.
#pragma once

namespace harness {

struct World;

/// Grants leeway to the driver of a world, for the run that has begun on this thread.
void give_leeway(const World& world);
/// Returns whether leeway was granted.
bool has_leeway(const World& world);
/// Revokes the leeway at the beginning of a run.
void take_leeway_back();

}  // namespace harness
