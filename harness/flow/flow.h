// SPDX-License-Identifier: Apache-2.0
// Flow: the control flow of a run through the code of its path, recorded by a build that counts
// edges (preset `flow`). Two builds name equal code equally, whatever else has changed: a point is
// a function and the distance of an edge's target from the beginning of that function.
//
// For a function inlined into its caller, the point names the function whose source contains it.
// Libraries and the harness are left out, because their control flow may depend on memory
// addresses. Errors: std::runtime_error with one line that names the file.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// A place in the sources.
struct CodePlace {
  std::string function;  ///< Qualified, without parameters; "" if unknown.
  std::string file;      ///< Path from the root of the tree: "targets/argpack/launch.cpp".
  std::int64_t line = 0;
  std::int64_t down = 0;  ///< Lines below the beginning of the function.
  std::int64_t column = 0;

  auto operator<=>(const CodePlace&) const = default;
};

/// An edge: its target and, if that is the beginning of a function, the call site.
struct FlowPoint {
  CodePlace place;
  bool is_entry = false;
  CodePlace
      caller;  ///< No function where it is not code of the path, or the point is not an entry.

  auto operator<=>(const FlowPoint&) const = default;
};

struct Flow {
  std::vector<FlowPoint> points;    ///< Each once.
  std::vector<std::uint32_t> path;  ///< Indices of points, in the order of the run.
  bool operator==(const Flow&) const = default;
};

/// Returns the text of a flow's file: one JSON object.
std::string to_text(const Flow& flow);
/// Reads what to_text() wrote.
Flow parse_flow(const std::string& text, const std::string& file);

}  // namespace harness
