// A call that the API's documentation forbids. Found in passing by the seam and the device.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo api_misuse;
const OracleInfo api_misuse{"api_misuse", "a call that the API's documentation forbids",
                            fault_kinds(FaultKind::api_misuse), nullptr};

}  // namespace harness::oracles
