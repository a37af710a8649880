// SPDX-License-Identifier: Apache-2.0
// graph_argument: cuda.core's way from GraphDefinition.launch(config, kernel, buffer) to a kernel
// that runs in an executable graph, behind a few interfaces.
//
// A caller sees a Python script: global variables that hold wrappers (buffers, modules, events,
// definitions, nodes, builders, executables), and one method for each API call. Beneath is
// cuda.core's object model: wrappers on a managed heap, counted C++ handles, CUDA's graphs and user
// objects. Policies differ in what a graph keeps alive for its nodes, and in which code releases
// it.
//
// Contract: a launch uses what its nodes' parameters pointed at when they were set, whatever the
// script drops, replaces, updates or destroys meanwhile. The scenario's contract says what the
// caller must keep. Objects that cannot be used any more are gone once the streams are idle, CUDA's
// destructor thread has nothing to do, and the main thread has run a step. Threads: any task may
// call any method. Each takes the GIL, and offers it in between. Errors: a Status, as Python would
// raise; nothing throws.
#pragma once

#include <span>

#include "targets/graph_argument/observer.h"
#include "targets/graph_argument/witness.h"

namespace targets::graph_argument {

/// The script's own code after a wait: it chooses the buffers that it reads back.
class Reader {
 public:
  virtual ~Reader() = default;

  virtual bool reads(Wrapper buffer) = 0;
  virtual void read(Wrapper buffer, const Contents& contents) = 0;
};

/// All that fixes a world before it starts.
struct Setup {
  DefaultStream default_stream = DefaultStream::legacy;
  Reader* reader = nullptr;  ///< Null: nothing is read back.
  // The listeners; each may be null.
  Observer* observer = nullptr;
  ThingWitness* things = nullptr;
  GraphWitness* graphs = nullptr;
  ExecWitness* execs = nullptr;
};

/// A script's process: how it begins and ends, and what it waits for.
class Process {
 public:
  virtual ~Process() = default;

  /// import cuda.core; Device().set_current(); two streams. Once per run; the caller is the main
  /// thread of the script.
  virtual Status init() = 0;
  virtual Status collect(std::uint32_t generation) = 0;
  /// stream.sync(), then reads back the blocks that the reader requests.
  virtual Status synchronize(StreamName stream) = 0;
  /// Device.sync(): every stream, closed or not.
  virtual Status synchronize_device() = 0;
  /// Fills Python's queue of pending calls, as signal handlers or another extension might.
  virtual Status flood_pending_calls() = 0;
  /// Waits until CUDA's thread has called this many destructors in this run.
  virtual void wait_for_destructors(std::size_t count) = 0;
  /// One step of the main thread, in which it runs its pending calls.
  virtual void idle() = 0;
  /// Py_Finalize. Nothing works afterwards.
  virtual Status finalize() = 0;
  /// Attaches a task that uses the heap itself. Call it first.
  virtual harness::Interpreter& interpreter() = 0;
};

/// The global variables, whatever they hold.
class Globals {
 public:
  virtual ~Globals() = default;

  virtual Status alias(Variable into, Variable from) = 0;
  /// del variable. Its object dies at once if this was the last reference.
  virtual Status drop(Variable variable) = 0;
  /// Drops every variable; with `graphs`, only those that hold definitions, nodes and executables.
  virtual Status drop_all(bool graphs) = 0;
  /// An object that holds what `variable` holds and itself: only the collector frees it.
  virtual Status make_cycle(Variable variable) = 0;
  /// Unreachable garbage whose finalizer does `action` to `victim`.
  virtual Status plant(FinalizerAction action, Variable victim) = 0;

  // ---- what a variable holds now: no turn is offered ----
  virtual Kind kind(Variable variable) const = 0;
  /// Returns the attributes of the node in `variable`.
  virtual NodeKind node_kind(Variable variable) const = 0;
  /// Whether launch_captured and end_building take the builder in it.
  virtual bool is_capturing(Variable variable) const = 0;
};

/// Buffers, modules, events and streams.
class Objects {
 public:
  virtual ~Objects() = default;

  /// into = mr.allocate(size, stream), filled with value, value + 1, ... and waited for.
  virtual Status allocate(Variable into, StreamName stream, std::int32_t value) = 0;
  /// buffer.close(): freed on its recorded stream, even if it is in use.
  virtual Status close_buffer(Variable buffer) = 0;
  /// buffer.set_deallocation_stream(stream).
  virtual Status set_deallocation_stream(Variable buffer, StreamName stream) = 0;
  /// Writes the bare address of `to` into the block of `from`: a list for `chase`.
  virtual Status link(Variable from, Variable to) = 0;
  /// buffer.graph = definition: an attribute, which the collector sees.
  virtual Status set_attribute(Variable buffer, Variable definition) = 0;

