// How it works. A call is recorded when it is asked; the path tells when it refers to what a
// variable holds, and when CUDA has done something for it. Only then does the model change, by what
// was asked. What CUDA has made is the newest life of its kind: no task ran in between.
#include "scenarios/graph_argument/model.h"

#include <algorithm>

namespace scenarios::graph_argument {

using harness::BirthId;
using harness::Label;
using targets::graph_argument::kNowhere;
using targets::graph_argument::Status;

Label to_label(Work work) {
  static constexpr std::array<Label, 21> kLabels{
      "add_one", "saxpy", "block_sum", "produce", "consume", "chase",      "captured",
      "scratch", "leave", "memcpy",    "memset",  "record",  "wait",       "callback",
      "alloc",   "free",  "child",     "if_then", "if_else", "while_loop", "switch_case"};
  return kLabels[harness::raw(work)];
}

bool went_wrong(const harness::Scene& scene, harness::Tick by) {
  const auto& faults = scene.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const harness::Fault& fault) {
    return fault.tick <= by && fault.kind != harness::FaultKind::retention &&
           fault.kind != harness::FaultKind::refusal &&
           fault.kind != harness::FaultKind::wrong_value && !is_caller_error(scene.scenario(), fault);
  });
}

// ---- calls --------------------------------------------------------------------------------------

Call& Model::begin(const Asked& asked) {
  harness::World& world = scene_.world();
  Call* call = world.arena.make<Call>();
  call->asked = asked;
  call->task = world.scheduler.current();
  call->number = ++call_count_;
  call->faults = world.history.faults().size();
  call->events = world.history.events().size();
  call->injected = world.injected_failures;
  call->lives = world.ledger.lives().size();
  call->emptied = empty_;
  call->stream_was_closed = asked.stream && stream_is_closed(*asked.stream);
  calls_.push_back(call);
  return *call;
}

void Model::end(Call& call, Status status) {
  hold_user_objects(call);
  std::erase(calls_, &call);
  if (status != Status::ok) fail(call);
  if (call.asked.op == Op::flood) hold_up(kFloodCalls);
  if (call.task == main_) ++script_calls_;
}

// What is known of things after a call that failed.
void Model::fail(const Call& call) {
  lost_some_ = true;
  switch (call.asked.op) {
    case Op::update:  // Nobody knows what the executable holds.
      if (call.referred_count == 2) call.referred[0]->exec->updated_by.push_back(call.number);
      return;
    case Op::end_building:  // It is over, well or not.
      if (call.referred_count == 1) call.referred[0]->capturing = false;
      return;
    case Op::add_conditional:
      if (call.referred_count == 2 && call.bound == 0) call.referred[0]->graph->spoilt = true;
      return;
    default:
      return;
  }
}

Call* Model::current() {
  const harness::TaskId task = scene_.world().scheduler.current();
  for (Call* call : calls_)
    if (call->task == task) return call;
  return nullptr;
}

void Model::hold_user_objects(const Call& call) {
  const auto& lives = scene_.world().ledger.lives();
  const harness::Name activation = scene_.world().picker.current().name;
  for (std::size_t i = call.lives; i < lives.size(); ++i)
    if (lives[i].kind == Label("user object") && lives[i].birth_activation == activation)
      hold({.life = static_cast<BirthId>(i),
            .of = Holding::Of::call,
            .graph = call.referred_count > 0 ? call.referred[0]->graph : nullptr,
            .call = call.number});
}

// ---- facts --------------------------------------------------------------------------------------

Wrapped* Model::find(Wrapper wrapper) const {
  for (auto at = wrapped_.rbegin(); at != wrapped_.rend(); ++at)
    if ((*at)->wrapper == wrapper) return *at;
  return nullptr;
}

BirthId Model::newest(Label kind) const {
  const auto& lives = scene_.world().ledger.lives();
  for (std::size_t i = lives.size(); i-- > 1;)
    if (lives[i].kind == kind) return lives[i].alive ? static_cast<BirthId>(i) : BirthId::none;
  return BirthId::none;
}

