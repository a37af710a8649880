// SPDX-License-Identifier: Apache-2.0
#include "harness/report/timeline/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace harness::reports {
namespace {

constexpr Name kDevice = ~Name{0};  ///< Device work whose stream is unknown.

}  // namespace

TimelineLanes::TimelineLanes(const Telling& telling, const Teller& teller)
    : telling_(telling), teller_(teller) {
  for (const Event& event : telling.world.history.events())
    if (event.kind == EventKind::submit || event.kind == EventKind::start)
      streams_.insert(event.object);
}

std::size_t TimelineLanes::of_task(std::uint16_t task) { return of({LaneKind::task, task}); }
std::size_t TimelineLanes::of_stream(Name stream) { return of({LaneKind::stream, stream}); }
std::size_t TimelineLanes::of_object(Name object) { return of({LaneKind::object, object}); }

std::size_t TimelineLanes::of_actor(const Event& event) {
  if (event.task != kNoTask) return of_task(event.task);
  return of_stream(is_stream(event.object) ? event.object : kDevice);
}

std::size_t TimelineLanes::of_actor(const Fault& fault) {
  const std::uint16_t task = teller_.line_of(fault).task;
  if (task != kNoTask) return of_task(task);
  Name stream = kDevice;
  for (const Event& event : telling_.world.history.events())
    if (event.kind == EventKind::start && event.tick <= fault.tick &&
        event.activation == fault.activation)
      stream = event.object;
  return of_stream(stream);
}

std::vector<Lane> TimelineLanes::sorted() const {
  std::vector<Lane> lanes;
  std::map<std::string, int> counts;
  for (const std::size_t index : order()) {
    std::string name = name_of(owners_[index]);
    if (const int number = ++counts[name]; number > 1) name += fmt::format(" ({})", number);
    lanes.push_back({owners_[index].kind, std::move(name)});
  }
  return lanes;
}

std::vector<std::size_t> TimelineLanes::places() const {
  const std::vector<std::size_t> order = this->order();
  std::vector<std::size_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

std::size_t TimelineLanes::of(Owner owner) {
  const auto found = std::find(owners_.begin(), owners_.end(), owner);
  const auto index = static_cast<std::size_t>(found - owners_.begin());
  if (found == owners_.end()) owners_.push_back(owner);
  return index;
}

std::string TimelineLanes::name_of(const Owner& owner) const {
  const Names& names = teller_.names();
  if (owner.kind == LaneKind::task) return names.task(static_cast<std::uint16_t>(owner.id));
  const std::string name =
      owner.kind == LaneKind::stream ? names.stream(owner.id) : names.object(owner.id);
  if (!name.empty()) return name;
  if (owner.kind == LaneKind::object) return victim_in_words(telling_, teller_, *teller_.fault());
  return owner.id == kDevice ? "device" : "default stream";
}

std::vector<std::size_t> TimelineLanes::order() const {
  std::vector<std::size_t> order(owners_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [this](std::size_t index) {
    const Owner& owner = owners_[index];
    return std::tuple(owner.kind, owner.kind == LaneKind::task ? owner.id : 0, index);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace harness::reports
