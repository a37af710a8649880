// A result differs from the reference model's. Found in passing: drivers compare by Scene::expect.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo functional_result;
const OracleInfo functional_result{"functional_result",
                                   "a result differs from the reference model's",
                                   fault_kinds(FaultKind::wrong_value), nullptr};

}  // namespace harness::oracles