void Model::referred(Variable variable, Wrapper wrapper) {
  Call* call = current();
  Wrapped* held = variables_[variable];
  if (held == nullptr || held->wrapper != wrapper) {
    scene_.refuse("variable", "another object than was stored in it");
    held = find(wrapper);
  }
  if (call == nullptr || held == nullptr || call->referred_count == Call::kReferenceLimit) return;
  call->referred[call->referred_count++] = held;
}

// What was not known before is what the call has made.
void Model::stored(Variable variable, Wrapper wrapper) {
  Call* call = current();
  Wrapped* now = wrapper != Wrapper::none ? find(wrapper) : nullptr;
  if (now == nullptr && wrapper != Wrapper::none && call != nullptr && call->made != nullptr) {
    now = call->made;
    now->wrapper = wrapper;
    if (now->thing != nullptr) now->thing->wrapper = wrapper;
  }
  if (variables_[variable] != nullptr) lost_some_ = true;
  variables_[variable] = now;
  empty_ = now != nullptr ? empty_ & ~bit(variable) : empty_ | bit(variable);
  if (call != nullptr && variable == call->asked.into) call->stored = now != nullptr;
  if (now == nullptr)
    for (Call* each : calls_) each->emptied |= bit(variable);
}

void Model::closed(Wrapper wrapper) {
  lost_some_ = true;
  if (Wrapped* wrapped = find(wrapper); wrapped != nullptr && wrapped->thing != nullptr)
    wrapped->thing->closed = true;
}

// Waiting for the device is forbidden while somebody captures, and spoils what is captured, also by
// who begins before the wait is over.
void Model::waits(StreamName stream) {
  Call* call = current();
  if (call == nullptr) return;
  call->mark = launches_.size();
  if (stream != targets::graph_argument::kEveryStream) return;
  call->waits_for_device = true;
  for (Wrapped* each : wrapped_)
    if (each->capturing && is_alive(each->stream)) meet(*call, *each);
}

void Model::meet(Call& waiting, Wrapped& builder) {
  waiting.met_capture = true;
  builder.invalidated = true;
}

// A closed stream's launches went to the default stream, which the caller has one of, or the
// thread.
void Model::finished(StreamName stream) {
  Call* call = current();
  if (call == nullptr) return;
  call->waits = ++waits_;
  for (std::size_t i = 0; i < call->mark; ++i) {
    ModelLaunch& launch = launches_[i];
    const bool meant = stream == targets::graph_argument::kEveryStream ||
                       (launch.stream == stream && (stream != StreamName::fallback ||
                                                    launch.task == call->task));
    if (!meant || std::exchange(launch.finished, true)) continue;
    launch.finished_in = waits_;
    call->finished_some = lost_some_ = true;
  }
}

std::uint32_t Model::waits_before() {
  const Call* call = current();
  return call != nullptr ? call->waits : 0;
}

void Model::bound() {
  Call* call = current();
  if (call == nullptr) return;
  ++call->bound;
  const Op op = call->asked.op;
  if (op < Op::create_definition || op == Op::set_attribute || op == Op::make_cycle)
    return bind_object(*call);
  if (op == Op::add_child || op == Op::get_child || op >= Op::add_conditional)
    return bind_inside(*call);
  if (op >= Op::add_kernel && op <= Op::add_callback) return bind_node(*call);
  if (op < Op::instantiate || (op >= Op::begin_building && op <= Op::end_building))
    return bind_definition(*call);
  bind_exec(*call);
}

// ---- objects ------------------------------------------------------------------------------------

Wrapped& Model::wrap(Kind kind) {
  wrapped_.push_back(scene_.world().arena.make<Wrapped>());
  wrapped_.back()->kind = kind;
  return *wrapped_.back();
}

Thing& Model::make_thing(Call& call, Kind kind, Label life) {
  Thing* thing = scene_.world().arena.make<Thing>();
  thing->kind = kind;
  thing->value = call.asked.value;
  thing->life = newest(life);
  things_.push_back(thing);
  hold({.life = thing->life, .of = Holding::Of::thing, .thing = thing});
  call.made = &wrap(kind);
  call.made->thing = thing;
  return *thing;
}

