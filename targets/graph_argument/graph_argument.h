// SPDX-License-Identifier: Apache-2.0
// graph_argument: models cuda.core from GraphDefinition.launch(config, kernel, buffer) to a kernel
// in an executable graph, behind a few interfaces.
//
// A caller sees a Python script: global variables that hold wrappers (buffers, modules, events,
// definitions, nodes, builders, executables), and one method for each API call. Beneath is
// cuda.core's object model: wrappers on a managed heap, counted C++ handles, CUDA's graphs and user
// objects. Policies differ in what a graph keeps alive for its nodes, and in which code releases
// it.
//
// Contract: a launch uses the objects that its nodes' parameters pointed at when they were set,
// even if the script drops, replaces, updates or destroys something until then. The scenario's
// contract says what the caller must keep. Unreachable objects are gone once the streams are idle,
// CUDA's destructor thread is idle, and the main thread has run a step. Threads: any task may call
// any method. Each takes the GIL, and offers it at every step. Errors: a Status, as Python would
// raise; nothing throws.
#pragma once

#include <span>

#include "targets/graph_argument/observer.h"
#include "targets/graph_argument/witness.h"

namespace targets::graph_argument {

/// The script's own code after a wait: selects the buffers to read back.
class Reader {
 public:
  virtual ~Reader() = default;

  virtual bool reads(Wrapper buffer) = 0;
  virtual void read(Wrapper buffer, const Contents& contents) = 0;
};

/// Configuration of a run, fixed before it starts.
struct Setup {
  DefaultStream default_stream = DefaultStream::legacy;
  Reader* reader = nullptr;  ///< If null, nothing is read back.
  // Listeners; each may be null.
  Observer* observer = nullptr;
  ThingWitness* things = nullptr;
  GraphWitness* graphs = nullptr;
  ExecWitness* execs = nullptr;
};

/// The process of a script: its beginning, its end, and its waits.
class Process {
 public:
  virtual ~Process() = default;

  /// import cuda.core; Device().set_current(); two streams. Once per run; the caller is the main
  /// thread of the script.
  virtual Status init() = 0;
  virtual Status collect(std::uint32_t generation) = 0;
  /// stream.sync(), then reads back the blocks that the reader selects.
  virtual Status synchronize(StreamName stream) = 0;
  /// Device.sync(): waits for every stream, closed or not.
  virtual Status synchronize_device() = 0;
  /// Fills Python's queue of pending calls, as signal handlers or another extension might.
  virtual Status flood_pending_calls() = 0;
  /// Waits until CUDA's thread has called at least this many destructors in this run.
  virtual void wait_for_destructors(std::size_t count) = 0;
  /// Runs one step of the main thread, in which it makes its pending calls.
  virtual void idle() = 0;
  /// Py_Finalize. Every later call fails.
  virtual Status finalize() = 0;
  /// Returns the interpreter, to attach a task that uses the heap itself. Call it first.
  virtual harness::Interpreter& interpreter() = 0;
};

/// The global variables, of any type.
class Globals {
 public:
  virtual ~Globals() = default;

  virtual Status alias(Variable into, Variable from) = 0;
  /// del variable. If this was the last reference, its object dies at once.
  virtual Status drop(Variable variable) = 0;
  /// Drops every variable; with `graphs`, only those with definitions, nodes and executables.
  virtual Status drop_all(bool graphs) = 0;
  /// Makes an object that refers to itself and the variable's value: only the collector frees it.
  virtual Status make_cycle(Variable variable) = 0;
  /// Makes unreachable garbage whose finalizer applies `action` to `victim`.
  virtual Status plant(FinalizerAction action, Variable victim) = 0;

  // ---- what a variable holds now: no turn is offered ----
  virtual Kind kind(Variable variable) const = 0;
  /// Returns the kind of the node in `variable`.
  virtual NodeKind node_kind(Variable variable) const = 0;
  /// Returns whether launch_captured and end_building accept the builder in it.
  virtual bool is_capturing(Variable variable) const = 0;
};

/// Buffers, modules, events and streams.
class Objects {
 public:
  virtual ~Objects() = default;

