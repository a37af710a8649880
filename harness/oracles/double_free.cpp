// A life is ended twice. Found in passing by the ledger.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo double_free;
const OracleInfo double_free{"double_free", "a life is ended twice",
                             fault_kinds(FaultKind::double_free), nullptr};

}  // namespace harness::oracles