void Model::bind_object(Call& call) {
  switch (call.asked.op) {
    case Op::allocate:
      make_thing(call, Kind::buffer, "device memory");
      return;
    case Op::load_module:
      make_thing(call, Kind::module, "library");
      return;
    case Op::create_event:
      make_thing(call, Kind::event, "event");
      return;
    case Op::link:
      call.referred[0]->thing->next.push_back(call.referred[1]->thing);
      return;
    case Op::set_attribute:
      call.referred[0]->thing->attribute = call.referred[1]->graph;
      return;
    case Op::make_cycle:
      cycles_.push_back({newest("cycle"), call.referred[0]});
      return;
    case Op::close_stream:
      stream_closed_ = true;
      return;
    default:
      return;
  }
}

// ---- graphs -------------------------------------------------------------------------------------

ModelGraph& Model::make_graph(ModelGraph* parent, BirthId life) {
  ModelGraph* graph = scene_.world().arena.make<ModelGraph>();
  graph->parent = parent;
  graph->life = life;
  graphs_.push_back(graph);
  hold({.life = life, .of = Holding::Of::graph, .graph = graph});
  return *graph;
}

// Serials stay: an executable made of the copy takes updates by the nodes it was copied from.
ModelGraph& Model::copy(const ModelGraph& graph, ModelGraph* parent) {
  ModelGraph& made = make_graph(parent, BirthId::none);
  made.nodes = graph.nodes;
  made.changed = graph.changed;
  made.endless = graph.endless;
  made.branch = graph.branch;
  made.spoilt = graph.spoilt;
  for (ModelNode& node : made.nodes)
    for (ModelGraph*& body : node.bodies)
      if (body != nullptr) body = &copy(*body, &made);
  return made;
}

ModelNode* Model::find(ModelGraph& graph, std::uint32_t serial) {
  for (ModelNode& node : graph.nodes)
    if (node.serial == serial) return &node;
  return nullptr;
}

ModelNode& Model::add(Call& call, ModelGraph& graph, ModelNode node) {
  node.serial = ++serials_;
  node.made_by = call.number;
  graph.nodes.push_back(node);
  Wrapped& made = wrap(Kind::node);
  made.graph = &graph;
  made.serial = node.serial;
  made.work = node.work;
  made.bodies = node.bodies;
  if (node.helper != nullptr && node.helper->kind == Kind::module) made.module = node.helper;
  call.made = &made;
  return graph.nodes.back();
}

void Model::bind_definition(Call& call) {
  switch (call.asked.op) {
    case Op::create_definition:
      call.made = &wrap(Kind::definition);
      call.made->graph = &make_graph(nullptr, newest("graph"));
      return;
    case Op::clone: {
      ModelGraph& made = copy(*call.referred[0]->graph, nullptr);
      made.life = newest("graph");
      hold({.life = made.life, .of = Holding::Of::graph, .graph = &made});
      call.made = &wrap(Kind::definition);
      call.made->graph = &made;
      return;
    }
    case Op::set_params:
      return change(call);
    case Op::destroy_node: {
      Wrapped& node = *call.referred[0];
      node.destroyed = node.graph->changed = lost_some_ = true;
      if (is_conditional(node.work)) node.graph->spoilt = true;
      if (const ModelNode* found = find(*node.graph, node.serial))
        for (ModelGraph* body : found->bodies)
          if (body != nullptr) bury(*body);
      std::erase_if(node.graph->nodes,
                    [&](const ModelNode& each) { return each.serial == node.serial; });
      return;
    }
    case Op::begin_building:
      call.made = &wrap(Kind::builder);
      call.made->capturing = true;
      call.made->graph = &make_graph(nullptr, BirthId::none);
      call.made->stream = newest("stream");
      hold({.life = call.made->stream, .of = Holding::Of::stream, .builder = call.made});
      for (Call* each : calls_)
        if (each->waits_for_device) meet(*each, *call.made);
      return;
    case Op::launch_captured:
      add(call, *call.referred[0]->graph,
          {.work = Work::captured,
           .things = {call.referred[2]->thing},
           .helper = call.referred[1]->thing});
      return;
    default:  // end_building
      call.referred[0]->capturing = false;
      call.referred[0]->ended = true;
      return;
  }
}

