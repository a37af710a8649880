// SPDX-License-Identifier: Apache-2.0
// Arguments: the kinds of arguments of the ops, which the rows of ops.def list in the order of the
// path's function.
//
// Each kind chooses a value for a slot, and notes it in the record of the call. An argument's
// choice may depend on those before it.
#pragma once

#include <tuple>

#include "scenarios/graph_argument/chooser.h"
#include "scenarios/graph_argument/enabled_ops.h"
#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument::arguments {

/// Everything that a choice depends on.
struct Choice {
  Chooser& choose;
  const Situation& now;
  const harness::Slot& slot;
  const Model& model;
};

/// An argument that can always be chosen.
template <class Of>
struct Argument {
  using Value = Of;
  /// Returns whether there is one. If not, the op is not offered.
  static bool exists(const Situation&) { return true; }
  /// Returns whether there still is one. If not, the op does nothing.
  static bool is_possible(const Choice&) { return true; }
  /// Notes it in the record of the call.
  static void note(Asked&, const Of&) {}
};

// ---- variables that the call uses ---------------------------------------------------------------

/// A variable from the set `Self::fitting`.
template <class Self>
struct GivenVariable : Argument<Variable> {
  static bool exists(const Situation& now) { return Self::fitting(now.census) != 0; }
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(Self::fitting(choice.now.census));
  }
  static void note(Asked& asked, Variable variable) { asked.given |= bit(variable); }
};

template <Variables Census::* kSet>
struct Given : GivenVariable<Given<kSet>> {
  static Variables fitting(const Census& census) { return census.*kSet; }
};
using Buffer = Given<&Census::buffers>;
using Module = Given<&Census::modules>;
using Event = Given<&Census::events>;
using Definition = Given<&Census::definitions>;
using Node = Given<&Census::nodes>;
using ChildNode = Given<&Census::child_nodes>;
using ConditionalNode = Given<&Census::conditional_nodes>;
using AllocationNode = Given<&Census::allocation_nodes>;
using CapturingBuilder = Given<&Census::capturing>;
using Graph = Given<&Census::graphs>;

struct EndedBuilder : GivenVariable<EndedBuilder> {
  static Variables fitting(const Census& census) { return census.builders & ~census.capturing; }
};

struct Anything : GivenVariable<Anything> {
  static Variables fitting(const Census& census) { return census.all(); }
};

/// One that was not given yet.
template <Variables Census::* kSet>
struct Other : GivenVariable<Other<kSet>> {
  static bool exists(const Situation& now) { return several(now.census.*kSet); }
  static Variable choose(const Choice& choice, const Asked& asked) {
    return choice.choose.from(choice.now.census.*kSet & ~asked.given);
  }
};
using OtherBuffer = Other<&Census::buffers>;
using OtherDefinition = Other<&Census::definitions>;

/// One that usually fits.
template <Variables Census::* kSet, Variables Census::* kFavoured>
struct Mostly : Given<kSet> {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(choice.now.census.*kSet, choice.now.census.*kFavoured);
  }
};
using Builder = Mostly<&Census::builders, &Census::capturing>;

/// There must be a kernel node, but another one may be chosen.
struct KernelNode : Mostly<&Census::nodes, &Census::kernel_nodes> {
  static bool exists(const Situation& now) { return now.census.kernel_nodes != 0; }
};

/// A definition, or a node to depend on.
struct Receiver : Definition {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(choice.now.census.definitions | choice.now.census.nodes);
  }
};

/// An executable that no other task changes. One thread at a time may use an executable (CUDA
/// programming guide, graphs). The script ensures this; cuda.core does not.
struct OwnGraph : Graph {
  static bool is_possible(const Choice& choice) { return unchanged(choice) != 0; }
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(unchanged(choice));
  }

 private:
  static Variables unchanged(const Choice& choice);
};

struct Dropped : Anything {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.to_drop(choice.now.census.all());
  }
};

/// The buffer of a finalizer, which uses it later than the call.
struct Victim : Buffer {
  static void note(Asked&, Variable) {}
};

// ---- variables for results ----------------------------------------------------------------------

struct Result : Argument<Variable> {
  static void note(Asked& asked, Variable variable) { asked.into = variable; }
};

