// Something is used whose storage someone else lives in by now. Found in passing by the ledger.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo recycled_use;
const OracleInfo recycled_use{"recycled_use",
                              "something is used whose storage someone else lives in by now",
                              fault_kinds(FaultKind::recycled_use), nullptr};

}  // namespace harness::oracles
