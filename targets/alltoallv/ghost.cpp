#include "targets/alltoallv/ghost.h"

namespace targets::alltoallv {

using harness::BirthId;
using harness::Fault;
using harness::FaultKind;

// The count of another mapping is stolen; or one that is 0 already wraps.
void Ghost::let_go(Hold& hold, BirthId met, std::uint64_t count) {
  const Order order(this);
  if (count == 0) {
    report(ledger_.describe(FaultKind::double_free, met));
  } else if (met != hold.region) {
    ledger_.wrong_owner(hold.region, met);
  }
  if (met == hold.region) hold.held = false;
}

void Ghost::ended(const Hold& hold) {
  if (!hold.held || !ledger_.alive(hold.region)) return;
  const Order order(this);
  Fault fault = ledger_.describe(FaultKind::retention, hold.region);
  fault.object_kind = "reference to a mapping";
  fault.death_site = {};
  fault.detail = "the collective is over and still counted";
  report(std::move(fault));
}

void Ghost::closed_while_held(BirthId region, std::uint64_t count) {
  if (count == 0) return;
  const Order order(this);
  Fault fault = ledger_.describe(FaultKind::wrong_owner, region);
  fault.detail = "closed while collectives hold it";
  report(std::move(fault));
}

void Ghost::followed_null(const Hold& hold) {
  Fault fault = ledger_.describe(FaultKind::wild_access, hold.region);
  fault.fatal = true;
  fault.object_kind = "missing region";
  fault.detail = "the cache has no mapping for this key: a null pointer is followed, at 0x78";
  report(std::move(fault));
  ledger_.scheduler().die();
}

}  // namespace targets::alltoallv
