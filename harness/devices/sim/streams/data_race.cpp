// SPDX-License-Identifier: Apache-2.0
// How it works. As long as there is only one line, everything is ordered, and uses are only logged.
// Uses that all tasks know to be done are removed from the log, since everything later comes after
// them. When there is a second line, the log is read. From then on, each block keeps the last piece
// of work of each line that used it, with which its end is compared, and the byte ranges that were
// used, with which new uses are compared. A range is dropped once a later ordered use covers it and
// conflicts with all that it conflicts with: work that races with the old use then also races with
// the new one.
#include "harness/devices/sim/streams/data_race.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace harness::devices {

static constexpr LineIndex kFirstLine = 0;  ///< The line that is logged.

void DataRaces::begin(bool on) {
  on_ = on;
  if (on) knowledge_.begin(ledger_.scheduler());
  ++run_;
  line_count_ = 0;
  listener_ = nullptr;
  lines_elsewhere_.clear();
  staging_.begin_run();
  log_.clear();
  host_.clear();
  done_.clear();
  passed_waits_.clear();
  host_uses_.begin();
  spare_.clear();
  for (const auto& clock : remembered_) spare_.push_back(clock.get());
}

// ---- the order of the program -----------------------------------------------------------------

LineIndex DataRaces::take_lines(std::uint32_t count) {
  const LineIndex first = line_count_;
  line_count_ += count;
  if (first == 1) read_log();
  return first;
}

OrderPoint DataRaces::advance(LineIndex& line, Clock& clock) {
  if (line == kNoLine) line = take_lines(1);
  const OrderPoint point{line, clock.of(line) + 1};
  clock.include(point);
  return point;
}

void DataRaces::host_saw(const Clock& clock) {
  if (!on_) return host_.join(clock);
  if (knowledge_.saw(clock)) host_.join(clock);
  if (!log_.empty() && knowledge_.all_know({kFirstLine, log_.back().tick})) log_.clear();
}

void DataRaces::function_starts(const Clock& clock) {
  host_.join(clock);
  if (on_) knowledge_.starts_anew(clock);
}

Clock& DataRaces::remember(const Clock& clock) {
  if (spare_.empty()) spare_.push_back(remembered_.emplace_back(std::make_unique<Clock>()).get());
  Clock& mine = *spare_.back();
  spare_.pop_back();
  mine = clock;
  return mine;
}

void DataRaces::tell_host(Clock& remembered) {
  host_saw(remembered);
  spare_.push_back(&remembered);
}

bool DataRaces::comes_before(const OrderPoint& point, const OrderedUse& use) const {
  if (point.line == use.at.line) return point.tick <= use.at.tick;
  return use.after.includes(point) || (!passed_waits_.empty() && comes_before_wait(point, use));
}

/// Returns whether the use comes after a wait on memory that ended after `point` was done.
bool DataRaces::comes_before_wait(const OrderPoint& point, const OrderedUse& use) const {
  return std::any_of(passed_waits_.begin(), passed_waits_.end(), [&](const PassedWait& wait) {
    const bool follows =
        wait.at.line == use.at.line ? wait.at.tick <= use.at.tick : use.after.includes(wait.at);
    return follows &&
           (wait.done.includes(point) ||
            (wait.is_of_others && std::ranges::binary_search(lines_elsewhere_, point.line)));
  });
}

// ---- uses -------------------------------------------------------------------------------------

DataRaces::Uses& DataRaces::uses_of(std::uint32_t block) {
  while (block >= uses_.size()) uses_.push_back(std::make_unique<Uses>());
  Uses& uses = *uses_[block];
  if (uses.run == run_) return uses;
  uses.run = run_;
  uses.raced = uses.raced_with_staged = false;
  uses.allocated = {};
  uses.last.clear();
  uses.accesses.clear();
  return uses;
}

/// Returns true if the use was only logged, because there is one line.
bool DataRaces::logs(std::uint32_t block, const UsedRange& range, const OrderedUse& by) {
  if (line_count_ != 1) return false;
  if (log_.size() == kLogLimit) read_log();
  log_.add({block, by.at.tick, range.low, range.high, by.site, by.staged, by.returned, range.mode,
            by.source});
  return true;
}

