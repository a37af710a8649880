// SPDX-License-Identifier: Apache-2.0
// Timeline: a run as lanes and rows, independent of how it is drawn.
//
// A row is an event. A lane is a task or stream, which acts, or an object, which lives. Rows are in
// the order of events. Those that do not matter to the fault are left out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/story_lines.h"

namespace harness::reports {

enum class LaneKind : std::uint8_t { task, stream, object };

struct Lane {
  LaneKind kind;
  std::string name;
  bool operator==(const Lane&) const = default;
};

enum class MarkKind : std::uint8_t {
  op,     ///< Selected by the driver.
  event,  ///< Any other action.
  birth,
  death,
  meet,    ///< An object that was used, directly or instead of another.
  undead,  ///< An object that should have died.
  other,   ///< A fault other than the reported one.
  fault,   ///< The reported fault.
};

struct Mark {
  std::size_t lane;
  MarkKind kind;
  bool operator==(const Mark&) const = default;
};

struct Row {
  std::uint64_t turn;
  Weight weight;
  std::string text;
  std::vector<Mark> marks;   ///< The mark of the actor comes first.
  std::size_t left_out = 0;  ///< Rows before it that are not drawn.
  bool operator==(const Row&) const = default;
};

struct Point {
  std::size_t row;
  std::size_t lane;
  bool operator==(const Point&) const = default;
};

enum class EdgeKind : std::uint8_t {
  missing,    ///< From a death or a first use to the use that is not ordered with it.
  ordered,    ///< From the record of an event to a wait for it.
  submitted,  ///< From the submission of work to its execution.
  caused,     ///< From an op to its effect in another task.
  recycled,   ///< From a death to the birth that reuses its memory.
};
inline constexpr std::size_t kEdgeKindCount = 5;

struct Edge {
  EdgeKind kind;
  Point from;
  Point to;
  bool operator==(const Edge&) const = default;
};

enum class SpanKind : std::uint8_t {
  turns,      ///< A task has the turn.
  work,       ///< A stream executes work.
  life,       ///< An object is alive.
  afterlife,  ///< An object is used after its death, or lives although it should not.
};

/// Rows [first, last] of a lane.
struct Span {
  SpanKind kind;
  std::size_t lane;
  std::size_t first;
  std::size_t last;
  bool operator==(const Span&) const = default;
};

struct Timeline {
  std::string_view unit = "turn";  ///< The unit of Row::turn.
  std::vector<Lane> lanes;         ///< Tasks, then streams, then objects.
  std::vector<Row> rows;
  std::vector<Span> spans;
  std::vector<Edge> edges;

  /// Returns the edge of this kind, or null.
  const Edge* find(EdgeKind kind) const;
  bool operator==(const Timeline&) const = default;
};

/// The part of a run in a timeline.
enum class Extent : std::uint8_t {
  drawn,  ///< Up to the reported fault, with a limited number of rows.
  whole,  ///< All rows.
};

/// Returns the timeline of the reported run.
Timeline timeline(const Telling& telling, Extent extent = Extent::drawn);

}  // namespace harness::reports
