// SPDX-License-Identifier: Apache-2.0
// Judges: calls the path, receives the facts of one run, and judges each result.
#pragma once

#include "scenarios/graph_argument/arguments.h"
#include "scenarios/graph_argument/judges/answers.h"
#include "scenarios/graph_argument/judges/bounded.h"
#include "scenarios/graph_argument/model/update.h"

namespace scenarios::graph_argument {

/// Ownership: made in the run's arena; borrows the scene and the path. Threads: those of the path.
class Judges final : public Update, public targets::graph_argument::Reader {
 public:
  using Contents = targets::graph_argument::Contents;
  using GraphArgument = targets::graph_argument::GraphArgument;

  using Update::Update;

  void set_path(const GraphArgument& path) { path_.emplace(path); }
  /// Returns the path itself, for calls that are not judged.
  const GraphArgument& path() const { return *path_; }
  /// Calls the path with these arguments of the op, and judges the result.
  template <Op op, class... Values>
  Status call(const Values&... values) {
    Call& begun = begin(arguments::asked<op>(values...));
    return judge(begun, arguments::pass<op>(*path_, values...));
  }
  /// Returns the contents of all variables, and judges what the path says about builders.
  Census census();

 private:
  // ---- Observer ----
  void comes_after(std::size_t count) override;
  void named_closed_stream(bool refused) override;
  void named_orphan(std::uint64_t handle, bool refused) override;
  void took_closed(harness::Label kernel) override;

  // ---- Reader: what a launch has written to is read ----
  bool reads(Wrapper buffer) override;
  void read(Wrapper buffer, const Contents& contents) override;

  /// Judges the status of a call, which ends.
  Status judge(Call& call, Status status);
  bool was_raced_for(const Thing& thing) const;
  /// Reports a wrong value.
  void report_value(harness::Label what, std::int64_t observed, std::int64_t expected);

  std::optional<GraphArgument> path_;
};

}  // namespace scenarios::graph_argument
