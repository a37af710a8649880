// SPDX-License-Identifier: Apache-2.0
// HostUses: uses by the program of memory that it shares with the device. The driver knows them
// only if they are watched.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/base/label.h"
#include "harness/devices/sim/kernels/used_range.h"
#include "harness/devices/sim/streams/clock.h"

namespace harness::devices {

class DataRaces;

/// The program's use is the last one, and precedes all work submitted later. So it is compared with
/// the known uses of the block, and is not recorded. Only byte ranges count, because the program
/// may use a block while the device uses another part of it.
///
/// Ownership: belongs to the DataRaces that it compares with. Threads: the run's thread.
class HostUses {
 public:
  explicit HostUses(DataRaces& races) : races_(races) {}

  void begin();
  /// Enables watching for the run: kernels then record footprints on every stream.
  void watch() { is_watched_ = true; }
  bool is_watched() const { return is_watched_; }

  /// Returns how the block is used by work that the running task does not know to be done: `write`
  /// if the program must not use those bytes, `read` if it must not write them. Returns nothing if
  /// there is no such use, or if a race was reported already.
  std::optional<AccessMode> unseen(std::uint32_t block) const;
  /// Checks a use on the running task. A read of bytes that a stream memory operation or an atomic
  /// has written gives the task knowledge of all work that was done by then.
  void use(std::uint32_t block, const UsedRange& range, Label site);
  /// Notes that a stream memory operation has written bytes that the program may poll.
  void announce(std::uint64_t address, std::uint64_t bytes);

 private:
  /// Bytes that are a signal, and the work that was done when they were written.
  struct Sign {
    UsedRange range;
    Clock done;
  };

  void learn(std::uint32_t block, const UsedRange& range);

  DataRaces& races_;
  bool is_watched_ = false;
  std::vector<Sign> signs_;
};

}  // namespace harness::devices
