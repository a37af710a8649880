// The target's own code is ended by a signal or an abort, or has no end. Found by the runner, which
// goes on.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo crash;
const OracleInfo crash{"crash", "the target's own code ends, and not by a signal or an abort",
                       fault_kinds(FaultKind::crash), nullptr};

}  // namespace harness::oracles
