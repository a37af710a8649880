// Something is used whose life has ended, on the host or on the device. Found in passing by the
// ledger.
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo use_after_death;
const OracleInfo use_after_death{
    "use_after_death", "something is used whose life has ended, on the host or on the device",
    fault_kinds(FaultKind::use_after_death), nullptr};

}  // namespace harness::oracles
