// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/host_watch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "harness/client/border/report.h"
#include "harness/devices/sim/memory/host_memory.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

using devices::AccessMode;
using devices::Block;
using devices::HostMemory;
using devices::Origin;
using devices::SimDevice;

/// Limit of observed accesses per call. A loop over a whole allocation is not observed to its end,
/// because a data race would show near its beginning.
constexpr unsigned kAccessLimit = 4096;

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void set_protection(std::uintptr_t low, std::uintptr_t high, int protection) {
  mprotect(reinterpret_cast<void*>(low), high - low, protection);
}

}  // namespace

const int HostWatch::kOpen = PROT_READ | PROT_WRITE;

/// The watched blocks that the current instruction of this thread accesses.
static thread_local std::vector<std::uint32_t> stepping;

// ---- with the driver --------------------------------------------------------------------------

void HostWatch::begin_call() {
  for (Watched& one : watched_) one.access_count = 0;
}

void HostWatch::lift() {
  if (is_lifted_) return;
  for (const Watched& one : watched_)
    if (one.protection != kOpen) set_protection(one.low, one.high, kOpen);
  is_lifted_ = true;
}

void HostWatch::ask_of_new(World& world, SimDevice& device) {
  for (; seen_blocks_ < device.memory().block_count(); ++seen_blocks_) {
    const Block& block = device.memory().block(seen_blocks_);
    const bool is_candidate = HostMemory::is_visible(block) && block.exported == 0 &&
                              block.origin != Origin::registered && !block.dead;
    if (!is_candidate || world.picker.pick(Site::watch, 2) == 0) continue;
    const std::uintptr_t low = block.base / page_bytes() * page_bytes();
    const std::uintptr_t end = block.base + block.bytes + page_bytes() - 1;
    watched_.push_back({seen_blocks_, low, end / page_bytes() * page_bytes()});
    device.data_races().host_uses().watch();
  }
}

int HostWatch::wanted_protection(SimDevice& device, const Watched& watched) {
  if (watched.stepping_threads != 0 || watched.access_count > kAccessLimit) return kOpen;
  const std::optional<AccessMode> unseen = device.data_races().host_uses().unseen(watched.block);
  if (!unseen) return kOpen;
  return *unseen == AccessMode::read ? PROT_READ : PROT_NONE;
}

/// If two allocations share a page, it gets the stricter protection, which is set last.
void HostWatch::protect(World& world) {
  auto& device = static_cast<SimDevice&>(*world.device);
  ask_of_new(world, device);
  std::erase_if(watched_,
                [&](const Watched& one) { return device.memory().block(one.block).dead; });
  for (Watched& one : watched_) one.protection = wanted_protection(device, one);
  for (const int protection : {PROT_READ, PROT_NONE})
    for (const Watched& one : watched_)
      if (one.protection == protection) {
        is_lifted_ = false;
        set_protection(one.low, one.high, protection);
      }
  if (!is_lifted_) AccessTrap::listen(*this);
}

// ---- accesses of the program ------------------------------------------------------------------

/// An access by the driver itself is not the program's, and crashes as usual.
bool HostWatch::met(std::uintptr_t address, bool writes, std::uintptr_t code) {
  if (World::current() != nullptr) return false;
  names_.coming_to_access(code);
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  const bool is_ours = open_for_step(address);
  if (is_ours) judge(process.world(), address, writes);
  process.unlock();
  return is_ours;
}

bool HostWatch::open_for_step(std::uintptr_t address) {
  bool is_ours = false;
  for (Watched& one : watched_) {
    if (address < one.low || address >= one.high || one.protection == kOpen) continue;
    is_ours = true;
    one.access_count = AccessTrap::sees_end() ? one.access_count + 1 : kAccessLimit + 1;
    if (!AccessTrap::sees_end()) continue;
    ++one.stepping_threads;
    stepping.push_back(one.block);
  }
  return is_ours;
}

void HostWatch::judge(World& world, std::uintptr_t address, bool writes) {
  auto& device = static_cast<SimDevice&>(*world.device);
  const std::uint32_t block = device.memory().newest(address);
  const bool is_watched =
      std::ranges::any_of(watched_, [&](const Watched& one) { return one.block == block; });
  if (!is_watched) return;  // It shares the page with a watched allocation.
  const Label how = Label::of(writes ? client::kOwnWrite : client::kOwnRead);
  Activation access = names_.access(how);
  Activation* const caller = world.picker.enter(access);
  device.data_races().host_uses().use(
      block, {address, address + 1, writes ? AccessMode::write : AccessMode::read}, how);
  world.picker.leave_to(caller);
}

void HostWatch::over() {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  for (const std::uint32_t block : stepping)
    for (Watched& one : watched_)
      if (one.block == block) --one.stepping_threads;
  stepping.clear();
  process.unlock();
}

}  // namespace harness::entries
