// SPDX-License-Identifier: Apache-2.0
// How it works. The history has an ordering for each wait, with the call that recorded the event.
// Within a process, the lower half of their names identifies both.
#include "harness/entries/libcuda/guide/event_waits.h"

#include <algorithm>
#include <iterator>

namespace harness::entries {
namespace {

/// Returns the number of the call from which an activation originates; 0 if it is unknown.
std::uint64_t order_of(const Askers& askers, Name activation) {
  const Asker* asker = activation != 0 ? askers.find(activation) : nullptr;
  return asker != nullptr ? asker->order : 0;
}

}  // namespace

void EventWaits::passed(const World& world) {
  constexpr Label kRecord = "cuEventRecord", kRecordWithFlags = "cuEventRecordWithFlags";
  constexpr std::size_t kRecords = 65'536, kWaits = 4096;
  const auto& events = world.history.events();
  for (const Event& event : events) {
    if (event.kind != EventKind::call || (event.what != kRecord && event.what != kRecordWithFlags))
      continue;
    if (records_.size() == kRecords) records_.clear();
    records_[static_cast<std::uint32_t>(event.activation)] = {event.activation, event.object};
  }
  for (const Ordering& ordering : world.history.orderings()) {
    const Event* const call = std::ranges::find_if(events, [&](const Event& event) {
      return event.kind == EventKind::call &&
             static_cast<std::uint32_t>(event.activation) == ordering.after;
    });
    if (call == events.end()) continue;
    const auto record = records_.find(ordering.before);
    if (ordering.before != 0 && record == records_.end()) continue;
    const Recorded recorded = ordering.before != 0 ? record->second : Recorded{};
    waits_.push_back({recorded.call, recorded.stream, call->activation, call->object});
    if (waits_.size() > kWaits) waits_.pop_front();
  }
}

const EventWait* EventWaits::without_effect(const Fault::Source& first, const Fault::Source& second,
                                            const Askers& askers) const {
  const std::uint64_t work = order_of(askers, first.activation);
  const std::uint64_t end = order_of(askers, second.activation);
  if (work == 0 || end == 0) return nullptr;
  const auto is_meant = [&](const EventWait& wait) {
    const bool is_of_second = wait.stream == 0 || wait.stream == second.stream;
    const bool is_for_first = wait.record == 0 || wait.recorded_on == first.stream;
    const std::uint64_t waited = order_of(askers, wait.call);
    const bool is_early = wait.record == 0 || order_of(askers, wait.record) < work;
    return is_of_second && is_for_first && is_early && work < waited && waited < end;
  };
  const auto found = std::find_if(waits_.rbegin(), waits_.rend(), is_meant);
  return found != waits_.rend() ? &*found : nullptr;
}

}  // namespace harness::entries