template <Variables kVariables>
struct New : Result {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.place(choice.slot, kVariables);
  }
};
using NewBuffer = New<kBufferVariables>;
using NewModule = New<kModuleVariables>;
using NewEvent = New<kEventVariables>;
using NewDefinition = New<kDefinitionVariables>;
using NewBuilder = New<kBuilderVariables>;
using NewGraph = New<kGraphVariables>;

struct NewNode : Result {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.place_node(choice.slot);
  }
};

/// Another variable for an object that is chosen first, and is the next argument.
struct NewAlias : Result {
  static Variable choose(const Choice& choice, Asked& asked) {
    const Variable from = Anything::choose(choice, asked);
    Anything::note(asked, from);
    return choice.choose.place(choice.slot, siblings(from));
  }
};
struct Aliased : Anything {
  static Variable choose(const Choice&, const Asked& asked) {
    return static_cast<Variable>(std::countr_zero(asked.given));
  }
};

// ---- values -------------------------------------------------------------------------------------

struct Stream : Argument<StreamName> {
  static StreamName choose(const Choice& choice, const Asked&) { return choice.choose.stream(); }
  static void note(Asked& asked, StreamName stream) { asked.stream = stream; }
};

/// Differs for each slot.
struct SlotValue : Argument<std::int32_t> {
  static std::int32_t choose(const Choice& choice, const Asked&) { return value_of(choice.slot); }
  static void note(Asked& asked, std::int32_t value) { asked.value = value; }
};

template <class Enum, std::uint32_t kCount>
struct AnyOf : Argument<Enum> {
  static Enum choose(const Choice& choice, const Asked&) {
    return static_cast<Enum>(choice.choose.number(kCount));
  }
};
struct AnyKernel : AnyOf<Kernel, targets::graph_argument::kKernelCount> {
  static void note(Asked& asked, Kernel kernel) { asked.kernel = kernel; }
};
struct AnyCondition : AnyOf<Condition, targets::graph_argument::kConditionCount> {
  static void note(Asked& asked, Condition condition) { asked.condition = condition; }
};
struct AnyBranch : AnyOf<std::uint32_t, kBranchCount> {
  static void note(Asked& asked, std::uint32_t branch) { asked.branch = branch; }
};
using AnyAction =
    AnyOf<targets::graph_argument::FinalizerAction, targets::graph_argument::kFinalizerActionCount>;

/// The default is a full collection.
struct Generation : Argument<std::uint32_t> {
  static std::uint32_t choose(const Choice& choice, const Asked&) {
    return 2 - choice.choose.number(3);
  }
};

// ---- the arguments of an op ---------------------------------------------------------------------

template <class... Kinds>
struct List {};

template <Op>
struct Signature;
#define OP(name, condition, cuda_call, binds, function, ...)              \
  template <>                                                             \
  struct Signature<Op::name> {                                            \
    static constexpr auto kFunction = &targets::graph_argument::function; \
    using Arguments = List<__VA_ARGS__>;                                  \
  };
#include "scenarios/graph_argument/ops.def"

template <Op op, class... Kinds>
Asked asked_for(List<Kinds...>, const typename Kinds::Value&... values) {
  Asked asked{.op = op};
  (Kinds::note(asked, values), ...);
  return asked;
}
/// Returns the record of a call of the op with these arguments.
template <Op op, class... Values>
Asked asked(const Values&... values) {
  return asked_for<op>(typename Signature<op>::Arguments(), values...);
}

template <class Part, class... Parameters>
Part& part_of(const targets::graph_argument::GraphArgument& path,
              targets::graph_argument::Status (Part::*)(Parameters...)) {
  return std::get<Part&>(std::tie(path.process, path.globals, path.objects, path.definitions,
                                  path.nodes, path.builders, path.executables));
}
/// Calls the path's function of the op with these arguments.
template <Op op, class... Values>
targets::graph_argument::Status pass(const targets::graph_argument::GraphArgument& path,
                                     const Values&... values) {
  constexpr auto function = Signature<op>::kFunction;
  return (part_of(path, function).*function)(values...);
}

}  // namespace scenarios::graph_argument::arguments
