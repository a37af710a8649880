// SPDX-License-Identifier: Apache-2.0
// HostUses: uses of memory that the program shares with the device by the program itself, which the
// driver hears of only where something watches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/label.h"

namespace harness::devices {

class DataRaces;

/// The program's use comes last: all work that is submitted later comes after it. So it is compared
/// with what is known of the block, and not kept. Only ranges count, as the program may well use a
/// block of which the device uses another part.
///
/// Ownership: belongs to the DataRaces that it compares with. Threads: the run's thread.
class HostUses {
 public:
  explicit HostUses(DataRaces& races) : races_(races) {}

  void begin();
  /// From now on something watches: kernels leave footprints on any stream. Holds for the run.
  void watch() { is_watched_ = true; }
  bool is_watched() const { return is_watched_; }

  /// Returns how work that the running task has not seen to be done uses the block: `write` where
  /// the program may use no byte of that, `read` where it may write none; nothing otherwise, or
  /// where a race was told already.
  std::optional<AccessMode> unseen(std::uint32_t block) const;
  /// Judges a use on the running task. Who reads what a stream memory operation, or an atomic, has
  /// written learns of all that was done by then.
  void use(std::uint32_t block, const UsedRange& range, Label site);
  /// A stream memory operation has written what the program may look for.
  void announce(std::uint64_t address, std::uint64_t bytes);

 private:
  /// Bytes that are a sign, and what was done when it was written.
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
