// SPDX-License-Identifier: Apache-2.0
// How it works. The next edge of a function was decided by that function; the beginning of a
// function was decided by its caller. If the two runs differ in functions, the one that was called
// last decided first, because it returned in one of the runs.
#include "harness/flow/divergence.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace harness {
namespace {

/// A call that has not returned, as far as the edges show.
struct Frame {
  CodePlace place;   ///< The last edge in it.
  CodePlace caller;  ///< The call site.
  /// The last edges in the function that it called last and that has returned, in the function that
  /// this one had called last, and so on.
  std::vector<CodePlace> called;
};

constexpr std::size_t kMostAnswers = 4;

bool is_of(const CodePlace& place, const CodePlace& other) {
  return place.function == other.function && place.file == other.file;
}

class Calls {
 public:
  void follow(const FlowPoint& point) {
    if (!point.is_entry) return at(point.place);
    if (!point.caller.function.empty()) at(point.caller);
    frames_.push_back({point.place, point.caller, {}});
  }

  /// Returns the call depth of a function; 0 if it is not on the stack.
  std::size_t depth_of(const CodePlace& place) const {
    for (std::size_t depth = frames_.size(); depth > 0; --depth)
      if (is_of(frames_[depth - 1].place, place)) return depth;
    return 0;
  }

  /// Returns the last edges in the function that the one at this depth called last, if any, in the
  /// function that this one had called last, and so on.
  std::vector<CodePlace> last_called_at(std::size_t depth) const {
    if (depth == 0) return {};
    std::vector<CodePlace> called;
    for (std::size_t i = depth; i < frames_.size(); ++i) called.push_back(frames_[i].place);
    const std::vector<CodePlace>& before = frames_.back().called;
    called.insert(called.end(), before.begin(), before.end());
    if (called.size() > kMostAnswers) called.resize(kMostAnswers);
    return called;
  }

  /// Returns the same for the function that its caller had called before it, whose result it may
  /// have received.
  std::vector<CodePlace> called_before(std::size_t depth) const {
    return depth > 1 ? frames_[depth - 2].called : std::vector<CodePlace>();
  }

  /// Returns the call sites of the function at this depth, innermost first.
  std::vector<CodePlace> callers_of(std::size_t depth) const {
    std::vector<CodePlace> callers;
    for (; depth > 0; --depth)
      if (const CodePlace& caller = frames_[depth - 1].caller; !caller.function.empty())
        callers.push_back(caller);
    return callers;
  }

 private:
  /// Notes that the run is in this function, so that the functions it called have returned.
  void at(const CodePlace& place) {
    const std::size_t depth = depth_of(place);
    if (depth == 0)
      return frames_.push_back({place, {}, {}});  // Belongs to another task, or to an outlined part
                                                  // of a function.
    if (depth < frames_.size()) frames_[depth - 1].called = last_called_at(depth);
    frames_.resize(depth);
    frames_.back().place = place;
  }

  std::vector<Frame> frames_;
};

/// Returns where the edge was decided.
CodePlace chosen_at(const std::optional<FlowPoint>& point) {
  if (!point) return {};
  return point->is_entry ? point->caller : point->place;
}

std::optional<FlowPoint> at(const Flow& flow, std::size_t index) {
  if (index >= flow.path.size()) return std::nullopt;
  return flow.points[flow.path[index]];
}

/// Returns an edge without line numbers, so that the position of functions in their files does not
/// matter.
FlowPoint anywhere(FlowPoint point) {
  point.place.line = point.caller.line = 0;
  return point;
}

using Numbers = std::map<FlowPoint, std::size_t>;

/// Returns a flow's path as edge numbers. New edges get new numbers.
std::vector<std::size_t> numbered(const Flow& flow, Numbers& numbers) {
  std::vector<std::size_t> of_points, path;
  for (const FlowPoint& point : flow.points)
    of_points.push_back(numbers.try_emplace(anywhere(point), numbers.size()).first->second);
  for (const std::uint32_t index : flow.path) path.push_back(of_points[index]);
  return path;
}

std::size_t count_in_common(const Flow& good, const Flow& bad) {
  Numbers numbers;
  const std::vector<std::size_t> these = numbered(good, numbers), those = numbered(bad, numbers);
  const auto [end, other] = std::mismatch(these.begin(), these.end(), those.begin(), those.end());
  return static_cast<std::size_t>(end - these.begin());
}

}  // namespace

std::optional<Divergence> divergence_of(const Flow& good, const Flow& bad) {
  Divergence divergence;
  divergence.in_common = count_in_common(good, bad);
  if (divergence.in_common == std::max(good.path.size(), bad.path.size())) return std::nullopt;
  divergence.good = at(good, divergence.in_common);
  divergence.bad = at(bad, divergence.in_common);
  Calls calls;
  for (std::size_t i = 0; i < divergence.in_common; ++i) calls.follow(bad.points[bad.path[i]]);
  const std::array chosen{chosen_at(divergence.bad), chosen_at(divergence.good)};
  const CodePlace& later = *std::max_element(chosen.begin(), chosen.end(), [&](auto& a, auto& b) {
    return std::pair(calls.depth_of(a), !a.function.empty()) <
           std::pair(calls.depth_of(b), !b.function.empty());
  });
  divergence.decided = later;
  const std::size_t depth = calls.depth_of(later);
  divergence.upon = calls.last_called_at(depth);
  divergence.is_handed_over = divergence.upon.empty();
  if (divergence.is_handed_over) divergence.upon = calls.called_before(depth);
  divergence.callers = calls.callers_of(depth);
  return divergence;
}

}  // namespace harness
