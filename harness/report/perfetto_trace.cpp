// SPDX-License-Identifier: Apache-2.0
// The encoding is that of protobuf (https://protobuf.dev/programming-guides/encoding/). The field
// numbers are those of protos/perfetto/trace in Perfetto (https://perfetto.dev/docs).
#include "harness/report/perfetto_trace.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/printable.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {
namespace {

/// A protobuf message under construction.
class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
    return *this;
  }
  Message& fixed(std::uint32_t field, std::uint64_t value) {
    tag(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(std::uint32_t field, std::uint32_t wire_type) { varint(field << 3 | wire_type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

enum class EventType : std::uint8_t { slice_begin = 1, slice_end = 2, instant = 3 };

constexpr std::uint64_t kRowNanoseconds = 1000;
constexpr std::uint32_t kSequence = 1;
constexpr std::uint64_t kFirstTrack = 100;  ///< Lower ones are groups of tracks.

std::string_view group_name(LaneKind kind) {
  constexpr std::string_view kNames[] = {"tasks", "streams", "objects of the fault"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view span_name(SpanKind kind) {
  constexpr std::string_view kNames[] = {"has the turn", "works", "lives", "is used after death"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint64_t group_track(LaneKind kind) { return 1 + static_cast<std::uint64_t>(kind); }
std::uint64_t track_of(std::size_t lane) { return kFirstTrack + lane; }

class Trace {
 public:
  explicit Trace(const Timeline& timeline) : timeline_(timeline) {}

  std::string text() {
    for (const LaneKind kind : {LaneKind::task, LaneKind::stream, LaneKind::object})
      describe(group_track(kind), 0, group_name(kind));
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane)
      describe(track_of(lane), group_track(timeline_.lanes[lane].kind), timeline_.lanes[lane].name);
    for (const Span& span : timeline_.spans) add(span);
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row) add_row(row);
    // At the same time, slices end before others begin.
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.time, a.order, a.index) < std::tie(b.time, b.order, b.index);
    });
    for (const Event& event : events_)
      packet(Message().number(8, event.time).message(11, event.message));
    return trace_.bytes();
  }

 private:
  struct Event {
    std::uint64_t time;
    int order;
    std::size_t index;
    Message message;
  };

  void packet(Message message) {
    message.number(10, kSequence);
    if (std::exchange(is_first_, false)) message.number(13, 1);  // No packet precedes it.
    trace_.message(1, message);
  }

  void describe(std::uint64_t track, std::uint64_t parent, std::string_view name) {
    Message descriptor;
    descriptor.number(1, track).text(2, printable(name));
    if (parent != 0) descriptor.number(5, parent);
    packet(Message().message(60, descriptor));
  }

  static Message event_of(EventType type, std::size_t lane, std::string_view category) {
    Message event;
    event.number(9, static_cast<std::uint64_t>(type)).number(11, track_of(lane));
    if (!category.empty()) event.text(22, category);
    return event;
  }

  void add(std::uint64_t time, int order, Message message) {
    events_.push_back({time, order, events_.size(), std::move(message)});
  }

  void add(const Span& span) {
    Message begin = event_of(EventType::slice_begin, span.lane, "span");
    begin.text(23, span_name(span.kind));
    add(kRowNanoseconds * span.first, 1, begin);
    add(kRowNanoseconds * (span.last + 1), 0, event_of(EventType::slice_end, span.lane, ""));
  }

  /// Returns the distinct lanes of a row. Ends of edges are always in one of them.
  std::vector<std::size_t> lanes_of(std::size_t row) const {
    std::vector<std::size_t> lanes;
    for (const Mark& mark : timeline_.rows[row].marks) lanes.push_back(mark.lane);
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    return lanes;
  }

  void add_row(std::size_t index) {
    const Row& row = timeline_.rows[index];
    const bool is_fault = std::any_of(row.marks.begin(), row.marks.end(), [](const Mark& mark) {
      return mark.kind == MarkKind::fault;
    });
    for (const std::size_t lane : lanes_of(index)) {
      Message event = event_of(EventType::instant, lane, is_fault ? "fault" : "event");
      event.text(23, printable(row.text));
      event.message(4, Message().text(10, timeline_.unit).number(3, row.turn));
      add_flows(event, index, lane);
      add(kRowNanoseconds * index + kRowNanoseconds / 2, 2, event);
    }
  }

  void add_flows(Message& event, std::size_t row, std::size_t lane) {
    for (std::size_t i = 0; i < timeline_.edges.size(); ++i) {
      const Edge& edge = timeline_.edges[i];
      if (edge.from == Point{row, lane}) event.fixed(47, i + 1);
      if (edge.to == Point{row, lane}) event.fixed(48, i + 1);
    }
  }

  const Timeline& timeline_;
  Message trace_;
  std::vector<Event> events_;
  bool is_first_ = true;
};

}  // namespace

std::string perfetto_trace(const Timeline& timeline) { return Trace(timeline).text(); }

std::string perfetto_trace(const Telling& telling) {
  return perfetto_trace(timeline(telling, Extent::whole));
}

}  // namespace harness::reports
