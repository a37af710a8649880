// SPDX-License-Identifier: Apache-2.0
// User objects: references of the program, of graphs, of their copies, and of launches in flight.
#include "harness/core/sync.h"
#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

namespace {

struct Object {
  CUuserObject handle = nullptr;
  State state = State::object_none;
  Latch* destroyed = nullptr;  ///< Counted down by its destructor, which may be called once.
};

void count_destructor(void* data) { static_cast<Latch*>(data)->count_down(); }

void call_cuda(void* data) {
  ::cuCtxSynchronize();
  count_destructor(data);
}

Object make_object(Program& p, unsigned count) {
  Object made;
  World& world = *World::current();
  made.destroyed = world.arena.make<Latch>(world.scheduler, 1);
  const bool silent = p.keep(Rule::destructors_call_no_cuda);
  const unsigned flag =
      p.keep(Rule::objects_have_their_flag) ? CU_USER_OBJECT_NO_DESTRUCTOR_SYNC : 0;
  cuUserObjectCreate(&made.handle, made.destroyed, silent ? count_destructor : call_cuda, count,
                     flag);
  p.move(made.state, Via::created);
  return made;
}

/// Nothing has a reference any more: the destructor is called, some time.
void gone(Program& p, Object& object) {
  p.move(object.state, Via::released_last);
  object.destroyed->wait();
  p.move(object.state, Via::destroyed);
}

}  // namespace

static void of_the_program(Program& p) {
  Object object = make_object(p, 2);
  cuUserObjectRetain(object.handle, 1);
  p.move(object.state, Via::retained);
  cuUserObjectRelease(object.handle, 2);
  p.move(object.state, Via::released);
  cuUserObjectRelease(object.handle, p.keep(Rule::references_are_released_by_their_owner) ? 1 : 2);
  gone(p, object);
  if (!p.keep(Rule::objects_are_alive)) cuUserObjectRetain(object.handle, 1);
}

/// The program gives its reference to a graph; copies and executables have their own.
static void moved_to_a_graph(Program& p) {
  Object object = make_object(p, 1);
  Graph graph = make_graph(p);
  const unsigned count = p.keep(Rule::moved_references_are_the_callers) ? 1 : 2;
  cuGraphRetainUserObject(graph.handle, object.handle, count, CU_GRAPH_USER_OBJECT_MOVE);
  p.move(object.state, Via::moved_into_a_graph);
  add_host(p, graph, count_call);
  Exec exec = instantiate(p, graph);
  p.move(object.state, Via::copied);
  launch(p, exec, p.any_home());
  destroy(p, graph);
  p.move(object.state, Via::released);
  const bool early = p.coin();
  if (early) {
    destroy(p, exec);
    p.move(object.state, Via::kept_in_flight);
  }
  p.wait(exec.home);
  if (early) return gone(p, object);
  p.move(exec.state, Via::waited_for);
  destroy(p, exec);
  gone(p, object);
}

static void copied_with_its_graph(Program& p) {
  Object object = make_object(p, 1);
  Graph graph = make_graph(p);
  cuGraphRetainUserObject(graph.handle, object.handle, 1, CU_GRAPH_USER_OBJECT_MOVE);
  p.move(object.state, Via::moved_into_a_graph);
  add_empty(p, graph);
  Graph copy;
  cuGraphClone(&copy.handle, graph.handle);
  p.move(graph.state, Via::cloned);
  p.move(copy.state, Via::created_as_a_copy);
  p.move(object.state, Via::copied);
  destroy(p, graph);
  p.move(object.state, Via::released);
  destroy(p, copy);
  gone(p, object);
}

static void shared_with_a_graph(Program& p) {
  Object object = make_object(p, 1);
  Graph graph = make_graph(p);
  cuGraphRetainUserObject(graph.handle, object.handle, 3, 0);
  p.move(object.state, Via::given_to_a_graph);
  const unsigned owned = p.keep(Rule::references_of_a_graph_are_released_by_it) ? 1 : 4;
  cuGraphReleaseUserObject(graph.handle, object.handle, owned);
  p.move(object.state, Via::graph_released);
  destroy(p, graph);
  p.move(object.state, Via::released);
  cuUserObjectRelease(object.handle, p.keep(Rule::releases_have_a_count) ? 1 : 0);
  gone(p, object);
}

Steps user_object_steps() {
  static constexpr Program::Step kSteps[] = {of_the_program, moved_to_a_graph,
                                             copied_with_its_graph, shared_with_a_graph};
  return kSteps;
}

}  // namespace harness::testing::sound