  /// into = mr.allocate(size, stream): filled with value, value + 1, ...; waits for the copy.
  virtual Status allocate(Variable into, StreamName stream, std::int32_t value) = 0;
  /// buffer.close(): frees it on its recorded stream, even if it is in use.
  virtual Status close_buffer(Variable buffer) = 0;
  /// buffer.set_deallocation_stream(stream).
  virtual Status set_deallocation_stream(Variable buffer, StreamName stream) = 0;
  /// Writes the bare address of `to` into the block of `from`: a list for `chase`.
  virtual Status link(Variable from, Variable to) = 0;
  /// buffer.graph = definition: an attribute, which the collector traverses.
  virtual Status set_attribute(Variable buffer, Variable definition) = 0;

  virtual Status load_module(Variable into) = 0;
  virtual Status create_event(Variable into) = 0;
  virtual Status close_event(Variable event) = 0;
  virtual Status record(Variable event, StreamName stream) = 0;
  /// second.close(). The other two streams stay open.
  virtual Status close_stream() = 0;
};

/// Definitions, and the graphs inside their nodes.
class Definitions {
 public:
  virtual ~Definitions() = default;

  virtual Status create_definition(Variable into) = 0;
  /// into = a definition made from cuGraphClone.
  virtual Status clone(Variable into, Variable definition) = 0;
  /// into = definition.embed(child).
  virtual Status add_child(Variable into, Variable definition, Variable child) = 0;
  /// into = node.child_graph: a definition owned by the node.
  virtual Status get_child(Variable into, Variable node) = 0;
  /// into = definition.if_then(definition.create_condition(...)), or a similar call. The condition
  /// selects `branch`, or no branch if there is none of that number. The body of a loop gets the
  /// module's kernel that ends the loop.
  virtual Status add_conditional(Variable into, Variable definition, Condition condition,
                                 std::uint32_t branch, Variable module) = 0;
  /// into = node.then, node.else_, node.body or node.branches[branch]; made with the node.
  virtual Status get_branch(Variable into, Variable node, std::uint32_t branch) = 0;
};

/// Nodes without graphs inside. `definition` may also be a node, here and in Definitions: a
/// definition adds a node without dependencies, a node adds one that depends on it.
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
  /// into = definition.callback(f), where f is a Python function that allocates an object.
  virtual Status add_callback(Variable into, Variable definition) = 0;
  /// into = definition.allocate(...): an address, as a number, at which each launch has memory.
  virtual Status add_alloc(Variable into, Variable definition) = 0;
  /// into = definition.deallocate(node.dptr).
  virtual Status add_free(Variable into, Variable definition, Variable node) = 0;
  /// into = definition.launch(config, module.get_kernel("scratch"), node.dptr, buffer): buffer.out
  /// = 3 * buffer.in, through that memory.
  virtual Status add_scratch(Variable into, Variable definition, Variable module, Variable node,
                             Variable buffer) = 0;
  /// Gives a kernel node other buffers.
  virtual Status set_params(Variable node, Variable first, Variable second) = 0;
  virtual Status destroy_node(Variable node) = 0;
};

/// Graphs made by stream capture.
class Builders {
 public:
  virtual ~Builders() = default;

  /// into = Device.create_graph_builder().begin_building(): captures on a separate stream.
  virtual Status begin_building(Variable into) = 0;
  /// launch(builder, config, module.get_kernel("captured"), buffer): buffer.out = buffer.in + 1.
  virtual Status launch_captured(Variable builder, Variable module, Variable buffer) = 0;
  /// builder.end_building(). If the capture is no longer valid, the builder is unusable.
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
  /// Gives a kernel node of the executable other buffers; the definition keeps its own.
  virtual Status update_node(Variable graph, Variable node, Variable first, Variable second) = 0;
  virtual Status update(Variable graph, Variable definition) = 0;
  virtual Status close_graph(Variable graph) = 0;
};

/// All operations of a script, by interface. Ownership: owns nothing. The parts are made in the
/// run's arena, after the heap is configured and before any managed object, because they include
/// the interpreter. They borrow the runtime and the listeners.
struct GraphArgument {
  Process& process;
  Globals& globals;
  Objects& objects;
  Definitions& definitions;
  Nodes& nodes;
  Builders& builders;
  Executables& executables;
};

/// A lifetime policy, by name. `make` creates the parts of the path in the run's arena.
struct NamedPolicy {
  harness::Label name;
  Api api;
  GraphArgument (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::graph_argument
