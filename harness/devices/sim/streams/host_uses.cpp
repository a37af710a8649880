// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/host_uses.h"

#include <algorithm>
#include <string>

#include "harness/devices/sim/streams/data_race.h"

namespace harness::devices {

static bool overlap(const UsedRange& one, const UsedRange& other) {
  return one.low < other.high && other.low < one.high;
}

void HostUses::begin() {
  is_watched_ = false;
  signs_.clear();
}

std::optional<AccessMode> HostUses::unseen(std::uint32_t block) const {
  if (!races_.on()) return std::nullopt;
  races_.read_log();
  const DataRaces::Uses& uses = races_.uses_of(block);
  if (uses.raced) return std::nullopt;
  const OrderedUse now{{}, races_.caller(), {}};
  std::optional<AccessMode> unseen;
  for (const DataRaces::Access& access : uses.accesses) {
    if (races_.comes_before(access.by.at, now)) continue;
    if (access.range.mode != AccessMode::read) return AccessMode::write;
    unseen = AccessMode::read;
  }
  return unseen;
}

/// Checks a use by the host. Atomics are how a kernel communicates with the program, and do not
/// race here.
void HostUses::use(std::uint32_t block, const UsedRange& range, Label site) {
  races_.read_log();
  learn(block, range);
  DataRaces::Uses& uses = races_.uses_of(block);
  const OrderedUse by{{}, races_.caller(), site};
  for (const DataRaces::Access& access : uses.accesses) {
    const AccessMode mode = access.range.mode;
    const bool conflicts =
        mode == AccessMode::write || (mode == AccessMode::read && range.mode == AccessMode::write);
    if (!conflicts || !overlap(access.range, range) || races_.comes_before(access.by.at, by))
      continue;
    const std::string how =
        DataRaces::in_words(races_.memory_.block(block).base, access.range, range);
    return races_.report_race(block, uses, by, access.by, how.c_str());
  }
}

/// If a program reads a value that announces the end of work, it knows that the earlier work is
/// done.
void HostUses::learn(std::uint32_t block, const UsedRange& range) {
  for (const Sign& sign : signs_)
    if (overlap(sign.range, range)) races_.host_saw(sign.done);
  const auto& accesses = races_.uses_of(block).accesses;
  const bool is_sign = std::ranges::any_of(accesses, [&](const DataRaces::Access& access) {
    return access.range.mode == AccessMode::atomic && overlap(access.range, range);
  });
  if (is_sign) races_.host_saw(Clock(races_.done_));
}

/// A later announcement replaces an earlier one at the same place, since it covers more work.
void HostUses::announce(std::uint64_t address, std::uint64_t bytes) {
  if (!is_watched_) return;
  const UsedRange range{address, address + bytes, AccessMode::write};
  std::erase_if(signs_, [&](const Sign& sign) {
    return range.low <= sign.range.low && sign.range.high <= range.high;
  });
  signs_.push_back({range, races_.done_});
}

}  // namespace harness::devices
