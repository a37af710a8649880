// SPDX-License-Identifier: Apache-2.0
// Sharing: what this process has exported to other processes of the run, and what it has opened of
// theirs.
//
// An object of another process stands in the tables of this one as if it were its own: a block
// without storage (Origin::foreign) with the life that the other process told of, or an event. A
// mapping is a block that leads to such one, as it leads to another process's in a run of tasks.
// Lines of work of other processes are lines here, so that clocks are compared as ever.
//
// Order. An event orders what it orders within a process. Of the rest (pipes, sockets,
// locks in shared memory) nothing is seen: work that any process has waited for counts as known to
// all from then on. So races are missed, and none is invented.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/devices/sim/peers/peers.h"
#include "harness/devices/sim/streams/data_race.h"
#include "harness/devices/sim/streams/stream.h"
#include "harness/devices/sim/streams/uses_elsewhere.h"

namespace harness::devices {

class SimDevice;
struct Event;

/// Threads: the run's thread. Lifetime: begin() forgets everything.
class Sharing final : public UseListener {
 public:
  explicit Sharing(SimDevice& sim) : sim_(sim) {}
  void begin();

  /// The process is a fork of the one that shared.
  void forked();
  /// Returns whether this process has exported or opened anything.
  bool is_on() const { return is_on_; }
  /// Returns the number of the run, for handles; 0 if nothing can be shared.
  static std::uint64_t run();
  /// Returns the number of this process in the run; 0 where nothing can be shared.
  static std::uint32_t own_number();
  /// Returns whether the object is this process's own.
  static bool is_own(PeerObject object);

  // ---- memory ----

  /// Exports a block. Returns its name for others; that of process 0 if there are none.
  PeerObject offer(std::uint32_t block);
  /// The process has no handle and no mapping any more of memory that another process exported.
  void let_go(std::uint32_t foreign);
  /// Returns the name for others of a block that this process has exported or opened.
  PeerObject name_of(std::uint32_t block) const { return names_.at(block); }
  /// Finds the block of another process's memory, opening it where it is not known yet. 0 where
  /// nothing of the name is alive.
  std::uint32_t find(PeerObject object);
  /// Begins a mapping of a block of another process.
  std::uint32_t map(std::uint32_t foreign);
  /// A mapping has ended.
  void closed(std::uint32_t mapping);
  /// Judges the free of a block that other processes may have open.
  void check_free(std::uint32_t block);
  /// A block has died.
  void ended(std::uint32_t block);

  // ---- events ----

  PeerObject offer(Event& event);
  /// Finds the event that stands for another process's. Null where nothing of the name is alive.
  Event* find_event(PeerObject object);
  /// An event was recorded here.
  void recorded(Event& event);
  /// Has an event say when it was last recorded, by whichever process.
  void refresh(Event& event);
  void ended(Event& event);

  /// A context has ended, and what was in it.
  void context_ended();

  // ---- what all do ----

  /// Learns what the others did.
  void hear();
  /// Returns what this process did and waited for.
  void tell();
  void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) override;
  /// Work at `at` has looked at a block for what others may have written there.
  void looked(std::uint32_t block, const OrderPoint& at);

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  static Key key(PeerObject object) { return {object.process, object.index}; }

  struct Undone {
    PeerObject object;
    std::uint64_t count;
    StreamPoint point;
  };

  bool start();
  UsesElsewhere elsewhere() const;
  PeerCall birth_of(BirthId id);
  PeerCall this_call();
  BirthId adopt(const PeerExport& exported, Label kind);
  void tell_earlier_uses(std::uint32_t block);
  void apply(const PeerNews& news, bool judges);
  void end_elsewhere(const PeerEnd& end);
  void look_for_records();
  LineIndex line_of(std::uint32_t process, std::uint32_t line);
  PeerPoint to_peers(const OrderPoint& point) const;
  PeerClock to_peers(const Clock& clock) const;
  Clock from_peers(const PeerClock& clock);

  SimDevice& sim_;
  bool is_on_ = false;
  std::map<Key, std::uint32_t> blocks_;  ///< Exported and opened ones, by name.
  std::map<Key, Event*> events_;
  std::map<std::uint32_t, PeerObject> names_;  ///< By block.
  std::map<Key, LineIndex> lines_;             ///< Lines of other processes.
  std::map<LineIndex, Key> origins_;           ///< The same, by the line here.
  std::vector<PeerUse> uses_;                  ///< Not told yet.
  Clock told_;                                 ///< All work up to here was told to be waited for.
  std::vector<Undone> undone_;                 ///< Records of this process whose work continues.
};

}  // namespace harness::devices
