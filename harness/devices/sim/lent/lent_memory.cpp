// SPDX-License-Identifier: Apache-2.0
// How it works. A loan enters the ledger only when it ends, because most loans end after the
// driver's last use, and are not needed in a report.
#include "harness/devices/sim/lent/lent_memory.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {
namespace {

constexpr Label kKind = "host memory";

/// Programs pass small numbers instead of pointers.
constexpr std::uint64_t kLowestAddress = 1 << 16;

const char* until(LentFor use) {
  switch (use) {
#define LENT(name, given, until) \
  case LentFor::name:            \
    return until;
#include "harness/devices/sim/lent/lent.def"
#undef LENT
  }
  return "";
}

/// Returns whether a graph node uses it. It is not known when the last graph, executable and launch
/// is done with a node, so the loan ends with the memory, and then matters only for running work.
bool is_of_node(LentFor use) { return use == LentFor::copy_node || use == LentFor::host_node; }

bool is_for_a_function(LentFor use) {
  return use == LentFor::host_function || use == LentFor::host_node;
}

}  // namespace

void LentMemory::begin() {
  listener_ = nullptr;
  count_ = 0;
  loans_.clear();
  addresses_.clear();
  dead_.clear();
}

/// Only the birth of registered memory is recorded.
static Name birth_of(LentId id, LentFor use, Name lender) {
  return use == LentFor::registered
             ? lender
             : derive_name(lender, kKind.hash(), static_cast<std::uint32_t>(id));
}

LentMemory::Loans::const_iterator LentMemory::find(LentFor use, std::uint64_t address,
                                                   std::uint64_t bytes) const {
  auto [one, end] = loans_.equal_range(address);
  while (one != end && (one->second.use != use || one->second.high != address + bytes)) ++one;
  return one != end ? one : loans_.end();
}

LentId LentMemory::lend(LentFor use, std::uint64_t address, std::uint64_t bytes) {
  if (listener_ == nullptr || address < kLowestAddress || sim_.memory().range().contains(address))
    return LentId::none;
  if (is_of_node(use))
    if (const auto known = find(use, address, bytes); known != loans_.end())
      return known->second.id;
  const LentId id{++count_};
  const CapturedAt at{sim_.scheduler().site(), sim_.world().picker.current().name};
  const std::uint32_t block =
      use == LentFor::registered ? sim_.memory().registered(address, bytes) : 0;
  loans_.insert({address, {id, use, address + bytes, at, block}});
  addresses_[id] = address;
  listener_->lent(address, birth_of(id, use, at.activation));
  return id;
}

void LentMemory::give_back(LentId id) {
  const auto lent = addresses_.find(id);
  if (lent == addresses_.end()) return;
  auto [one, end] = loans_.equal_range(lent->second);
  while (one != end && one->second.id != id) ++one;
  listener_->returned(lent->second);
  loans_.erase(one);
  addresses_.erase(lent);
}

std::uint64_t LentMemory::first_in(std::uint64_t low, std::uint64_t high) const {
  const auto first = loans_.lower_bound(low);
  return first != loans_.end() && first->first < high ? first->first : high;
}

bool LentMemory::end(std::uint64_t low, std::uint64_t high) {
  bool has_function = false;
  for (auto one = loans_.lower_bound(low); one != loans_.end() && one->first < high;) {
    const auto [address, loan] = *one++;
    if (loan.high > high) continue;
    has_function |= is_for_a_function(loan.use);
    die(address, loan);
    give_back(loan.id);
  }
  return has_function;
}

void LentMemory::die(std::uint64_t address, const Loan& loan) {
  const Label born_in = loan.use == LentFor::registered ? loan.at.site : Label("allocation");
  Activation born{birth_of(loan.id, loan.use, loan.at.activation), {}, {}};
  Activation* const ender = sim_.world().picker.enter(born);
  const Label end = sim_.scheduler().site();
  SiteScope::rename(sim_.scheduler(), born_in);
  const BirthId life = sim_.ledger().born(kKind, address, loan.high - address);
  SiteScope::rename(sim_.scheduler(), end);
  sim_.world().picker.leave_to(ender);
  sim_.ledger().died(life);
  if (loan.block != 0) sim_.memory().block(loan.block).lost = life;
  dead_[loan.id] = {life, loan.use, loan.at};
}

bool LentMemory::used(LentId id, const LentUse& use) {
  if (dead_.empty() || id == LentId::none) [[likely]]
    return true;
  const auto found = dead_.find(id);
  if (found == dead_.end()) return true;
  const Dead& dead = found->second;
  Fault fault = sim_.ledger().describe(FaultKind::use_after_free, dead.life);
  if (!use.site.empty()) fault.use_site = use.site;
  if (use.activation != 0) fault.activation = use.activation;
  fault.use = {fault.activation, 0, use.stream};
  fault.code = use.code;
  const CapturedAt& at = use.captured.activation != 0 ? use.captured : dead.at;
  fault.captured = at.activation;
  fault.captured_at = at.site;
  fault.detail = fmt::format("lent to {} {}", at.site.view(), until(dead.use));
  sim_.world().history.add(std::move(fault));
  return false;
}

}  // namespace harness::devices