void DataRaces::read_log() {
  static const Clock kNothing;
  for (const Logged& use : log_)
    enter(use.block, {use.low, use.high, use.mode},
          {{kFirstLine, use.tick}, kNothing, use.site, use.staged, use.returned, use.source});
  log_.clear();
}

void DataRaces::allocated(std::uint32_t block, const OrderPoint& by) {
  if (!on_) return;
  Uses& uses = uses_of(block);  // The log would not change it, so it is not read.
  uses.allocated = by;
  uses.allocation = ledger_.scheduler().picker().current().name;
}

void DataRaces::lives_again(std::uint32_t block, const OrderPoint& by) {
  if (!on_) return;
  read_log();
  Uses& uses = uses_of(block);
  uses.last.clear();
  uses.accesses.clear();
  allocated(block, by);
}

void DataRaces::used(std::uint32_t block, const OrderedUse& by) {
  used(block, {0, 0, AccessMode::read}, by);
}

void DataRaces::used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) {
  Block& used = memory_.block(block);
  ++used.use_count;
  if (used.exported == 0) {
    if (used.is_shared && listener_ != nullptr) [[unlikely]]
      listener_->used(block, range, by);
    if (!logs(block, range, by)) enter(block, range, by);
    return;
  }
  // Unmapping is an end of the mapping, whatever happens to the memory.
  if (used.origin == Origin::mapped) {
    const UsedRange somewhere{0, 0, AccessMode::read};
    if (!logs(block, somewhere, by)) enter(block, somewhere, by);
  }
  // The memory behind a mapping belongs to another block, of another process or of an allocation.
  const std::uint64_t shift = memory_.block(used.exported).base - used.base;
  const std::uint64_t rest = range.low != range.high ? shift : 0;
  this->used(used.exported, {range.low + rest, range.high + rest, range.mode}, by);
}

DataRaces::LastUse DataRaces::allocation_of(const Uses& uses) {
  return {uses.allocated, "allocation", 0, {uses.allocation, 0, 0}};
}

void DataRaces::enter(std::uint32_t block, const UsedRange& range, const OrderedUse& by) {
  Uses& uses = uses_of(block);
  if (uses.allocated.line != kNoLine && !comes_before(uses.allocated, by))
    report_race(block, uses, by, allocation_of(uses), "nothing orders it after the allocation");
  const auto last = std::find_if(uses.last.begin(), uses.last.end(), [&](const LastUse& use) {
    return use.at.line == by.at.line && (use.staged != 0) == (by.staged != 0);
  });
  if (last != uses.last.end())
    *last = last_use(by);
  else
    uses.last.push_back(last_use(by));
  if (range.low != range.high) enter_range(block, uses, range, by);
}

static bool conflict(AccessMode a, AccessMode b) { return a != b || a == AccessMode::write; }

void DataRaces::enter_range(std::uint32_t block, Uses& uses, const UsedRange& range,
                            const OrderedUse& by) {
  check_access(block, uses, range, by);
  std::vector<Access>& accesses = uses.accesses;
  if (!accesses.empty()) {
    Access& last = accesses.back();
    const bool alike = last.by.at == by.at && last.range.mode == range.mode;
    if (alike && last.range.high == range.low) {
      last.range.high = range.high;
      return;
    }
  }
  if (accesses.size() == kAccessLimit) accesses.erase(accesses.begin());
  accesses.push_back({range, last_use(by)});
}

/// Describes the bytes that two uses of the block at `base` share, and how they are used.
std::string DataRaces::in_words(std::uint64_t base, const UsedRange& first,
                                const UsedRange& second) {
  const auto verb = [](AccessMode mode) { return mode == AccessMode::write ? "writes" : "reads"; };
  const std::uint64_t low = std::max(first.low, second.low) - base;
  const std::uint64_t high = std::min(first.high, second.high) - base;
  const std::string what =
      high - low == 1 ? fmt::format("byte {}", low) : fmt::format("bytes {} to {}", low, high);
  return fmt::format("it {} {}, and nothing orders it with who {} {}", verb(second.mode), what,
                     verb(first.mode), high - low == 1 ? "it" : "them");
}

