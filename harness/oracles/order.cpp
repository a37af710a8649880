// Device work uses memory, and the program orders it neither before nor after another use that
// conflicts, or the end of that memory, even if it happened to come out well in this run. Found in
// passing by the simulated driver.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo order;
const OracleInfo order{"order", "device work that conflicts is ordered by the program",
                       fault_kinds(FaultKind::order), nullptr};

}  // namespace harness::oracles
