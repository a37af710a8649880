// Model: what a script has, by what it asked for and when CUDA did it. It knows nothing of
// policies; the judges compare the path with it.
//
// What is asked comes from the witness, when it comes true from the path, as plain facts; which
// life of the ledger belongs to it, from the ledger.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "scenarios/graph_argument/call.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Contents;
using targets::graph_argument::Kind;
using targets::graph_argument::Work;

struct ModelGraph;

harness::Label to_label(Work work);
/// The device does it, and says when it is done.
constexpr bool is_device_work(Work work) { return work <= Work::set; }
inline constexpr std::size_t kDeviceWorkCount = harness::raw(Work::set) + std::size_t{1};

/// A buffer, a module or an event.
struct Thing {
  Wrapper wrapper = Wrapper::none;
  Kind kind;
  std::int32_t value = 0;                          ///< A buffer's first element.
  harness::BirthId life = harness::BirthId::none;  ///< Its memory, library or event.
  StreamName stream = StreamName::first;           ///< Memory: where it is going to be freed.
  bool closed = false;
  ModelGraph* attribute = nullptr;  ///< buffer.graph
  std::pmr::vector<Thing*> next;    ///< What its block's `next` points at, or has pointed at.
};

/// A node with the parameters of one call.
struct ModelNode {
  Work work;
  std::uint32_t serial = 0;   ///< The same node in a definition, its clones and its executables.
  std::uint32_t made_by = 0;  ///< The call.
  std::size_t after = 0;      ///< The place in its graph, from 1, of the one that it waits for.
  std::array<Thing*, 2> things{};
  Thing* helper = nullptr;  ///< A module or an event.
  std::int32_t value = 0;   ///< What a set writes; which of its bodies a conditional node runs.
  std::array<ModelGraph*, targets::graph_argument::kBranchCount> bodies{};
  const ModelGraph* home = nullptr;  ///< In an executable: the graph that its own node is in.
  /// In an executable: how many of the nodes before it are inside of each of its bodies.
  std::array<std::size_t, targets::graph_argument::kBranchCount> inside{};
  bool idle = false;    ///< In an executable: in a branch that does not run.
  bool looped = false;  ///< In an executable: in a loop, whose value others may set.

  /// In an executable. A child's copy of the node has its serial, too.
  bool is(std::uint32_t its_serial, const ModelGraph* its_home) const {
    return serial == its_serial && home == its_home;
  }
  bool runs(std::size_t body) const {
    return !is_conditional(work) || static_cast<std::size_t>(value) == body;
  }
  /// A bare address keeps nothing, nor does what is launched into a capture.
  bool keeps_things() const { return work != Work::chase && work != Work::captured; }
  bool keeps_helper() const { return work != Work::captured; }
  bool points_into(const Thing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
};
using ModelNodes = std::pmr::vector<ModelNode>;

/// A definition, a clone, a captured graph; or what is inside of a node.
struct ModelGraph {
  ModelNodes nodes;
  ModelGraph* parent = nullptr;
  std::uint32_t last = 0;  ///< The node, by serial, that the next one comes after; 0: none.
  harness::BirthId life = harness::BirthId::none;  ///< Of a root.
  bool destroyed = false;                          ///< Its node was destroyed, or one around it.
  bool changed = false;  ///< Its shape is not that of its list, as a node of it was destroyed.
  bool endless = false;  ///< A loop in it may have nothing that ends it.
  bool branch = false;   ///< It belongs to a conditional node.
  bool spoilt = false;   ///< It has a condition that no node asks.

