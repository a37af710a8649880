// SPDX-License-Identifier: Apache-2.0
// DataRaces: the happens-before order of device work that the program establishes, and uses of
// memory that race, although this run happened to serialise them.
//
// The order of host calls is taken from this run. Work follows earlier work in its stream, work
// that its stream waits for, and work that the submitting task knew to be done (host_knowledge.h).
// Dependencies that a pool adds at run time are not an order on which a program may rely. The same
// holds for stream memory operations, except that a wait on memory orders later work; see
// passed_wait().
//
// Source: vector clocks as in FastTrack (Flanagan and Freund 2009), with streams for threads.
// Departure: at most kAccessLimit byte ranges per block instead of a shadow per word, so that a
// race may be missed in memory that very many pieces of work share. No race is reported falsely.
//
// A *staged copy* is a synchronous copy from pageable memory: the call returns when the driver has
// read the bytes, and by the documentation the copy itself may end later. Today's drivers have
// completed a small one by then, so that later work races with it only by the documentation. Such
// races are reported with kStagedCopy; those with a large copy like any other. Threads: the run's
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/records.h"
#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/kernels/used_range.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/devices/sim/streams/host_knowledge.h"
#include "harness/devices/sim/streams/host_uses.h"

namespace harness::devices {

/// Object kind of a race with a staged copy that had returned.
inline constexpr Label kStagedCopy = "bytes of a staged copy";

/// A use of memory, by a piece of work or by the host (then `at` has no line).
struct OrderedUse {
  OrderPoint at;
  const Clock& after;  ///< The clock of the work before it.
  Label site;
  StagedCopies staged = 0;      ///< Its number, if it is a staged copy.
  StagedCopies returned = ~0u;  ///< Number of staged copies that had returned when it was
                                ///< submitted.
  Fault::Source source{};
  bool was_judged = false;  ///< Whether the process that made this use has checked it against
                            ///< others.
};

/// Receives uses of blocks that are shared with other processes.
class UseListener {
 public:
  virtual ~UseListener() = default;
  virtual void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) = 0;
};

/// The staged copies of a run, counted by their calls.
class Staging {
 public:
  void begin_run() { count_ = 0; }
  /// Returns the number of the copy whose call begins; 0 if the copy is so large that today's
  /// drivers also complete it late, so that it is not a staged copy.
  StagedCopies begin_copy(std::uint64_t bytes) { return bytes < kLateBytes ? ++count_ : 0; }
  StagedCopies count() const { return count_; }
  /// Sets whether staged copies are done when they return, as on today's drivers, or may be late.
  /// Applies to all runs of the device.
  void have_them_done(bool done) { are_done_ = done; }
  bool are_done() const { return are_done_; }

 private:
  /// Source: an H200 with driver 580.159.04, row order.pageable in results/gpu: 998 of 1000 late.
  static constexpr std::uint64_t kLateBytes = 64 * 1024;

  StagedCopies count_ = 0;
  bool are_done_ = false;
};

class DataRaces {
 public:
  friend class HostUses;
  friend class UsesElsewhere;

  DataRaces(Ledger& ledger, Memory& memory) : ledger_(ledger), memory_(memory) {}

  /// With `on` false, nothing is recorded or checked.
  void begin(bool on);
  /// Ends the run.
  void end() { knowledge_.end(); }
  bool on() const { return on_; }
  bool is_only_line(LineIndex line) const { return line_count_ == 1 && line == 0; }

  // ---- order established by the program ----

  /// Adds a piece of work to a line, whose clock `clock` is then updated for the next piece.
  OrderPoint advance(LineIndex& line, Clock& clock);
  /// Returns the first of `count` new lines, one for each sequence of work.
  LineIndex take_lines(std::uint32_t count);
  /// Returns the number of the run; lines of other runs are invalid.
  std::uint32_t run() const { return run_; }
  /// Returns the work that some task, and so the driver, knows to be done.
  const Clock& host() const { return host_; }
  /// Returns the work that the running task knows to be done, which precedes everything that it
  /// does from now on.
  const Clock& caller() { return on_ ? knowledge_.mine() : host_; }
  void host_saw(const Clock& clock);
  /// Notes that the driver calls a function of the program on the running task, after that work.
  void function_starts(const Clock& clock);

  /// Returns a copy of a clock for a waiting task. Lifetime: until tell_host(), or the end of the
  /// run.
  Clock& remember(const Clock& clock);
  void tell_host(Clock& remembered);

  /// Notes that a wait on memory at `at` is over. The writer of the value is unknown, so all work
  /// that is done by now counts as preceding the work after the wait. Races may be missed, but none
  /// is reported falsely.
  void passed_wait(const OrderPoint& at) { passed_waits_.push_back({at, done_}); }
  void done(const OrderPoint& point) { done_.include(point); }

