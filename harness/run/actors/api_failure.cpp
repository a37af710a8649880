// SPDX-License-Identifier: Apache-2.0
// API failure: an error may be injected into any CUDA call that can fail.
#include "harness/run/scenario/scenario.h"

namespace harness::actors {
namespace {

void install_api_failure(Scene& scene) { scene.world().calls_may_fail = true; }

}  // namespace

extern const ActorInfo api_failure;
const ActorInfo api_failure{.name = "api_failure",
                            .summary = "errors are injected into CUDA calls that can fail",
                            .install = install_api_failure,
                            .injects_errors = true};

}  // namespace harness::actors