  /// A child's graph has a new handle whenever it is asked for, and each begins anew.
  bool has_one_handle() const { return parent == nullptr || branch; }
  bool in_branch() const { return branch || (parent != nullptr && parent->in_branch()); }
  const ModelGraph& root() const { return parent != nullptr ? parent->root() : *this; }
  ModelGraph& root() { return parent != nullptr ? parent->root() : *this; }
};

struct ModelExec {
  ModelNodes nodes;                    ///< Flat.
  ModelNodes given;                    ///< Updates of single nodes, since the last of all.
  const ModelGraph* source = nullptr;  ///< What it was made of.
  harness::BirthId life = harness::BirthId::none;
  std::uint32_t made_by = 0;
  /// The last whole update, and those that failed since.
  std::pmr::vector<std::uint32_t> updated_by;
  bool closed = false;
  bool changed = false;  ///< As the graph that it was made of.
};

struct ModelLaunch {
  ModelNodes nodes;
  ModelNodes given;
  std::pmr::vector<std::uint32_t> calls;  ///< That made and updated its executable.
  StreamName stream;
  harness::TaskId task;
  bool finished = false;
  std::uint32_t finished_in = 0;  ///< Which wait said so.
};

/// What a wrapper wraps.
struct Wrapped {
  Wrapper wrapper = Wrapper::none;
  Kind kind = Kind::nothing;
  Thing* thing = nullptr;
  ModelGraph* graph = nullptr;  ///< Of a definition, a node, or a builder.
  ModelExec* exec = nullptr;
  std::uint32_t serial = 0;  ///< Of a node.
  Work work = Work::add_one;
  Thing* module = nullptr;  ///< Of a kernel node: the wrapper has it, too.
  std::array<ModelGraph*, targets::graph_argument::kBranchCount> bodies{};  ///< Of a node.
  bool destroyed = false;
  bool capturing = false;
  bool ended = false;  ///< A capture, well.
  bool invalidated = false;
  harness::BirthId stream = harness::BirthId::none;  ///< A builder's.
};

/// A life of CUDA's, and what makes it of use.
struct Holding {
  enum class Of : std::uint8_t { thing, graph, exec, stream, second_stream, call };
  harness::BirthId life;
  Of of;
  Thing* thing = nullptr;
  ModelGraph* graph = nullptr;  ///< Of a call: what it was for.
  ModelExec* exec = nullptr;
  Wrapped* builder = nullptr;
  std::uint32_t call = 0;
  std::uint32_t lost_at = 0;  ///< The script's calls when nobody could use it any more; 0: of use.
  bool awaited = false;       ///< Lost before the wait that was to end it began.
  bool overdue = false;
  harness::Name found_in = 0;  ///< Where it was found to be.
  harness::Tick found_at = 0;
};

/// What a node points into. A kernel that takes one buffer has the second for nothing.
std::array<Thing*, 2> things_of(Work work, const Wrapped& first, const Wrapped& second);

/// Ownership: in the run's arena; borrows the scene.
class Model {
 public:
  explicit Model(harness::Scene& scene) : scene_(scene) {}

  /// Whose calls count: Python's main thread.
  void set_main(harness::TaskId task) { main_ = task; }
  harness::TaskId main() const { return main_; }

  // ---- calls ----
  Call& begin(const Asked& asked);
  void end(Call& call, targets::graph_argument::Status status);
  /// The call that this task makes; null where it makes none.
  Call* current();

  // ---- facts ----
  void referred(Variable variable, Wrapper wrapper);
  void stored(Variable variable, Wrapper wrapper);
  void bound();
  void closed(Wrapper wrapper);
  void waits(StreamName stream);
  void finished(StreamName stream);
  /// The device has run all that it was given: by who waited for it, and is no call of the path's.
  void finished_all();
  void destructed_one() {
    ++destructed_;
    held_up_at_ = std::max(held_up_at_, script_calls_);
  }
  void finalizes() { finalizing_ = true; }
  void accepted_closed() {
    if (Call* call = current()) call->accepted_closed = true;
  }
  void met_ended() {
    if (Call* call = current()) call->met_ended = true;
  }
  /// The path is made: the script's streams are there.
  void begins();
  /// Nodes of a definition run one after another.
  void comes_after(std::size_t count);

