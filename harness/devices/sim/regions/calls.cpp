// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/regions/calls.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "harness/core/fault/kinds.h"

namespace harness::devices {
namespace {

/// Reports an error about a region.
void tell(SimDevice& sim, FaultKind kind, const Region& region, const char* detail) {
  Fault fault = sim.ledger().describe(kind, region.birth);
  fault.detail = detail;
  if (!region.name.empty())
    fault.detail += fmt::format("{}named '{}'", fault.detail.empty() ? "" : "; ", region.name);
  sim.world().history.add(std::move(fault));
}

/// Returns whether [base, base + bytes) is inside a live block of the device.
bool is_of_device(SimDevice& sim, std::uint64_t base, std::uint64_t bytes) {
  const std::uint32_t index = sim.memory().newest(base);
  const Block& block = sim.memory().block(index);
  return index != 0 && !block.dead && block.holds(base, bytes) &&
         block.process == sim.scheduler().process();
}

}  // namespace

std::uint32_t RegionCalls::add_heap(const std::string& name) const {
  static std::set<std::string> kinds;  // Kept, because a label refers to its text.
  const std::string& kind = *kinds.insert("memory region of " + name).first;
  return sim.memory().regions().add_heap(name.empty() ? Label("memory region")
                                                      : Label::of(kind.c_str()));
}

void RegionCalls::end_all(std::uint32_t heap, bool forget) const {
  Regions& regions = sim.memory().regions();
  for (std::uint32_t number = 1; number <= regions.count(); ++number) {
    if (regions.at(number).heap != heap) continue;
    if (sim.ledger().alive(regions.at(number).birth)) end(number);
    regions.at(number).is_forgotten |= forget;
  }
}

std::uint32_t RegionCalls::add(std::uint32_t heap, std::uint64_t base, std::uint64_t bytes) const {
  Regions& regions = sim.memory().regions();
  if (heap == 0 || heap > regions.heap_count() || bytes == 0 || !is_of_device(sim, base, bytes))
    return 0;
  const std::uint32_t before = regions.find(base, Regions::kNow);
  if (before != 0 && regions.at(before).heap == heap &&
      sim.ledger().alive(regions.at(before).birth))
    tell(sim, FaultKind::api_misuse, regions.at(before), "given out again while it is in use");
  const BirthId from = before != 0 ? regions.at(before).birth : BirthId::none;
  return regions.add(base, bytes, heap,
                     sim.ledger().born(regions.kind_of(heap), base, bytes, from));
}

std::uint32_t RegionCalls::starting_at(std::uint64_t base) const {
  Regions& regions = sim.memory().regions();
  const std::uint32_t number = regions.find(base, Regions::kNow);
  return number != 0 && regions.at(number).base == base ? number : 0;
}

void RegionCalls::end(std::uint32_t number) const {
  Regions& regions = sim.memory().regions();
  if (number == 0 || number > regions.count()) return;
  const Region& region = regions.at(number);
  if (!sim.ledger().alive(region.birth)) return sim.ledger().double_free(region.birth);
  sim.ledger().died(region.birth);
  regions.end(number);
}

void RegionCalls::resize(std::uint32_t number, std::uint64_t bytes) const {
  Regions& regions = sim.memory().regions();
  if (number == 0 || number > regions.count() || bytes == 0) return;
  if (is_of_device(sim, regions.at(number).base, bytes)) regions.resize(number, bytes);
}

bool admit_region(SimDevice& sim, std::uint64_t address, std::uint64_t bytes) {
  Regions& regions = sim.memory().regions();
  const std::uint32_t number = regions.find(address, Regions::kNow);
  if (number == 0) return true;
  const Region& region = regions.at(number);
  if (!sim.ledger().alive(region.birth)) {
    if (!sim.faults().spared(region.birth)) {
      tell(sim, FaultKind::use_after_free, region, "");
      return false;
    }
  } else if (bytes > region.bytes - (address - region.base)) {
    tell(sim, FaultKind::api_misuse, region, "beyond the end of the region");
    return false;
  }
  return true;
}

}  // namespace harness::devices
