// A call does its work: it fails only where a failure was injected, or where the scenario lists the
// refusal with its reason. Found in passing: scenarios judge the answers of their path by
// Scene::refuse.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo service;
const OracleInfo service{"service",
                         "a call does its work unless a failure was injected or it is documented",
                         fault_kinds(FaultKind::refusal), nullptr};

}  // namespace harness::oracles
