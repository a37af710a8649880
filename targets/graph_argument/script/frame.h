// SPDX-License-Identifier: Apache-2.0
// Frame: the environment of every script method: the global variables, and the steps in which
// Python runs, named after bytecodes and C calls. Other tasks may run between any two steps.
#pragma once

#include "targets/graph_argument/policy.h"
#include "targets/graph_argument/script/wrappers.h"

namespace targets::graph_argument {

/// Returns the handle that names this default stream.
CUstream default_stream(DefaultStream what);

/// Scope of a method: runs on a Python thread.
class Method {
 public:
  explicit Method(Core& core) : attach_(core.interpreter) { core.policy->entered(); }
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

 private:
  harness::AttachScope attach_;
};

/// Receiver of a call that adds a node: definition.launch(...) adds a node without dependencies,
/// node.launch(...) one that depends on that node.
struct Place {
  harness::Ref definition;  ///< If it is a node, a new wrapper, like node.graph.
  Shared<GraphBox> graph;
  harness::Ref node = {};  ///< Null if it is a definition.
};

/// Ownership: holds the globals; the heap owns the objects. Borrows the core. Never
/// destroyed.
class Frame {
 public:
  using Ref = harness::Ref;

  /// A variable, its required type, and the destination of its value.
  struct Wanted {
    Variable variable;
    const harness::TypeInfo& type;
    Ref& loaded;
  };

  explicit Frame(Core& core) : core_(core) {}
  Core& core() const { return core_; }

  template <class Fact, class... Arguments>
  void tell(Fact fact, const Arguments&... arguments) {
    core_.facts.tell(fact, arguments...);
  }

  // ---- steps ----
  void step(harness::Label bytecode) { core_.interpreter.step(bytecode); }
  template <class Function>
  Status c_call(harness::Label name, Function function) {
    return core_.interpreter.c_call(name, [&] {
      core_.make_current();
      return core_.finalized.raised() ? Status::finalized : function();
    });
  }

  // ---- variables ----
  /// Reads a variable within a step.
  const Ref& held(Variable variable) const { return variables_[variable]; }
  Status get(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  /// Gets it as an argument of a call, which is reported.
  Status load(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  /// Loads in this order; stops at the first failure.
  Status load_all(std::initializer_list<Wanted> wanted);
  /// Loads the receiver of a call that adds a node: a definition, or a node to depend on.
  Status load_place(Variable variable, Place& place);
  void store(Variable variable, Ref value);
  /// Stores the result of a successful call. Returns its status.
  Status keep(Variable into, Status status, Ref made);

  // ---- what a method makes, and where it works ----
  template <class Payload>
  Ref make(const harness::TypeInfo& type, Payload payload) {
    return core_.runtime.heap.make<Payload>(type, std::move(payload));
  }
  /// Finds the stream's handle. A closed stream, if accepted, is the default
  /// stream.
  Status stream_of(StreamName name, CUstream& stream);

 private:
  Core& core_;
  std::array<Ref, kVariableCount> variables_;
};

}  // namespace targets::graph_argument
