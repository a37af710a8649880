// SPDX-License-Identifier: Apache-2.0
// Judges: receives the facts of one run, and judges each result of the path.
#pragma once

#include "scenarios/graph_argument/shadow/shadow.h"
#include "scenarios/graph_argument/witness.h"

namespace scenarios::graph_argument {

/// Ownership: made in the run's arena; borrows the scene and the path.
class Judges final : public targets::graph_argument::Observer,
                     public targets::graph_argument::Reader {
 public:
  explicit Judges(harness::Scene& scene) : scene_(scene), model_(scene), shadow_(scene) {}
  /// Starts to record and judge all calls.
  void set_path(const GraphArgument& path) {
    path_ = &scene_.world().arena.make<Witness>(scene_, model_, path)->parts();
  }
  const GraphArgument& path() const { return *path_; }
  Model& model() { return model_; }
  const Model& model() const { return model_; }
  Shadow& shadow() { return shadow_; }
  const Shadow& shadow() const { return shadow_; }

  bool launched() const { return launched_; }  ///< Returns whether anything was launched.
  /// The script has ended.
  void ends() { ended_ = true; }
  bool ended() const { return ended_; }
  /// Returns whether a graph keeps an object alive that keeps the graph.
  bool keeps_itself() const { return keeps_itself_; }

 private:
  // ---- Observer ----
  void referred(Variable variable, Wrapper wrapper) override { model_.referred(variable, wrapper); }
  void stored(Variable variable, Wrapper wrapper) override { model_.stored(variable, wrapper); }
  void bound() override {
    const Call* call = model_.bound();
    if (call == nullptr || call->asked.op != Op::launch) return;
    scene_.exercised();
    launched_ = true;
  }
  void comes_after(std::size_t count) override { model_.comes_after(count); }
  void closed(Wrapper wrapper) override { model_.closed(wrapper); }
  void waits(StreamName stream) override {
    shadow_.execs().waits();
    model_.waits(stream);
  }
  void finished(StreamName stream) override {
    shadow_.execs().finished(stream);
    model_.finished(stream);
  }
  void destructed() override { model_.calls().destructor_returned(); }
  void drops_all(bool graphs) override;
  void named_closed_stream(bool refused) override;
  void named_orphan(std::uint64_t handle, bool refused) override;
  void capture_failed() override {
    shadow_.passages().reach(Window::capture_invalidated);
    model_.calls().capture_failed();
  }
  void took_closed(harness::Label kernel) override;
  void called_back() override {
    if (!model_.calls().quiet()) shadow_.passages().reach(Window::gil_kept_in_call);
  }
  void pending_call_refused() override;
  void cleaned_up() override { model_.calls().set_stuck(false); }

  // ---- Reader: what a launch has written to is read ----
  bool reads(Wrapper buffer) override {
    const Wrapped* wrapped = model_.names().find(buffer);
    return wrapped != nullptr && wrapped->thing != nullptr &&
           model_.values().written(*wrapped->thing);
  }
  void read(Wrapper buffer, const Contents& contents) override;

  bool was_raced_for(const Thing& thing) const;
  /// Reports a wrong value.
  void report_value(harness::Label what, std::int64_t observed, std::int64_t expected);

  harness::Scene& scene_;
  Model model_;
  Shadow shadow_;
  const GraphArgument* path_ = nullptr;
  bool launched_ = false;
  bool keeps_itself_ = false;
  bool ended_ = false;
};

}  // namespace scenarios::graph_argument
