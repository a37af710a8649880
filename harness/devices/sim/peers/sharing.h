// SPDX-License-Identifier: Apache-2.0
// Sharing: the exports of this process to other processes of the run, and the objects of others
// that it has opened.
//
// An object of another process is in the tables of this one like its own objects: as a block
// without storage (Origin::foreign) with the lifetime that the other process reported, or as an
// event. A mapping is a block that leads to it, like one of another process in a run of tasks.
// Lines of work of other processes are lines here, so that clocks can be compared as usual.
//
// Order. An event orders the same as within a process. Other synchronisation (pipes, sockets, locks
// in shared memory) is not visible, so work that any process has waited for counts as known to all
// from then on. Races may be missed, but none is reported falsely.
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

  /// Resets the state in a fork of a process that shared.
  void forked();
  /// Returns whether this process has exported or opened anything.
  bool is_on() const { return is_on_; }
  /// Returns the number of the run, for handles; 0 if nothing can be shared.
  static std::uint64_t run();
  /// Returns the number of this process in the run; 0 if nothing can be shared.
  static std::uint32_t own_number();
  /// Returns whether the object belongs to this process.
  static bool is_own(PeerObject object);

  // ---- memory ----

  /// Exports a block. Returns its name for other processes; process 0 if it cannot be shared.
  PeerObject offer(std::uint32_t block);
  /// Notes that the process has no handle and no mapping of another process's memory any more.
  void let_go(std::uint32_t foreign);
  /// Returns the name for other processes of a block that this process has exported or opened.
  PeerObject name_of(std::uint32_t block) const { return names_.at(block); }
  /// Finds the block for another process's memory, and opens it if it is unknown. Returns 0 if no
  /// object with this name is alive.
  std::uint32_t find(PeerObject object);
  /// Begins a mapping of a block of another process.
  std::uint32_t map(std::uint32_t foreign);
  /// Notes that a mapping has ended.
  void closed(std::uint32_t mapping);
  /// Checks the free of a block that other processes may have open.
  void check_free(std::uint32_t block);
  /// Notes that a block has died.
  void ended(std::uint32_t block);

  // ---- events ----

  PeerObject offer(Event& event);
  /// Finds the event for another process's event. Returns null if no such event is alive.
  Event* find_event(PeerObject object);
  /// Notes that an event was recorded here.
  void recorded(Event& event);
  /// Updates an event to its last record by any process.
  void refresh(Event& event);
  void ended(Event& event);

  /// Notes that a context has ended, with its objects.
  void context_ended();

  // ---- exchange ----

  /// Receives what other processes did.
  void hear();
  /// Sends what this process did and waited for.
  void tell();
  void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) override;
  /// Notes that work at `at` has read a block that others may have written.
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
  std::map<Key, std::uint32_t> blocks_;  ///< Exported and opened blocks, by name.
  std::map<Key, Event*> events_;
  std::map<std::uint32_t, PeerObject> names_;  ///< By block.
  std::map<Key, LineIndex> lines_;             ///< Lines of other processes.
  std::map<LineIndex, Key> origins_;           ///< The reverse of `lines_`.
  std::vector<PeerUse> uses_;                  ///< Not sent yet.
  Clock reported_;                             ///< Work up to here was reported as waited for.
  std::vector<Undone> undone_;                 ///< Records of this process whose work is not done.
};

}  // namespace harness::devices
