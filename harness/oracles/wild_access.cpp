// The device touches an address that nobody gave it. Found in passing by the device.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo wild_access;
const OracleInfo wild_access{"wild_access", "the device touches an address that nobody gave it",
                             fault_kinds(FaultKind::wild_access), nullptr};

}  // namespace harness::oracles
