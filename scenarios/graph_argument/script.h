// Script: what the tasks of one run share: the path under test, and what its judges hear.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/graph_argument/ghost.h"
#include "scenarios/graph_argument/offer.h"
#include "scenarios/graph_argument/witness.h"

namespace scenarios::graph_argument {

/// Ownership: lives in the run's arena; borrows the scene and the path.
class Script final : public targets::graph_argument::Observer {
 public:
  explicit Script(harness::Scene& scene)
      : scene_(scene), model_(scene), ghost_(scene), use_(scene.world().scheduler, 1, "use") {}
  /// From now on all calls are witnessed.
  void set_path(const GraphArgument& path) {
    path_ = &scene_.world().arena.make<Witness>(scene_, model_, path)->parts();
  }
  const GraphArgument& path() { return *path_; }
  Model& model() { return model_; }
  const Model& model() const { return model_; }
  Ghost& ghost() { return ghost_; }

  /// Asks which op goes into the slot, with which arguments, and calls it.
  void take_slot(const Theme& theme, std::uint32_t task, std::uint32_t slot);
  /// One of the script's last slots: where nothing has been launched yet, an op that needs a launch
  /// brings about all that this takes.
  void take_last_slot(std::uint32_t slot);

  /// Mutators wait here for something to meddle with: the first node, or the script's end.
  void wait_for_use() { use_.wait(); }
  void begin_using();

  /// The script has come to its end.
  void ends() { ended_ = true; }
  bool ended() const { return ended_; }
  /// The window reached last, or -1.
  int last_window() const { return ghost_.last_window(); }
  /// A graph keeps something that keeps the graph.
  bool keeps_itself() const { return keeps_itself_; }

  // ---- Observer ----
  void referred(Variable variable, Wrapper wrapper) override { model_.referred(variable, wrapper); }
  void stored(Variable variable, Wrapper wrapper) override { model_.stored(variable, wrapper); }
  void bound() override {
    model_.bound();
    const Call* call = model_.current();
    if (call == nullptr || call->asked.op != Op::launch) return;
    scene_.exercised();
    launched_ = true;
  }
  void comes_after(std::size_t count) override { model_.comes_after(count); }
  void closed(Wrapper wrapper) override { model_.closed(wrapper); }
  void waits(StreamName stream) override {
    ghost_.waits();
    model_.waits(stream);
  }
  void finished(StreamName stream) override {
    ghost_.finished(stream);
    model_.finished(stream);
  }
  void destructed() override { model_.destructed_one(); }
  bool wants(Wrapper buffer) override {
    const Thing* thing = model_.buffer_of(buffer);
    return thing != nullptr && model_.written(*thing);
  }
  void read(Wrapper buffer, const Contents& contents) override;
  void drops_all(bool graphs) override;
  void named_closed_stream(bool refused) override;
  void named_orphan(std::uint64_t handle, bool refused) override;
  void update_failed() override { ghost_.reach(Window::r17); }
  void capture_failed() override { ghost_.reach(Window::r19); }
  void pending_call_refused() override { ghost_.reach(Window::r21); }

 private:
  using Status = targets::graph_argument::Status;

  /// The slot that is being filled.
  struct Slot {
    std::uint32_t task = 0;
    std::uint32_t index = 0;
    /// Unlike that of any other slot, by more than a block has elements.
    std::int32_t value() const {
      return static_cast<std::int32_t>(10'000 * (task + 1)) +
             kBlockStride * static_cast<std::int32_t>(index);
    }
  };

  harness::Fault fault_here(harness::FaultKind kind, harness::Label object_kind) const;
  const Situation& current_situation();
  const OpList& current_offer(const Theme& theme, std::uint32_t task);

  // Arguments: each asks one question, always, so that the next one keeps its number.
  Variable choose(Variables fitting, Variables favoured = 0);
  Variable choose_new(const Slot& slot, Variables kind);
  /// Where a node goes: a variable, or nowhere.
  Variable choose_node(const Slot& slot);
  std::uint32_t choose_number(std::uint32_t count) {
    return scene_.pick(harness::Site::argument, count);
  }
  StreamName choose_stream() { return static_cast<StreamName>(choose_number(3)); }

  void nap();
  void run_op(Op op, const Situation& now, const Slot& slot);
  /// Notes the op, calls the path, and tells what came of it.
  template <class Call>
  Status run_call(Op op, Call call);
  /// A launch of what there is would most likely show the caller's own mistakes.
  bool has_trouble() const;
  void get_to_launch(const Slot& slot);
  void launch_anew(std::int32_t value);
  Status perform(Op op, const Situation& now, const Slot& slot);
  Status perform_on_objects(Op op, const Census& census, const Slot& slot);
  Status perform_on_definition(Op op, const Census& census, const Slot& slot);
  Status perform_on_graph(Op op, const Census& census, const Slot& slot);
  Status perform_on_builder(Op op, const Census& census, const Slot& slot);
  /// Branches, and memory of graphs.
  Status perform_on_inside(Op op, const Census& census, const Slot& slot);
  Status add_kernel(const Census& census, const Slot& slot);
  Status add_memcpy(const Census& census, const Slot& slot);

  /// A value that is not what it should be.
  void report_value(harness::Label what, std::int64_t observed, std::int64_t expected);

  harness::Scene& scene_;
  Model model_;
  Ghost ghost_;
  const GraphArgument* path_ = nullptr;
  harness::Latch use_;
  bool in_use_ = false;
  bool added_ = false;
  bool launched_ = false;
  bool keeps_itself_ = false;
  bool ended_ = false;
  // Whatever changes a variable leaves an event: without a new one, the situation is the old one,
  // and so is what is offered to the same task.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  Variables dropped_ = 0;  ///< What the theme favours dropping.
  Situation situation_;
  std::size_t situation_events_ = ~std::size_t{0};
  OpList offer_;
  std::uint32_t offer_task_ = kNobody;
};

template <class Call>
Script::Status Script::run_call(Op op, Call call) {
  harness::World& world = scene_.world();
  const harness::Label name = kOps[harness::raw(op)].name;
  const harness::SiteScope site(world.scheduler, name);
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status status = call();
  world.history.set_value(event, harness::raw(status));
  if (status != Status::ok) return status;
  scene_.count_op(harness::raw(op));
  added_ = added_ || op == Op::add_kernel || op == Op::add_memcpy || op == Op::add_memset ||
           op == Op::add_child || op == Op::add_scratch || op == Op::launch_captured;
  return status;
}

}  // namespace scenarios::graph_argument
