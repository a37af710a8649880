// SPDX-License-Identifier: Apache-2.0
// Flow: which way a run took through the code of its path, as a build says that counts edges (the
// preset `flow`). Two builds name what they have in common alike, whatever else has changed: a
// point is a function, and how far below the function's beginning an edge of its control flow
// leads.
//
// If the compiler put a function into its caller, the function is the one in whose text it is.
// Libraries and the harness are left out: addresses of memory may decide what continues in them.
// Errors: std::runtime_error with one line that names the file.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// A place in the sources.
struct CodePlace {
  std::string function;  ///< Qualified, without parameters; "" = not known.
  std::string file;      ///< From the root of the tree: "targets/argpack/launch.cpp".
  std::int64_t line = 0;
  std::int64_t down = 0;  ///< Lines below the beginning of the function.
  std::int64_t column = 0;

  auto operator<=>(const CodePlace&) const = default;
};

/// An edge: where it leads and, if that is a function's beginning, if that is called.
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
