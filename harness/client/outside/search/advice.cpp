// SPDX-License-Identifier: Apache-2.0
// How it works. If two uses, or a use and an end, are not ordered, the host waits for the first
// before it makes the second: this orders them as an event between their streams would. If an
// object is used after its end, the end is left out. A second end or a failing call is also left
// out. If a wild address is accessed, the host waits for all earlier work, which may have to write
// that address. If a loop shows the fault in other rounds, too, all calls at the place are changed
// at once.
#include "harness/client/outside/search/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/client/outside/search/failure.h"

namespace harness::client {
namespace {

constexpr const char* kRecycledUse = "recycled_use";
constexpr unsigned kTriedRuns = 3;

/// Returns the innermost line of the user's code, "x.py:12", or "".
std::string line_of(const Party& party) {
  const Frame* shown = nullptr;
  for (const Frame& frame : party.place)
    if (frame.line > 0 && (shown == nullptr || (shown->is_library && !frame.is_library)))
      shown = &frame;
  if (shown == nullptr) return {};
  return fmt::format("{}:{}", shown->file_name(), shown->line);
}

/// Returns the call by its function and line: "cuMemFree at x.py:12".
std::string call_of(const Party& party) {
  const std::string line = line_of(party);
  return line.empty() ? party.site : fmt::format("{} at {}", party.site, line);
}

/// Returns the line, or the function if the line is unknown.
std::string place_of(const Party& party) {
  const std::string line = line_of(party);
  return line.empty() ? party.site : line;
}

/// Returns the change of the party's call. Its place is used only if all calls there are meant.
Trial trial_of(Trial::Kind kind, const Party& party, Name stream = 0) {
  return {kind, party.call, stream, party.code};
}

std::string stream_of(const Party& party) {
  return party.stream.empty() ? "that work" : party.stream;
}

/// Returns how the event of a wait without effect should be recorded, or "".
std::string late_record(const ToldFault& fault, const Party& first) {
  if (fault.wait.site.empty()) return {};
  const std::string wait = call_of(fault.wait), work = call_of(first);
  if (!fault.record_error.empty())
    return fmt::format("let {} succeed, which returned {}: {} waits for that record",
                       call_of(fault.record), fault.record_error, wait);
  if (!fault.again.site.empty())
    return fmt::format("record another event at {}: {} records this one again before {} waits",
                       place_of(fault.record), call_of(fault.again), wait);
  if (fault.record.site.empty())
    return fmt::format("record the event that {} waits for, after {}: it was never recorded", wait,
                       work);
  return fmt::format("record the event that {} waits for after {}, not before it at {}", wait, work,
                     place_of(fault.record));
}

/// Returns whether the first of two calls was made in an earlier iteration of a loop than the
/// second: the same thread made both, from the same callers, and the first call's line is not above
/// the second's.
bool is_of_earlier_round(const Party& first, const Party& second) {
  const auto is_users = [](const Frame& one) { return !one.is_library; };
  const auto here = std::ranges::find_if(first.place, is_users);
  const auto there = std::ranges::find_if(second.place, is_users);
  return here != first.place.end() && there != second.place.end() &&
         first.thread == second.thread && here->file == there->file &&
         here->function == there->function && there->line > 0 && here->line >= there->line &&
         std::equal(here + 1, first.place.end(), there + 1, second.place.end());
}

/// Returns the advice to wait for `first` before `second`. `idle`: the advice in words if the
/// program already waits, but without effect.
Advice wait(const Party& first, const Party& second, const std::string& idle = {}) {
  const Trial trial = trial_of(Trial::Kind::wait, second, first.on);
  const char* const round = is_of_earlier_round(first, second) ? " in an earlier round" : "";
  const std::string work = call_of(first) + round, next = call_of(second);
  const bool has_streams = !first.stream.empty() && !second.stream.empty();
  if (!idle.empty()) return {idle, trial};
  if (has_streams && first.stream != second.stream)
    return {fmt::format("have {} wait, before {}, for an event recorded on {} after {}",
                        second.stream, next, first.stream, work),
            trial};
  return {
      fmt::format("wait for {} before {}: {} may still be running", stream_of(first), next, work),
      trial};
}

Advice keep(const ToldFault& fault) {
  const Trial left_out = trial_of(Trial::Kind::leave_out, fault.death);
  if (fault.object == kHostMemory && !fault.capture.site.empty())
    return {fmt::format("keep the memory that {} was given until it was used: {} comes too early",
                        call_of(fault.capture), call_of(fault.death)),
            left_out};
  const std::string kept = fmt::format("keep the {} of {}", fault.object, place_of(fault.birth));
  const std::string until =
      fault.capture.site.empty()
          ? fmt::format("{} is complete", place_of(fault.use))
          : fmt::format("the graph that took it at {} no longer runs", place_of(fault.capture));
  return {fmt::format("{} until {}: {} comes too early", kept, until, call_of(fault.death)),
          left_out};
}

/// Returns the advice for a fault of two parties that are not ordered. The one that the program
/// made first comes first, even if it ran later.
Advice order(const ToldFault& fault) {
  if (!fault.death.site.empty())
    return fault.is_reversed ? keep(fault)
                             : wait(fault.use, fault.death, late_record(fault, fault.use));
  if (fault.is_with_allocation()) return wait(fault.birth, fault.use);
  if (fault.other.site.empty() || fault.other.call == fault.use.call) return {};
  if (fault.is_reversed && !fault.is_own_use()) return wait(fault.use, fault.other);
  return wait(fault.other, fault.use, late_record(fault, fault.other));
}

/// Returns whether the fault is a use of memory before its allocation takes effect: what had the
/// storage before is still there.
bool is_before_allocation(const ToldFault& fault) {
  return fault.kind == kRecycledUse && fault.death.site.empty() && fault.birth.on != 0;
}

}  // namespace

std::vector<Advice> advice_for(const ToldFault& fault) {
  std::vector<Advice> all;
  const bool is_use = fault.kind == "use_after_free" || fault.kind == kRecycledUse;
  if (fault.kind == "data_race") {
    all.push_back(order(fault));
  } else if (is_before_allocation(fault)) {
    all.push_back(wait(fault.birth, fault.use));
  } else if (fault.kind == kWildAccess) {
    all.push_back({fmt::format("wait for all earlier work before {}: it may still be running",
                               call_of(fault.use)),
                   trial_of(Trial::Kind::wait, fault.use)});
  } else if (is_use && fault.death.call != 0) {
    if (!fault.use.stream.empty()) all.push_back(wait(fault.use, fault.death));
    all.push_back(keep(fault));
  } else if (fault.kind == "double_free") {
    all.push_back({fmt::format("leave out the second end, {}: {} has ended it", call_of(fault.use),
                               call_of(fault.death)),
                   trial_of(Trial::Kind::leave_out, fault.use)});
  } else if (is_failure(fault) && ends_something(fault.use.site)) {
    all.push_back({fmt::format("defer {}: without this call nothing fails", call_of(fault.use)),
                   trial_of(Trial::Kind::leave_out, fault.use)});
  }
  std::erase_if(all, [](const Advice& one) { return one.trial.call == 0; });
  return all;
}

/// Returns whether the run has the fault by the same calls. It may still occur by other calls, such
/// as those of another iteration of a loop. With `everywhere`, other calls in the same functions
/// count, too; the run has recorded places.
static bool shows(const ClientRun& run, const ToldFault& fault, bool everywhere) {
  ToldFault here = fault;
  if (!everywhere) here.at.clear();
  const auto is_shown = [&](const ToldFault& other) {
    return everywhere ? other.is_face_of(fault) : other.is_race_of_calls(fault);
  };
  return run.find(here) != nullptr || std::ranges::any_of(run.reports, [&](const Report& report) {
           return std::ranges::any_of(report.faults, is_shown);
         });
}

/// Returns the same wait at another place, before the birth, where it must not help: it orders no
/// use with later calls. Returns nothing for a call that is left out, or if the wait is for work
/// before the birth.
static std::optional<Trial> elsewhere(const Trial& trial, const ToldFault& fault) {
  const Name birth = fault.birth.call;
  if (trial.kind != Trial::Kind::wait || birth == 0 || birth == trial.call) return std::nullopt;
  if (is_before_allocation(fault) || fault.kind == kWildAccess) return std::nullopt;
  return Trial{trial.kind, birth, trial.stream, trial.place != 0 ? fault.birth.code : 0};
}

bool helps(const Trial& trial, const ToldFault& fault, int code,
           const std::function<ClientRun(const Trial&)>& run) {
  const bool everywhere = trial.place != 0;
  for (unsigned i = 0; i < kTriedRuns; ++i) {
    const ClientRun tried = run(trial);
    const bool ends_well = tried.ended.code == 0 || tried.ended.code == code;
    if (tried.ended.stopped || !tried.ended.hang.empty() || !ends_well ||
        shows(tried, fault, everywhere))
      return false;
  }
  const std::optional<Trial> other = elsewhere(trial, fault);
  return !other || shows(run(*other), fault, false);
}

Advice tried_advice(const ToldFault& fault, int code,
                    const std::function<ClientRun(const Trial&)>& run) {
  for (Advice& advice : advice_for(fault)) {
    const Name place = std::exchange(advice.trial.place, 0);
    if (helps(advice.trial, fault, code, run)) return advice;
    if (place == 0) continue;
    advice.trial.place = place;
    if (helps(advice.trial, fault, code, run)) return advice;
  }
  return {};
}

}  // namespace harness::client
