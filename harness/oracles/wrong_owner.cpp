// An owner ends a life of another generation than the one it was given. Found in passing by the
// ledger.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo wrong_owner;
const OracleInfo wrong_owner{"wrong_owner",
                             "an owner ends a life of another generation than the one it was given",
                             fault_kinds(FaultKind::wrong_owner), nullptr};

}  // namespace harness::oracles
