// Somebody waits for ever, polls for ever, runs for ever, or left by an exception. Found by the
// scheduler.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo progress;
const OracleInfo progress{"progress", "every task comes to its end",
                          fault_kinds(FaultKind::deadlock, FaultKind::livelock,
                                      FaultKind::step_limit, FaultKind::uncaught),
                          nullptr};

}  // namespace harness::oracles