  Staging& staging() { return staging_; }
  HostUses& host_uses() { return host_uses_; }

  // ---- uses ----

  /// Returns whether the bytes that a kernel uses on a stream must be recorded.
  bool wants_footprints(bool is_default_stream) const {
    return !is_default_stream || line_count_ > 1 || host_uses_.is_watched();
  }

  /// Notes the allocation at `by`, which uses must follow.
  void allocated(std::uint32_t block, const OrderPoint& by);
  /// Notes the allocation of a block that had earlier lifetimes.
  void lives_again(std::uint32_t block, const OrderPoint& by);
  /// Checks the use of [range.low, range.high) of a block, in its own addresses.
  void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by);
  /// Checks a use of a block with unknown bytes.
  void used(std::uint32_t block, const OrderedUse& by);
  /// Reports that two blocks of a kernel use the same bytes, and one writes.
  void blocks_raced(std::uint32_t block, const UsedRange& range, const OrderedUse& by);
  /// Reports that the host has written bytes that queued work still had to use.
  void host_wrote(std::uint32_t block, const OrderedUse& by);
  /// Checks the end of a block.
  void freed(std::uint32_t block, const OrderedUse& by);

 private:
  static constexpr std::size_t kAccessLimit = 32;
  static constexpr std::size_t kLogLimit = 256;

  struct LastUse {
    OrderPoint at;
    Label site;
    StagedCopies staged;
    Fault::Source source;
  };
  struct Access {
    UsedRange range;
    LastUse by;
  };
  /// A use while there was only one line, so that there was nothing to compare. Empty without a
  /// range.
  struct Logged {
    std::uint32_t block;
    std::uint32_t tick;
    std::uint64_t low;
    std::uint64_t high;
    Label site;
    StagedCopies staged;
    StagedCopies returned;
    AccessMode mode;
    Fault::Source source;
  };
  /// A wait on memory, and the work that was done at its end.
  struct PassedWait {
    OrderPoint at;
    Clock done;
    bool is_of_others = false;  ///< It may also order any work of other processes.
  };
  /// The known uses of a block. Kept from run to run to reuse the storage.
  struct Uses {
    std::uint32_t run = 0;  ///< The run of these uses.
    bool raced = false;     ///< A race was reported. One per block is enough, except for its end
    bool raced_with_staged = false;  ///< and for staged copies, which are reported separately.
    OrderPoint allocated;
    Name allocation = 0;           ///< The activation that made the allocation.
    std::vector<LastUse> last;     ///< One for each line, and one for its staged copies.
    std::vector<Access> accesses;  ///< Accesses that no later one has covered.
  };

  Uses& uses_of(std::uint32_t block);
  static std::string in_words(std::uint64_t base, const UsedRange& first, const UsedRange& second);
  bool logs(std::uint32_t block, const UsedRange& range, const OrderedUse& by);
  void read_log();
  void enter(std::uint32_t block, const UsedRange& range, const OrderedUse& by);
  bool comes_before(const OrderPoint& point, const OrderedUse& use) const;
  bool comes_before_wait(const OrderPoint& point, const OrderedUse& use) const;
  static LastUse allocation_of(const Uses& uses);
  static LastUse last_use(const OrderedUse& by) { return {by.at, by.site, by.staged, by.source}; }
  static bool is_ordered_today(const LastUse& other, const OrderedUse& by);
  void enter_range(std::uint32_t block, Uses& uses, const UsedRange& range, const OrderedUse& by);
  void check_access(std::uint32_t block, Uses& uses, const UsedRange& range, const OrderedUse& by);
  Fault fault_of(std::uint32_t block, const char* how, Label other) const;
  void report_race(std::uint32_t block, Uses& uses, const OrderedUse& by, const LastUse& other,
                   const char* how);
  void report_end(std::uint32_t block, const OrderedUse& by, const LastUse& other, const char* how);

  Ledger& ledger_;
  Memory& memory_;
  bool on_ = false;
  UseListener* listener_ = nullptr;
  std::vector<LineIndex> lines_elsewhere_;  ///< Lines of other processes, in order.
  std::uint32_t run_ = 0;
  std::uint32_t line_count_ = 0;
  Staging staging_;
  HostUses host_uses_{*this};
  HostKnowledge knowledge_;
  Clock host_;
  Clock done_;
  std::vector<PassedWait> passed_waits_;  ///< In the order in which they ended.
  std::vector<std::unique_ptr<Clock>> remembered_;
  std::vector<Clock*> spare_;
  Records<Logged> log_;
  std::vector<std::unique_ptr<Uses>> uses_;  ///< By block.
};

}  // namespace harness::devices
