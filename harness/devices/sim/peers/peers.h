// SPDX-License-Identifier: Apache-2.0
// Peers: the other processes of a run, from the point of view of one process's driver.
//
// Each process of a program has a driver and its own world. Other processes open its exports by
// handles. The shared state of all processes is kept outside of them
// (harness/client/outside/broker), and accessed through this interface. Without it nothing is
// shared.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/fault/fault.h"
#include "harness/devices/sim/kernels/used_range.h"

namespace harness::devices {

/// An object that a process has exported: the number of that process in the run, and the birth of
/// the object there.
struct PeerObject {
  std::uint32_t process = 0;  ///< 0 for none.
  std::uint32_t index = 0;
  bool operator==(const PeerObject&) const = default;
};

/// One piece of work of any process: the `tick`-th of a line in that process.
struct PeerPoint {
  std::uint32_t process = 0;
  std::uint32_t line = 0;
  std::uint32_t tick = 0;
};

/// A vector clock over the lines of all processes.
using PeerClock = std::vector<PeerPoint>;

/// A call of a process, or work that a call submitted. Names are unique in a run.
struct PeerCall {
  Label site;
  Fault::Source source;
};

enum class PeerKind : std::uint8_t { memory, event };

/// An exported object. Memory has its addresses in the exporter; its bytes are at `offset` in a
/// file.
struct PeerExport {
  PeerObject object;
  PeerKind kind = PeerKind::memory;
  Name life = 0;  ///< The name of its lifetime.
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  PeerCall born;
  bool outlives = false;  ///< It exists while any process has it, and does not end with its
                          ///< exporter.
};

/// The end of an object. Lost: its process was killed before ending it.
struct PeerEnd {
  PeerObject object;
  PeerCall by;
  bool is_lost = false;
};

/// A use of shared memory, with addresses of its exporter.
struct PeerUse {
  PeerObject object;
  PeerPoint at;
  PeerClock after;
  std::vector<UsedRange> ranges;
  PeerCall by;
};

/// The last record of an event.
struct PeerRecord {
  std::uint64_t count = 0;  ///< Number of the record; 0 if there is none.
  std::uint32_t process = 0;
  bool is_done = false;
  PeerClock clock;
};

/// Changes since the process's last exchange.
struct PeerNews {
  std::vector<PeerUse> uses;
  std::vector<PeerEnd> ended;
  PeerClock known;  ///< Work that some process has waited for.
};

struct PeerOpened {
  bool is_there = false;  ///< Whether it is alive; otherwise the other fields are not valid.
  PeerExport exported;
  int file = -1;  ///< Contains the bytes. The caller must close it.
};

/// The other processes that have an object open.
struct PeerMappings {
  unsigned count = 0;
  PeerCall opened;  ///< The first call that opened it.
};

/// Threads: while holding the driver. Errors: if there is no broker, nothing is shared.
class Peers {
 public:
  virtual ~Peers() = default;

  /// Returns the number of this process in the run, which it gets at the first call; 0 if it cannot
  /// share anything.
  virtual std::uint32_t process() = 0;
  /// Returns the number of the run, which is part of handles.
  virtual std::uint64_t run() = 0;

  /// Exports an object. `file` contains the bytes of memory; the caller keeps its ownership.
  /// Returns whether others can open it.
  virtual bool offer(const PeerExport& exported, int file) = 0;
  virtual PeerOpened open(PeerObject object, PeerKind kind, const PeerCall& by) = 0;
  virtual void close(PeerObject object) = 0;
  virtual PeerMappings mappings(PeerObject object) = 0;
  virtual void end(PeerObject object, const PeerCall& by) = 0;

  /// Notes a record of an event. Returns its number.
  virtual std::uint64_t record(PeerObject object, const PeerRecord& record) = 0;
  /// Notes that all work before a record is done.
  virtual void recorded(PeerObject object, std::uint64_t count) = 0;
  virtual PeerRecord last_record(PeerObject object) = 0;

  /// Sends the uses and known work of this process since the last exchange. Returns those of
  /// others.
  virtual PeerNews exchange(const std::vector<PeerUse>& uses, const PeerClock& known) = 0;
};

/// Makes the device of this process share through `peers`; null disables sharing. Applies to the
/// process.
void share_by(Peers* peers);

}  // namespace harness::devices
