// SPDX-License-Identifier: Apache-2.0
// Timeline: a run as lanes and rows: what is to be drawn of it, apart from how.
//
// A row is a moment, a lane is something who acts (a task, a stream) or something that lives (an
// object). Rows follow each other as they happened; those that do not matter to the fault are left
// out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/reports/story_lines.h"

namespace harness::reports {

enum class LaneKind : std::uint8_t { task, stream, object };

struct Lane {
  LaneKind kind;
  std::string name;
  bool operator==(const Lane&) const = default;
};

enum class MarkKind : std::uint8_t {
  op,     ///< Chosen by the driver.
  event,  ///< Anything else that something did.
  birth,
  death,
  meet,    ///< An object that was used, or was met instead of another.
  undead,  ///< A death that should have been.
  other,   ///< A fault that is not the told one.
  fault,   ///< The told one.
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
  std::vector<Mark> marks;   ///< The one that did it comes first.
  std::size_t left_out = 0;  ///< Rows before it that are not drawn.
  bool operator==(const Row&) const = default;
};

struct Point {
  std::size_t row;
  std::size_t lane;
  bool operator==(const Point&) const = default;
};

enum class EdgeKind : std::uint8_t {
  missing,    ///< A death, or its like, to the use that nothing ordered with it.
  ordered,    ///< An event's record to a wait for it.
  submitted,  ///< Work that is queued to its execution.
  caused,     ///< An op to what it led to elsewhere.
  recycled,   ///< A death to the birth that got the storage.
};
inline constexpr std::size_t kEdgeKindCount = 5;

struct Edge {
  EdgeKind kind;
  Point from;
  Point to;
  bool operator==(const Edge&) const = default;
};

enum class SpanKind : std::uint8_t {
  turns,      ///< A task that keeps the turn.
  work,       ///< A stream that executes.
  life,       ///< An object that lives,
  afterlife,  ///< and is used although it does not any more, or lives although it should not.
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
  std::string_view unit = "turn";  ///< Row::turn counts these.
  std::vector<Lane> lanes;         ///< Tasks, then streams, then objects.
  std::vector<Row> rows;
  std::vector<Span> spans;
  std::vector<Edge> edges;

  /// The edge of this kind, or null.
  const Edge* find(EdgeKind kind) const;
  bool operator==(const Timeline&) const = default;
};

/// How much of a run a timeline has.
enum class Extent : std::uint8_t {
  drawn,  ///< Up to the told fault, and no more rows than a picture takes.
  whole,  ///< All rows.
};

/// Draws up the run that is reported.
Timeline timeline(const Telling& telling, Extent extent = Extent::drawn);

}  // namespace harness::reports