  // ---- what there is ----
  bool stream_is_closed(StreamName stream) const {
    return stream == StreamName::second && stream_closed_;
  }
  bool finalizing() const { return finalizing_; }
  /// Python's queue was filled at some time.
  bool flooded() const { return flooded_; }
  /// Another call ends the builder's capture, well or not.
  bool is_ending(const Wrapped& builder, const Call& but) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Call* call) {
      return call != &but && call->asked.op == Op::end_building && call->referred[0] == &builder;
    });
  }
  /// Whether a builder in the variable may be said to be capturing, or not to be.
  bool may_say_capturing(Variable variable, bool said) const;
  const harness::Scene& scene() const { return scene_; }
  Thing* buffer_of(Wrapper wrapper) const;
  /// A launch has written to it.
  bool written(const Thing& buffer) const;
  const std::pmr::vector<ModelLaunch>& launches() const { return launches_; }
  bool is_alive(harness::BirthId life) const { return scene_.world().ledger.alive(life); }
  const std::pmr::vector<ModelExec*>& execs() const { return execs_; }
  /// Freed by a node, or by one that could not be added.
  bool was_freed(std::uint32_t allocation) const {
    return std::find(freed_.begin(), freed_.end(), allocation) != freed_.end();
  }
  static ModelNode* find(ModelGraph& graph, std::uint32_t serial);
  /// A node was destroyed, in it or inside of it.
  static bool has_changed(const ModelGraph& graph);
  static void flatten(const ModelGraph& graph, ModelNodes& into, bool idle = false,
                      bool looped = false);

  // ---- values (model_values.cpp) ----
  /// How many waits had been over when this task's was.
  std::uint32_t waits_before();
  /// Whether `observed` may be in element `index` of buffer.out when so many waits were over.
  /// `expected` is what fits best, and `what` has left it; `writer` has, where its result is it.
  bool explains(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                std::int32_t observed, std::int32_t& expected, harness::Label& what,
                const ModelNode*& writer) const;
  /// What a node that writes to a buffer leaves in this element of it.
  static std::int32_t result(const ModelNode& writer, std::uint32_t index);
  /// A launch has written to its `mid`.
  bool produced(const Thing& buffer) const;
  bool explains_mid(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                    std::int32_t observed) const;
  /// The addresses that its block may name.
  bool explains_next(const Thing& buffer, std::uint64_t observed) const;

  // ---- what nobody can use (model_lost.cpp) ----
  /// Looks who is lost by now. Returns whether somebody that is lost is alive. In between calls.
  bool note_lost();
  std::pmr::vector<Holding>& holdings() { return holdings_; }
  /// What was found to be there for too long, whatever became of it afterwards.
  std::pmr::vector<Holding>& overdue() { return overdue_; }
  const std::pmr::vector<Holding>& overdue() const { return overdue_; }
  bool quiet() const { return calls_.empty(); }
  /// There is reason to look: somebody may be lost, or is.
  bool may_have_lost() const { return lost_some_ || lost_alive_; }
  std::uint32_t script_calls() const { return script_calls_; }
  /// The script's calls when CUDA's threads, or Python's queue, last held something up.
  /// How many calls of the script a flood of Python's queue outlasts, which has a step in each.
  static constexpr std::uint32_t kFloodCalls = 5;
  std::uint32_t held_up_at() const { return held_up_at_; }
  void hold_up(std::uint32_t calls = 0) { held_up_at_ = script_calls_ + calls; }
  /// How many destructors of user objects have returned.
  std::size_t destructed() const { return destructed_; }

 private:
  Wrapped& wrap(Kind kind);
  Wrapped* find(Wrapper wrapper) const;
  harness::BirthId newest(harness::Label kind) const;
  void hold(Holding holding) {
    if (holding.life != harness::BirthId::none) holdings_.push_back(holding);
  }
  void fail(const Call& call);
  /// The user objects that CUDA has made for the call.
  void hold_user_objects(const Call& call);

  // What a call comes to, by what it asks for.
  void bind_object(Call& call);
  void bind_node(Call& call);
  void bind_inside(Call& call);
  void bind_definition(Call& call);
  void bind_exec(Call& call);
  Thing& make_thing(Call& call, Kind kind, harness::Label life);
  ModelGraph& make_graph(ModelGraph* parent, harness::BirthId life);
  ModelGraph& copy(const ModelGraph& graph, ModelGraph* parent);
  ModelNode& add(Call& call, ModelGraph& graph, ModelNode node);
  void add_kernel(Call& call);
  void add_conditional(Call& call);
  void change(Call& call);
  ModelExec& instantiate(Call& call, ModelGraph& graph);
  void launch(Call& call);

  bool is_referenced(const Wrapped& wrapped) const;
  bool is_used(const Thing& thing) const;
  bool is_used(const Holding& holding) const;
  bool is_second_stream_used() const;
  bool is_only_one(const Holding& holding) const;
  bool is_used(std::uint32_t call) const;
  bool is_reachable(const ModelGraph& root) const;
  bool is_open(const ModelExec& exec) const;
  /// A node that something holds passes the test.
  template <class Test>
  bool any_held(Test test) const;
  static void meet(Call& waiting, Wrapped& builder);
  static void mark_destroyed(ModelGraph& graph);

  harness::Scene& scene_;
  std::array<Wrapped*, targets::graph_argument::kVariableCount> variables_{};
  Variables empty_ = range(0, targets::graph_argument::kVariableCount);  ///< Of them.
  std::pmr::vector<Wrapped*> wrapped_;
  std::pmr::vector<Thing*> things_;
  std::pmr::vector<ModelGraph*> graphs_;
  std::pmr::vector<ModelExec*> execs_;
  std::pmr::vector<ModelLaunch> launches_;
  struct Cycle {
    harness::BirthId life;
    Wrapped* held;
  };
  std::pmr::vector<Cycle> cycles_;
  std::pmr::vector<Call*> calls_;
  std::pmr::vector<Holding> holdings_;
  std::pmr::vector<Holding> overdue_;
  std::pmr::vector<std::uint32_t> freed_;  ///< Allocation nodes, by serial.
  std::uint32_t call_count_ = 0;
  std::uint32_t script_calls_ = 0;
  std::uint32_t held_up_at_ = 0;
  std::uint32_t serials_ = 0;
  std::uint32_t waits_ = 0;
  std::size_t destructed_ = 0;
  harness::TaskId main_ = harness::TaskId::none;
  bool lost_some_ = false;   ///< Since note_lost() looked.
  bool lost_alive_ = false;  ///< As note_lost() found.
  bool stream_closed_ = false;
  bool flooded_ = false;
  bool finalizing_ = false;
};

/// Something that was not there had been used by then, and that was no mistake of the caller's:
/// from then on nobody knows who holds what, and all that follows may follow from it.
bool went_wrong(const harness::Scene& scene, harness::Tick by);

}  // namespace scenarios::graph_argument
