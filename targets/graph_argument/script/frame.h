// SPDX-License-Identifier: Apache-2.0
// Frame: what every method of a script works in: the script's global variables, and the steps by
// which Python runs, named after bytecodes and C calls. Other tasks may run between any two steps.
#pragma once

#include "targets/graph_argument/policy.h"
#include "targets/graph_argument/script/wrappers.h"

namespace targets::graph_argument {

/// Gives the handle by which that default stream is named.
CUstream default_stream(DefaultStream what);

/// A method runs: on a Python thread.
class Method {
 public:
  explicit Method(Core& core) : attach_(core.interpreter) { core.policy->entered(); }
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

 private:
  harness::AttachScope attach_;
};

/// The receiver of a call that adds a node: definition.launch(...) adds one without dependencies,
/// node.launch(...) one that comes after that node.
struct Place {
  harness::Ref definition;  ///< A new wrapper where it is a node, as node.graph is.
  Shared<GraphBox> graph;
  harness::Ref node = {};  ///< Null where it is a definition.
};

/// Ownership: holds the globals; the heap owns what they refer to. Borrows the core. Never
/// destroyed.
class Frame {
 public:
  using Ref = harness::Ref;

  /// A variable, what it is to hold, and where to.
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
  /// Looks at a variable in the middle of a step.
  const Ref& held(Variable variable) const { return variables_[variable]; }
  Status get(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  /// Gets it as a call does for what it is given.
  Status load(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  /// Loads in this order; the first that fails is the last.
  Status load_all(std::initializer_list<Wanted> wanted);
  /// Loads what nodes are added by: a definition, or a node that the next one comes after.
  Status load_place(Variable variable, Place& place);
  void store(Variable variable, Ref value);
  /// Stores what a call that came out well has made, and returns its status.
  Status keep(Variable into, Status status, Ref made);

  // ---- what a method makes, and where it works ----
  template <class Payload>
  Ref make(const harness::TypeInfo& type, Payload payload) {
    return core_.runtime.heap.make<Payload>(type, std::move(payload));
  }
  /// Finds the stream's handle: null, which means the default stream, where a closed one is not
  /// refused.
  Status stream_of(StreamName name, CUstream& stream);

 private:
  Core& core_;
  std::array<Ref, kVariableCount> variables_;
};

}  // namespace targets::graph_argument
