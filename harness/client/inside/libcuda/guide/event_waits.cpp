// SPDX-License-Identifier: Apache-2.0
// How it works. The history has an ordering for each wait, with the call that recorded the event,
// and one for each record of an event that had another. Within a process, the lower half of their
// names identifies calls. So the records of an event are a chain, which begins with the last one.
#include "harness/client/inside/libcuda/guide/event_waits.h"

#include <algorithm>

#include "harness/driver/cuda/cuda.h"

namespace harness::entries {
namespace {

constexpr std::size_t kCalls = 65'536, kWaits = 4096;

/// Returns the number of the call from which an activation originates; 0 if it is unknown.
std::uint64_t order_of(const Askers& askers, Name activation) {
  const Asker* asker = activation != 0 ? askers.find(activation) : nullptr;
  return asker != nullptr ? asker->order : 0;
}

std::uint32_t lower_half(Name name) { return static_cast<std::uint32_t>(name); }

bool is_record(Label what) {
  constexpr Label kRecord = "cuEventRecord", kRecordWithFlags = "cuEventRecordWithFlags";
  return what == kRecord || what == kRecordWithFlags;
}

bool is_allocation(Label what) {
  constexpr Label kDefaultPool = "cuMemAllocAsync", kPool = "cuMemAllocFromPoolAsync";
  return what == kDefaultPool || what == kPool;
}

}  // namespace

void EventWaits::note(const Event& call) {
  if (is_record(call.what)) {
    if (records_.size() == kCalls) records_.clear();
    records_[lower_half(call.activation)] = {call.activation, call.object};
  } else if (is_allocation(call.what)) {
    if (allocations_.size() == kCalls) allocations_.clear();
    allocations_[call.activation] = call.object != 0 ? call.object : kDeviceResource;
  }
}

const EventRecord* EventWaits::record(std::uint32_t call) const {
  const auto found = call != 0 ? records_.find(call) : records_.end();
  return found != records_.end() ? &found->second : nullptr;
}

void EventWaits::passed(const World& world) {
  const auto& events = world.history.events();
  for (const Event& event : events)
    if (event.kind == EventKind::call) note(event);
  for (const Ordering& ordering : world.history.orderings()) {
    if (const auto later = records_.find(ordering.after); later != records_.end()) {
      later->second.earlier = ordering.before;
      continue;
    }
    const Event* const call = std::ranges::find_if(events, [&](const Event& event) {
      return event.kind == EventKind::call && lower_half(event.activation) == ordering.after;
    });
    if (call == events.end()) continue;
    const EventRecord* const last = record(ordering.before);
    if (ordering.before != 0 && last == nullptr) continue;
    waits_.push_back({last != nullptr ? *last : EventRecord{}, call->activation, call->object});
    if (waits_.size() > kWaits) waits_.pop_front();
  }
}

void EventWaits::failed(Name call, const std::string& error) {
  const auto known = records_.find(lower_half(call));
  if (known != records_.end() && known->second.call == call) known->second.error = error;
}

Name EventWaits::stream_of_allocation(Name call) const {
  const auto found = allocations_.find(call);
  return found != allocations_.end() ? found->second : 0;
}

/// Judges the waits between two uses.
class EventWaits::Meant {
 public:
  Meant(const EventWaits& all, const Askers& askers, const Fault::Source& first,
        const Fault::Source& second)
      : all_(all),
        askers_(askers),
        first_(first.stream),
        second_(second.stream),
        work_(order_of(askers, first.activation)),
        end_(order_of(askers, second.activation)) {}

  bool are_known() const { return work_ != 0 && end_ != 0; }

  /// Returns the wait, if it was meant to order the two uses.
  std::optional<IdleWait> judge(const EventWait& wait) const {
    const std::uint64_t waited = order_of(askers_, wait.call);
    const bool is_of_second = wait.stream == 0 || wait.stream == second_;
    if (!is_of_second || waited <= work_ || end_ <= waited) return std::nullopt;
    if (wait.record.call == 0) return IdleWait{wait};
    return judge_records(wait);
  }

 private:
  /// Looks back from the last record for the one that was meant. The wait is for the last one that
  /// succeeded.
  std::optional<IdleWait> judge_records(const EventWait& wait) const {
    constexpr int kLookBack = 64;
    const EventRecord* waited = nullptr;
    const EventRecord* record = &wait.record;
    for (int i = 0; i < kLookBack && record != nullptr; ++i) {
      const bool is_late = work_ < order_of(askers_, record->call);
      const bool is_of_first = record->stream == first_;
      if (!record->error.empty()) {
        if (is_of_first && is_late && waited == nullptr) return IdleWait{wait, *record};
      } else if (waited == nullptr) {
        if (is_of_first) return is_late ? std::nullopt : std::optional(IdleWait{wait, *record});
        waited = record;
      } else if (is_of_first && is_late) {
        return IdleWait{wait, *record, *waited};
      }
      if (!is_late) return std::nullopt;  // All others are earlier still.
      record = all_.record(record->earlier);
    }
    return std::nullopt;
  }

  const EventWaits& all_;
  const Askers& askers_;
  Name first_, second_;  ///< Their streams.
  std::uint64_t work_, end_;
};

std::optional<IdleWait> EventWaits::without_effect(const Fault::Source& first,
                                                   const Fault::Source& second,
                                                   const Askers& askers) const {
  const Meant meant(*this, askers, first, second);
  if (!meant.are_known()) return std::nullopt;
  for (auto wait = waits_.rbegin(); wait != waits_.rend(); ++wait)
    if (std::optional<IdleWait> idle = meant.judge(*wait)) return idle;
  return std::nullopt;
}

}  // namespace harness::entries
