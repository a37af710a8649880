// SPDX-License-Identifier: Apache-2.0
// Peers: the other processes of a run, for the driver of one of them.
//
// Each process of a program has a driver and its own world. What a process exports, others open by
// a handle; what must be known of it everywhere is kept outside of all of them
// (harness/client/broker), and asked for through this interface. Without one nothing is shared.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"
#include "harness/fault.h"

namespace harness::devices {

/// An object that a process has exported, by the number of that process in the run and the birth of
/// the object there.
struct PeerObject {
  std::uint32_t process = 0;  ///< 0 for none.
  std::uint32_t index = 0;
  bool operator==(const PeerObject&) const = default;
};

/// One piece of work of any process: the `tick`-th of a line there.
struct PeerPoint {
  std::uint32_t process = 0;
  std::uint32_t line = 0;
  std::uint32_t tick = 0;
};

/// A vector clock over the lines of all processes.
using PeerClock = std::vector<PeerPoint>;

/// A call of a process, or work that a call gave to a stream. Names are unique in a run.
struct PeerCall {
  Label site;
  Fault::Source source;
};

enum class PeerKind : std::uint8_t { memory, event };

/// Memory has its addresses in the process that exports it. Its bytes are at `offset` of a file.
struct PeerExport {
  PeerObject object;
  PeerKind kind = PeerKind::memory;
  Name life = 0;  ///< The name of its life.
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  PeerCall born;
  bool outlives = false;  ///< It lasts while any process has it, and ends with none of them.
};

/// The end of an object. Lost: its process was killed, and nothing ended it.
struct PeerEnd {
  PeerObject object;
  PeerCall by;
  bool is_lost = false;
};

/// A use of memory that is shared, by addresses of its exporter.
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

/// Changes since the process last heard of any.
struct PeerNews {
  std::vector<PeerUse> uses;
  std::vector<PeerEnd> ended;
  PeerClock known;  ///< The work that some process has waited for.
};

struct PeerOpened {
  bool is_there = false;  ///< It lives; else the fields that follow mean nothing.
  PeerExport exported;
  int file = -1;  ///< Has the bytes. The caller's to close.
};

/// The other processes that have an object open.
struct PeerMappings {
  unsigned count = 0;
  PeerCall opened;  ///< The first that did.
};

/// Threads: for code that has the driver. Errors: where nothing answers, nothing is shared.
class Peers {
 public:
  virtual ~Peers() = default;

  /// Returns the number of this process in the run, which it is given when first asked; 0 if it
  /// cannot share anything.
  virtual std::uint32_t process() = 0;
  /// Returns the number of the run, which handles carry.
  virtual std::uint64_t run() = 0;

  /// Exports an object. `file` has the bytes of memory; it stays the caller's. Returns whether
  /// others can open it.
  virtual bool offer(const PeerExport& exported, int file) = 0;
  virtual PeerOpened open(PeerObject object, PeerKind kind, const PeerCall& by) = 0;
  virtual void close(PeerObject object) = 0;
  virtual PeerMappings mappings(PeerObject object) = 0;
  virtual void end(PeerObject object, const PeerCall& by) = 0;

  /// Notes a record of an event. Returns its number.
  virtual std::uint64_t record(PeerObject object, const PeerRecord& record) = 0;
  /// Notes that all before a record is done.
  virtual void recorded(PeerObject object, std::uint64_t count) = 0;
  virtual PeerRecord last_record(PeerObject object) = 0;

  /// Returns what this process did and waited for since. Returns the news.
  virtual PeerNews exchange(const std::vector<PeerUse>& uses, const PeerClock& known) = 0;
};

/// Has the device of this process share by `peers`; null for not at all. Holds for the process.
void share_by(Peers* peers);

}  // namespace harness::devices