void Model::bury(ModelGraph& graph) {
  graph.buried = true;
  for (const ModelNode& node : graph.nodes)
    for (ModelGraph* body : node.bodies)
      if (body != nullptr) bury(*body);
}

// ---- nodes --------------------------------------------------------------------------------------

/// A kernel that takes one buffer has the second for nothing.
static std::array<Thing*, 2> things_of(Work work, const Wrapped& first, const Wrapped& second) {
  const bool one = work == Work::add_one || work == Work::produce;
  return {first.thing, one ? nullptr : second.thing};
}

static Work work_of(Kernel kernel) {
  static constexpr std::array<Work, targets::graph_argument::kKernelCount> kWork{
      Work::add_one, Work::saxpy, Work::block_sum, Work::consume, Work::chase};
  return kWork[harness::raw(kernel)];
}

void Model::bind_node(Call& call) {
  const Asked& asked = call.asked;
  ModelGraph& graph = *call.referred[0]->graph;
  const auto thing = [&](std::size_t index) { return call.referred[index]->thing; };
  switch (asked.op) {
    case Op::add_kernel: {
      const bool produces = asked.kernel == Kernel::produce_consume && call.bound == 1;
      const Work work = produces ? Work::produce : work_of(asked.kernel);
      add(call, graph,
          {.work = work,
           .things = things_of(work, *call.referred[2], *call.referred[3]),
           .helper = thing(1)});
      return;
    }
    case Op::add_memcpy:
      add(call, graph, {.work = Work::copy, .things = {thing(1), thing(2)}});
      return;
    case Op::add_memset:
      add(call, graph, {.work = Work::set, .things = {thing(1)}, .value = asked.value});
      return;
    case Op::add_record:
    case Op::add_wait:
      add(call, graph,
          {.work = asked.op == Op::add_record ? Work::record : Work::wait, .helper = thing(1)});
      return;
    default:
      add(call, graph, {.work = Work::callback});
      return;
  }
}

// The node's own wrapper knows it by its serial, which stays.
void Model::change(Call& call) {
  const Wrapped& wrapped = *call.referred[0];
  ModelNode* node = find(*wrapped.graph, wrapped.serial);
  if (node == nullptr) return;
  node->things = things_of(node->work, *call.referred[1], *call.referred[2]);
  node->made_by = call.number;
  lost_some_ = true;
}

// ---- nodes with graphs inside, and memory of graphs ---------------------------------------------

void Model::bind_inside(Call& call) {
  ModelGraph& graph = *call.referred[0]->graph;
  switch (call.asked.op) {
    case Op::add_child:
      add(call, graph, {.work = Work::child, .bodies = {&copy(*call.referred[1]->graph, &graph)}});
      return;
    case Op::get_child:
    case Op::get_branch:
      call.made = &wrap(Kind::definition);
      call.made->graph = call.referred[0]->bodies[call.asked.branch];
      return;
    case Op::add_conditional:
      return add_conditional(call);
    case Op::add_alloc:
      add(call, graph, {.work = Work::allocation});
      return;
    case Op::add_free:
      freed_.push_back(call.referred[1]->serial);
      add(call, graph, {.work = Work::free});
      return;
    default:
      add(call, graph,
          {.work = Work::scratch,
           .things = {call.referred[3]->thing},
           .helper = call.referred[1]->thing});
      return;
  }
}

