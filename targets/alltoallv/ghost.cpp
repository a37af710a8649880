#include "targets/alltoallv/ghost.h"

namespace targets::alltoallv {

void Ghost::followed_null(harness::BirthId meant) {
  harness::Fault fault = ledger_.describe(harness::FaultKind::wild_access, meant);
  fault.fatal = true;
  fault.object_kind = "missing region";
  fault.detail = "the cache has no mapping for this key: a null pointer is followed, at 0x78";
  ledger_.scheduler().history().add(std::move(fault));
  ledger_.scheduler().die();
}

}  // namespace targets::alltoallv