/// Compares a use with earlier uses, and removes those that it makes redundant.
void DataRaces::check_access(std::uint32_t block, Uses& uses, const UsedRange& range,
                             const OrderedUse& by) {
  std::erase_if(uses.accesses, [&](const Access& other) {
    const UsedRange& old = other.range;
    if (old.high <= range.low || range.high <= old.low) return false;
    const bool ordered = comes_before(other.by.at, by);
    if (!ordered && conflict(old.mode, range.mode))
      report_race(block, uses, by, other.by,
                  in_words(memory_.block(block).base, old, range).c_str());
    const bool covered = range.low <= old.low && old.high <= range.high;
    return ordered && covered && (range.mode == AccessMode::write || range.mode == old.mode);
  });
}

void DataRaces::blocks_raced(std::uint32_t block, const UsedRange& range, const OrderedUse& by) {
  const std::uint64_t base = memory_.block(block).base;
  const std::string how = fmt::format("two blocks of it use bytes {} to {}, and one writes them",
                                      range.low - base, range.high - base);
  report_race(block, uses_of(block), by, {by.at, by.site, 0, by.source}, how.c_str());
}

void DataRaces::host_wrote(std::uint32_t block, const OrderedUse& by) {
  report_race(block, uses_of(block), by, {by.at, "host", 0, {}},
              "it was submitted before the host wrote them, and no one has waited for it");
}

void DataRaces::freed(std::uint32_t block, const OrderedUse& by) {
  if (by.at.line == kNoLine) read_log();  // With a single line, the free comes last.
  Uses& uses = uses_of(block);
  bool reported = false;
  for (const LastUse& last : uses.last) {
    if (comes_before(last.at, by)) continue;
    report_end(block, by, last, "nothing orders the free after the use");
    reported = true;
  }
  if (!reported && uses.allocated.line != kNoLine && !comes_before(uses.allocated, by))
    report_end(block, by, allocation_of(uses), "nothing orders the free after the allocation");
}

Fault DataRaces::fault_of(std::uint32_t block, const char* how, Label other) const {
  Fault fault = ledger_.describe(FaultKind::data_race, memory_.block(block).birth);
  fault.detail = fmt::format("{} ({})", how, other.view());
  return fault;
}

/// Returns whether present drivers order the two, because the call of the copy had returned before.
bool DataRaces::is_ordered_today(const LastUse& other, const OrderedUse& by) {
  return other.staged != 0 && other.staged <= by.returned;
}

/// Reports a race. Nothing was freed: the subject is the bytes, and the later use of them.
void DataRaces::report_race(std::uint32_t block, Uses& uses, const OrderedUse& by,
                            const LastUse& other, const char* how) {
  if (by.was_judged) return;
  const bool today = is_ordered_today(other, by);
  if (std::exchange(today ? uses.raced_with_staged : uses.raced, true)) return;
  Fault fault = fault_of(block, how, other.site);
  fault.object_kind = today ? kStagedCopy : "bytes of device memory";
  fault.use_site = by.site;
  fault.writer.site = other.site;
  fault.use = by.source;
  fault.other = other.source;
  ledger_.scheduler().history().add(std::move(fault));
}

/// Reports a race with a free, like a use-after-free: with the site of the free and of the use.
void DataRaces::report_end(std::uint32_t block, const OrderedUse& by, const LastUse& other,
                           const char* how) {
  Fault fault = fault_of(block, how, other.site);
  if (is_ordered_today(other, by)) fault.object_kind = kStagedCopy;
  fault.death_site = by.site;
  fault.use_site = other.site;
  fault.use = by.source;
  fault.other = other.source;
  ledger_.scheduler().history().add(std::move(fault));
}

}  // namespace harness::devices
