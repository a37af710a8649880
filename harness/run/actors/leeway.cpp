// SPDX-License-Identifier: Apache-2.0
// Leeway: the driver omits everything that is optional in its documentation.
#include "harness/driver/cuda/leeway.h"

#include "harness/run/scenario/scenario.h"

namespace harness::actors {
namespace {

void install_leeway(Scene& scene) { give_leeway(scene.world()); }

}  // namespace

extern const ActorInfo leeway;
const ActorInfo leeway{"leeway", "the driver may omit what the documentation only permits",
                       install_leeway};

}  // namespace harness::actors
