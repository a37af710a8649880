// SPDX-License-Identifier: Apache-2.0
// How it works. If two uses, or a use and an end, are not ordered, the host waits for the first
// before it makes the second: this orders them as an event between their streams would. If an
// object is used after its end, the end is left out. A second end or a failing call is also left
// out.
#include "harness/client/search/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/client/search/failure.h"

namespace harness::client {
namespace {

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

/// Returns the advice to wait for `first` before `second`. `idle`: the advice in words if the
/// program already waits, but without effect.
Advice wait(const Party& first, const Party& second, const std::string& idle = {}) {
  const Trial trial{Trial::Kind::wait, second.call, first.on};
  const std::string work = call_of(first), next = call_of(second);
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

/// Returns the advice for a fault of two parties that are not ordered.
Advice order(const ToldFault& fault) {
  if (!fault.death.site.empty()) return wait(fault.use, fault.death, late_record(fault, fault.use));
  if (!fault.other.site.empty())
    return wait(fault.other, fault.use, late_record(fault, fault.other));
  return wait(fault.birth, fault.use);
}

Advice keep(const ToldFault& fault) {
  const Trial left_out{Trial::Kind::leave_out, fault.death.call, 0};
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

}  // namespace

std::vector<Advice> advice_for(const ToldFault& fault) {
  std::vector<Advice> all;
  const bool is_use = fault.kind == "use_after_death" || fault.kind == "recycled_use";
  if (fault.kind == "data_race") {
    all.push_back(order(fault));
    if (fault.is_own_use()) all.back().trial.stream = fault.other.on;
  } else if (is_use && fault.death.call != 0) {
    if (!fault.use.stream.empty()) all.push_back(wait(fault.use, fault.death));
    all.push_back(keep(fault));
  } else if (fault.kind == "double_free") {
    all.push_back({fmt::format("leave out the second end, {}: {} has ended it", call_of(fault.use),
                               call_of(fault.death)),
                   {Trial::Kind::leave_out, fault.use.call, 0}});
  } else if (fault.kind == kFailure && ends_something(fault.use.site)) {
    all.push_back({fmt::format("defer {}: without this call nothing fails", call_of(fault.use)),
                   {Trial::Kind::leave_out, fault.use.call, 0}});
  }
  std::erase_if(all, [](const Advice& one) { return one.trial.call == 0; });
  return all;
}

/// Returns whether the run has the fault by the same calls. It may still occur by other calls, such
/// as those of another iteration of a loop.
static bool shows(const ClientRun& run, const ToldFault& fault) {
  ToldFault here = fault;
  here.at.clear();
  return run.find(here) != nullptr;
}

/// Returns the same wait at another place, before the birth, where it must not help: it orders no
/// use with later calls. Returns nothing for a call that is left out.
static std::optional<Trial> elsewhere(const Trial& trial, const ToldFault& fault) {
  const Name birth = fault.birth.call;
  if (trial.kind != Trial::Kind::wait || birth == 0 || birth == trial.call) return std::nullopt;
  return Trial{trial.kind, birth, trial.stream};
}

Advice tried_advice(const ToldFault& fault, int code,
                    const std::function<ClientRun(const Trial&)>& run) {
  constexpr unsigned kRuns = 3;
  const auto helps = [&](const Advice& advice) {
    for (unsigned i = 0; i < kRuns; ++i) {
      const ClientRun tried = run(advice.trial);
      if (tried.ended.stopped || !tried.ended.hang.empty() || tried.ended.code != code ||
          shows(tried, fault))
        return false;
    }
    const std::optional<Trial> other = elsewhere(advice.trial, fault);
    return !other || shows(run(*other), fault);
  };
  const std::vector<Advice> all = advice_for(fault);
  const auto found = std::ranges::find_if(all, helps);
  return found != all.end() ? *found : Advice{};
}

}  // namespace harness::client
