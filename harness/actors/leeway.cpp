// SPDX-License-Identifier: Apache-2.0
// Leeway: the driver does only what it must, where its documentation says that it may do more.
#include "harness/cuda/leeway.h"

#include "harness/scenario.h"

namespace harness::actors {
namespace {

void install(Scene& scene) { give_leeway(scene.world()); }

}  // namespace

extern const ActorInfo leeway;
const ActorInfo leeway{"leeway", "the driver may omit what the documentation only permits",
                       install};

}  // namespace harness::actors
