// SPDX-License-Identifier: Apache-2.0
#include "harness/client/views/finding_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/base/printable.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/views/finding_words.h"

namespace harness::reports {
namespace {

using client::Party;
using client::ToldFault;

class Drawer {
 public:
  explicit Drawer(const ToldFault& fault) : fault_(fault) { timeline_.unit = "step"; }

  Timeline draw() {
    add_lanes();
    for (const client::PartyInfo& info : client::kParties)
      if (!is_absent(fault_.*info.party)) add_row(info);
    add_missing();
    add_life();
    return std::move(timeline_);
  }

 private:
  static std::string thread_of(const Party& party) {
    if (party.thread.empty()) return "program";
    const std::string words = printable(in_words(party.thread));
    return words == printable(party.thread) ? "thread " + words : words;
  }

  /// Adds threads first, then streams, then the object.
  void add_lanes() {
    for (const LaneKind kind : {LaneKind::task, LaneKind::stream})
      for (const client::PartyInfo& info : client::kParties) {
        const Party& party = fault_.*info.party;
        const bool is_task = kind == LaneKind::task;
        if (is_absent(party) || (!is_task && party.stream.empty())) continue;
        lane_of({kind, is_task ? thread_of(party) : printable(party.stream)});
      }
    if (fault_.kind != client::kFailure)
      object_ = lane_of({LaneKind::object, printable(fault_.object)});
  }

  std::size_t lane_of(const Lane& lane) {
    const auto known = std::ranges::find(timeline_.lanes, lane);
    if (known != timeline_.lanes.end())
      return static_cast<std::size_t>(known - timeline_.lanes.begin());
    timeline_.lanes.push_back(lane);
    return timeline_.lanes.size() - 1;
  }

  static MarkKind actors_mark(const client::PartyInfo& info) {
    return info.party == &ToldFault::use ? MarkKind::fault : MarkKind::op;
  }
  static MarkKind objects_mark(const client::PartyInfo& info) {
    if (info.party == &ToldFault::birth) return MarkKind::birth;
    return info.party == &ToldFault::death ? MarkKind::death : MarkKind::meet;
  }

  /// Adds a party. Work of a stream is in the lane of that stream; other calls are in their
  /// thread's.
  void add_row(const client::PartyInfo& info) {
    const Party& party = fault_.*info.party;
    const std::size_t thread = lane_of({LaneKind::task, thread_of(party)});
    const std::size_t actor =
        party.stream.empty() ? thread : lane_of({LaneKind::stream, printable(party.stream)});
    Row row{timeline_.rows.size() + 1,
            info.party == &ToldFault::use ? Weight::fault : Weight::concerned,
            fmt::format("{}: {}{}", label_of(fault_, info), call_of(party), at(party.place)),
            {{actor, actors_mark(info)}}};
    if (object_) row.marks.push_back({*object_, objects_mark(info)});
    points_[info.name] = {timeline_.rows.size(), actor};
    timeline_.rows.push_back(std::move(row));
  }

  /// Returns the position of a party, or nothing.
  std::optional<Point> point_of(const char* name) const {
    const auto found = points_.find(name);
    return found == points_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Adds an edge from the first use, or the end, to the use with which it is not ordered.
  void add_missing() {
    const std::optional<Point> use = point_of("used");
    const std::optional<Point> first = point_of("first");
    const std::optional<Point> death = point_of("died");
    if (!use || (!first && !death)) return;
    const Point from = first ? *first : Point{death->row, object_.value_or(death->lane)};
    timeline_.edges.push_back({EdgeKind::missing, from, *use});
  }

  void add_life() {
    const std::optional<Point> birth = point_of("born");
    const std::optional<Point> death = point_of("died");
    if (!object_ || timeline_.rows.empty()) return;
    const std::size_t last = timeline_.rows.size() - 1;
    const std::size_t begin = birth ? birth->row : 0;
    timeline_.spans.push_back({SpanKind::life, *object_, begin, death ? death->row : last});
    if (death && death->row < last && !is_race(fault_))
      timeline_.spans.push_back({SpanKind::afterlife, *object_, death->row, last});
  }

  const ToldFault& fault_;
  Timeline timeline_;
  std::optional<std::size_t> object_;
  std::map<std::string_view, Point> points_;
};

}  // namespace

Timeline timeline(const client::Finding& finding) { return Drawer(finding.fault).draw(); }

}  // namespace harness::reports