  virtual Status load_module(Variable into) = 0;
  virtual Status create_event(Variable into) = 0;
  virtual Status close_event(Variable event) = 0;
  virtual Status record(Variable event, StreamName stream) = 0;
  /// second.close(). The other two stay.
  virtual Status close_stream() = 0;
};

/// Definitions, and the graphs inside of their nodes.
class Definitions {
 public:
  virtual ~Definitions() = default;

  virtual Status create_definition(Variable into) = 0;
  /// into = a definition made from cuGraphClone.
  virtual Status clone(Variable into, Variable definition) = 0;
  /// into = definition.embed(child).
  virtual Status add_child(Variable into, Variable definition, Variable child) = 0;
  /// into = node.child_graph: a definition that belongs to the node.
  virtual Status get_child(Variable into, Variable node) = 0;
  /// into = definition.if_then(definition.create_condition(...)), or a similar call. The condition
  /// selects `branch`, or none if there is no such branch. The body of a loop gets the module's
  /// kernel that ends it.
  virtual Status add_conditional(Variable into, Variable definition, Condition condition,
                                 std::uint32_t branch, Variable module) = 0;
  /// into = node.then, node.else_, node.body, node.branches[branch]: made with the node.
  virtual Status get_branch(Variable into, Variable node, std::uint32_t branch) = 0;
};

/// Nodes without graphs inside. `definition` may be a node, too, here and where graphs are inside:
/// a definition adds a node without dependencies, a node one that comes after it.
class Nodes {
 public:
  virtual ~Nodes() = default;

  /// into = definition.launch(config, module.get_kernel(...), first, second).
  virtual Status add_kernel(Variable into, Variable definition, Variable module, Kernel kernel,
                            Variable first, Variable second) = 0;
  /// into = definition.memcpy(...): target.out = source.in.
  virtual Status add_memcpy(Variable into, Variable definition, Variable target,
                            Variable source) = 0;
  /// into = definition.memset(...): target.out = value.
  virtual Status add_memset(Variable into, Variable definition, Variable target,
                            std::int32_t value) = 0;
  virtual Status add_record(Variable into, Variable definition, Variable event) = 0;
  virtual Status add_wait(Variable into, Variable definition, Variable event) = 0;
  /// into = definition.callback(f), where f is a Python function that makes an object.
  virtual Status add_callback(Variable into, Variable definition) = 0;
  /// into = definition.allocate(...): an address, a number, at which each launch has memory.
  virtual Status add_alloc(Variable into, Variable definition) = 0;
  /// into = definition.deallocate(node.dptr).
  virtual Status add_free(Variable into, Variable definition, Variable node) = 0;
  /// into = definition.launch(config, module.get_kernel("scratch"), node.dptr, buffer):
  /// buffer.out = 3 * buffer.in, by way of that memory.
  virtual Status add_scratch(Variable into, Variable definition, Variable module, Variable node,
                             Variable buffer) = 0;
  /// A kernel node gets other buffers.
  virtual Status set_params(Variable node, Variable first, Variable second) = 0;
  virtual Status destroy_node(Variable node) = 0;
};

/// Graphs by stream capture.
class Builders {
 public:
  virtual ~Builders() = default;

  /// into = Device.create_graph_builder().begin_building(): captures on a separate stream.
  virtual Status begin_building(Variable into) = 0;
  /// launch(builder, config, module.get_kernel("captured"), buffer): buffer.out = buffer.in + 1.
  virtual Status launch_captured(Variable builder, Variable module, Variable buffer) = 0;
  /// builder.end_building(). If the capture is not valid any more, the builder is over.
  virtual Status end_building(Variable builder) = 0;
  /// into = builder.complete(): an executable.
  virtual Status complete(Variable into, Variable builder) = 0;
};

class Executables {
 public:
  virtual ~Executables() = default;

  virtual Status instantiate(Variable into, Variable definition) = 0;
  virtual Status upload(Variable graph, StreamName stream) = 0;
  virtual Status launch(Variable graph, StreamName stream) = 0;
  /// A kernel node of the executable gets other buffers; the definition keeps its own.
  virtual Status update_node(Variable graph, Variable node, Variable first, Variable second) = 0;
  virtual Status update(Variable graph, Variable definition) = 0;
  virtual Status close_graph(Variable graph) = 0;
};

/// Everything that a script can do, by interface. Ownership: owns nothing. The parts are made in
/// the run's arena, after the heap is configured and before any managed object, because they
/// include the interpreter. They borrow the runtime and the listeners.
struct GraphArgument {
  Process& process;
  Globals& globals;
  Objects& objects;
  Definitions& definitions;
  Nodes& nodes;
  Builders& builders;
  Executables& executables;
};

/// One way to manage lifetimes, by name. `make` puts the parts of the path into the run's arena.
struct NamedPolicy {
  harness::Label name;
  Api api;
  GraphArgument (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::graph_argument