// First the node with its branches; then, of a loop, what ends it.
void Model::add_conditional(Call& call) {
  const Asked& asked = call.asked;
  ModelGraph& graph = *call.referred[0]->graph;
  const bool loops = asked.condition == Condition::while_loop;
  if (call.bound > 1) {
    Wrapped* const made = call.made;
    ModelGraph& body = *made->bodies[0];
    add(call, body, {.work = Work::leave, .helper = call.referred[1]->thing});
    body.endless = false;
    call.made = made;
    return;
  }
  ModelNode node{.work = static_cast<Work>(harness::raw(Work::if_then) +
                                           harness::raw(asked.condition)),
                 .value = static_cast<std::int32_t>(asked.branch)};
  const std::size_t count = loops || asked.condition == Condition::if_then ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i) {
    node.bodies[i] = &make_graph(&graph, BirthId::none);
    node.bodies[i]->branch = true;
  }
  node.bodies[0]->endless = loops && asked.branch == 0;
  add(call, graph, node);
}

// ---- executables --------------------------------------------------------------------------------

// What has graphs inside comes after them, and does nothing itself.
void Model::flatten(const ModelGraph& graph, ModelNodes& into, bool idle, bool looped) {
  for (const ModelNode& node : graph.nodes) {
    const bool loops = looped || node.work == Work::while_loop;
    for (std::size_t i = 0; i < node.bodies.size(); ++i)
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i), loops);
    ModelNode& made = into.emplace_back(node);
    made.idle = idle;
    made.looped = looped;
  }
}

ModelExec& Model::instantiate(Call& call, ModelGraph& graph) {
  ModelExec* exec = scene_.world().arena.make<ModelExec>();
  flatten(graph, exec->nodes);
  exec->life = newest("executable graph");
  exec->made_by = call.number;
  exec->source = &graph;
  exec->changed = has_changed(graph);
  execs_.push_back(exec);
  hold({.life = exec->life, .of = Holding::Of::exec, .exec = exec});
  call.made = &wrap(Kind::graph);
  call.made->exec = exec;
  return *exec;
}

bool Model::has_changed(const ModelGraph& graph) {
  return graph.changed ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ModelNode& node) {
           return std::any_of(node.bodies.begin(), node.bodies.end(), [](const ModelGraph* body) {
             return body != nullptr && has_changed(*body);
           });
         });
}

void Model::launch(Call& call) {
  const ModelExec& exec = *call.referred[0]->exec;
  ModelLaunch& launch = launches_.emplace_back();
  launch.nodes = exec.nodes;
  launch.given = exec.given;
  launch.calls = exec.updated_by;
  launch.calls.push_back(exec.made_by);
  const StreamName stream = *call.asked.stream;
  launch.stream = stream_is_closed(stream) ? StreamName::fallback : stream;
  launch.task = call.task;
}

void Model::bind_exec(Call& call) {
  switch (call.asked.op) {
    case Op::instantiate:
    case Op::complete:
      instantiate(call, *call.referred[0]->graph);
      return;
    case Op::launch:
      return launch(call);
    case Op::update_node: {
      ModelExec& exec = *call.referred[0]->exec;
      const Wrapped& wrapped = *call.referred[1];
      for (ModelNode& node : exec.nodes) {
        if (node.serial != wrapped.serial) continue;
        exec.given.push_back(node);  // It stays until the next whole update.
        node.things = things_of(node.work, *call.referred[2], *call.referred[3]);
        exec.given.push_back(node);
        exec.given.back().helper = wrapped.module;
      }
      return;
    }
    case Op::update: {
      ModelExec& exec = *call.referred[0]->exec;
      const ModelNodes before = std::exchange(exec.nodes, {});
      flatten(*call.referred[1]->graph, exec.nodes);
      for (std::size_t i = 0; i < std::min(before.size(), exec.nodes.size()); ++i)
        exec.nodes[i].serial = before[i].serial;  // It goes on taking updates by these nodes.
      exec.given.clear();
      exec.made_by = 0;
      exec.updated_by.assign(1, call.number);
      exec.changed = has_changed(*call.referred[1]->graph);
      lost_some_ = true;
      return;
    }
    case Op::close_graph:
      call.referred[0]->exec->closed = lost_some_ = true;
      return;
    default:
      return;
  }
}

}  // namespace scenarios::graph_argument
