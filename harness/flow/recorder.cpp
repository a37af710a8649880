// SPDX-License-Identifier: Apache-2.0
#include "harness/flow/recorder.h"

#include <map>

#include "harness/flow/symbols.h"

namespace harness {
namespace {

/// Returns whether a place is in the code of a path.
bool is_of_path(const CodePlace& place) {
  return place.file.starts_with("targets/") || place.file.starts_with("scenarios/");
}

using Names = std::map<std::uintptr_t, CodePlace>;

Names names_of(const std::vector<RawPoint>& points) {
  Names names;
  for (const RawPoint& point : points) {
    names[point.code];
    if (point.caller != 0) names[point.caller];
  }
  std::vector<std::uintptr_t> codes;
  for (const auto& [code, place] : names) codes.push_back(code);
  const std::vector<CodePlace> places = places_of(codes);
  for (std::size_t i = 0; i < codes.size(); ++i) names[codes[i]] = places[i];
  return names;
}

/// Tracks callers, so that a function called by a library or by a header of ours is attributed to
/// the code of the path that called the library.
class Callers {
 public:
  /// Returns the call site in the path for the beginning of a function.
  CodePlace of(const CodePlace& called, const CodePlace& caller) {
    const CodePlace found = is_of_path(caller) ? caller : last_[caller.function];
    if (!called.function.empty()) last_[called.function] = found;
    return found;
  }

 private:
  std::map<std::string, CodePlace> last_;  ///< The last caller of each function.
};

}  // namespace

constinit FlowHooks flow_hooks;  // Hooks are called before any constructor runs.

FlowRecorder::FlowRecorder() { flow_hooks.recorder = this; }

FlowRecorder::~FlowRecorder() { flow_hooks.recorder = nullptr; }

Flow FlowRecorder::flow() const {
  const Names names = names_of(points_);
  Flow flow;
  std::map<FlowPoint, std::uint32_t> indices;  // Several addresses may have the same name.
  Callers callers;
  for (const RawPoint& raw : points_) {
    FlowPoint point{names.at(raw.code), raw.caller != 0, {}};
    if (point.is_entry) point.caller = callers.of(point.place, names.at(raw.caller));
    if (!is_of_path(point.place)) continue;
    const auto next = static_cast<std::uint32_t>(flow.points.size());
    const auto [at, is_new] = indices.try_emplace(point, next);
    if (is_new) flow.points.push_back(point);
    flow.path.push_back(at->second);
  }
  return flow;
}

}  // namespace harness
