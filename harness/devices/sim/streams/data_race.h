// SPDX-License-Identifier: Apache-2.0
// DataRaces: which device work comes after which by the program's own orders, and so which uses of
// memory race although this run happened to serialise them.
//
// The order of host calls is taken as this run made it. Work comes after the work before it in its
// stream, after what its stream was told to wait for, and after what the task that submitted it
// knew to be done (host_knowledge.h). What a pool or a stream's memory operations arrange at run
// time is not order that a program may rely on, but for waits on memory, for what comes after them:
// see passed_wait().
//
// Source: vector clocks as in FastTrack (Flanagan and Freund 2009), with streams for threads. Where
// we depart: byte ranges per block instead of a shadow per word, at most kAccessLimit of them, so
// that a race may be missed in memory that very many pieces of work share; none is ever invented.
//
// A *staged copy* is a synchronous copy from pageable memory: the call returns when the driver has
// the bytes, and by the documentation the copy itself may end later. Drivers of today have a small
// one ended, so that what is submitted afterwards races with it by the documentation alone. Such
// races are reported as of kStagedCopy; of a large one they are as any other. Threads: the run's
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/devices/sim/streams/host_knowledge.h"
#include "harness/devices/sim/streams/host_uses.h"
#include "harness/ledger.h"
#include "harness/records.h"

namespace harness::devices {

/// The kind of object of a race with a staged copy that had returned.
inline constexpr Label kStagedCopy = "bytes of a staged copy";

/// A use of memory, by a piece of work or by the host (then `at` is not a line's).
struct OrderedUse {
  OrderPoint at;
  const Clock& after;  ///< The clock of what comes before it.
  Label site;
  StagedCopies staged = 0;      ///< Its number, if it is a staged copy.
  StagedCopies returned = ~0u;  ///< This many had returned when it was submitted.
  Fault::Source source{};
  bool was_judged = false;  ///< Another process, whose use it is, has compared it with others.
};

/// Hears of uses of blocks that are shared with other processes.
class UseListener {
 public:
  virtual ~UseListener() = default;
  virtual void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) = 0;
};

/// The staged copies of a run, counted by their calls.
class Staging {
 public:
  void begin_run() { count_ = 0; }
  /// Returns the number of the copy whose call begins; 0 where drivers of today have one of this
  /// many bytes late, too: it is not a staged copy then.
  StagedCopies begin_copy(std::uint64_t bytes) { return bytes < kLateBytes ? ++count_ : 0; }
  StagedCopies count() const { return count_; }
  /// Says whether they are done when they return, as on drivers of today, or may be late. Holds
  /// for all runs of the device.
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

  /// With `on` false nothing is kept, and nothing is judged.
  void begin(bool on);
  /// The run is over.
  void end() { knowledge_.end(); }
  bool on() const { return on_; }
  bool is_only_line(LineIndex line) const { return line_count_ == 1 && line == 0; }

  // ---- what the program orders ----

  /// The next piece of work of a line, whose clock is `clock`, which becomes what comes before the
  /// piece after it.
  OrderPoint advance(LineIndex& line, Clock& clock);
  /// Lines for this many chains of work; the first of them.
  LineIndex take_lines(std::uint32_t count);
  /// Returns the number of the run: lines mean nothing in another.
  std::uint32_t run() const { return run_; }
  /// Returns the work that some task has seen to be done, and so the driver.
  const Clock& host() const { return host_; }
  /// Returns the work that the running task knows to be done: it comes before all that it does from
  /// now on.
  const Clock& caller() { return on_ ? knowledge_.mine() : host_; }
  void host_saw(const Clock& clock);
  /// The driver calls a function of the program on the running task, after that work.
  void function_starts(const Clock& clock);

  /// A clock as it is now, for another who waits. Lifetime: until told, or the run ends.
  Clock& remember(const Clock& clock);
  void tell_host(Clock& remembered);

  /// A wait on memory at `at` is over. Who wrote the value is not known, so all that was done by
  /// now counts as before what comes after the wait: races are missed then, but none is invented.
  void passed_wait(const OrderPoint& at) { passed_waits_.push_back({at, done_}); }
  void done(const OrderPoint& point) { done_.include(point); }

  Staging& staging() { return staging_; }
  HostUses& host_uses() { return host_uses_; }

  // ---- what is used ----

  /// Returns whether anything cares which bytes a kernel uses on a stream.
  bool wants_footprints(bool is_default_stream) const {
    return !is_default_stream || line_count_ > 1 || host_uses_.is_watched();
  }

  /// The allocation at `by`: uses must come after it.
  void allocated(std::uint32_t block, const OrderPoint& by);
  /// Notes the allocation at a block that had lives before.
  void lives_again(std::uint32_t block, const OrderPoint& by);
  /// Judges the use of [range.low, range.high) of a block, its own addresses.
  void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by);
  /// Judges a use of which only the block is known.
  void used(std::uint32_t block, const OrderedUse& by);
  /// Two blocks of a kernel use the same bytes, and one writes.
  void blocks_raced(std::uint32_t block, const UsedRange& range, const OrderedUse& by);
  /// The host has written what work in flight was still to use.
  void host_wrote(std::uint32_t block, const OrderedUse& by);
  /// Judges the end of a block.
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
  /// A use while there was one line, and so nothing to compare it with. No range: empty.
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
  /// A wait on memory, and what was done when it was over.
  struct PassedWait {
    OrderPoint at;
    Clock done;
    bool is_of_others = false;  ///< It may have waited for any work of other processes.
  };
  /// The known uses of a block. Kept from run to run for its storage.
  struct Uses {
    std::uint32_t run = 0;  ///< The run that it speaks of.
    bool raced = false;     ///< One fault per block is enough, but its end is another matter,
    bool raced_with_staged = false;  ///< and so is one by the documentation alone.
    OrderPoint allocated;
    Name allocation = 0;           ///< The activation that made it.
    std::vector<LastUse> last;     ///< One for each line, and one of its staged copies.
    std::vector<Access> accesses;  ///< That nothing since has come after and covered.
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
  std::vector<LineIndex> lines_elsewhere_;  ///< In order.
  std::uint32_t run_ = 0;
  std::uint32_t line_count_ = 0;
  Staging staging_;
  HostUses host_uses_{*this};
  HostKnowledge knowledge_;
  Clock host_;
  Clock done_;
  std::vector<PassedWait> passed_waits_;  ///< In the order in which they were over.
  std::vector<std::unique_ptr<Clock>> remembered_;
  std::vector<Clock*> spare_;
  Records<Logged> log_;
  std::vector<std::unique_ptr<Uses>> uses_;  ///< By block.
};

}  // namespace harness::devices
