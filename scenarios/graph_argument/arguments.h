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

/// What a choice depends on.
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
  static bool is_possible(const Choice&) { return true; }
};

// ---- variables that the call uses ---------------------------------------------------------------

struct GivenVariable : Argument<Variable> {
  static void note(Asked& asked, Variable variable) { asked.given |= bit(variable); }
};

/// One of those that fit.
template <Variables Census::* fitting, Variables Census::* favoured = nullptr>
struct Given : GivenVariable {
  static Variable choose(const Choice& choice, const Asked&) {
    Variables often = 0;
    if constexpr (favoured != nullptr) often = choice.now.census.*favoured;
    return choice.choose.from(choice.now.census.*fitting, often);
  }
};
using Buffer = Given<&Census::buffers>;
using Module = Given<&Census::modules>;
using Event = Given<&Census::events>;
using Definition = Given<&Census::definitions>;
using Node = Given<&Census::nodes>;
using KernelNode = Given<&Census::nodes, &Census::kernel_nodes>;
using ChildNode = Given<&Census::child_nodes>;
using ConditionalNode = Given<&Census::conditional_nodes>;
using AllocationNode = Given<&Census::allocation_nodes>;
using Builder = Given<&Census::builders, &Census::capturing>;
using CapturingBuilder = Given<&Census::capturing>;
using Graph = Given<&Census::graphs>;

/// One that fits and was not given yet.
template <Variables Census::* fitting>
struct Other : GivenVariable {
  static Variable choose(const Choice& choice, const Asked& asked) {
    return choice.choose.from(choice.now.census.*fitting & ~asked.given);
  }
};
using OtherBuffer = Other<&Census::buffers>;
using OtherDefinition = Other<&Census::definitions>;

/// A definition, or a node to depend on.
struct Receiver : GivenVariable {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(choice.now.census.definitions | choice.now.census.nodes);
  }
};

struct EndedBuilder : GivenVariable {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(choice.now.census.builders & ~choice.now.census.capturing);
  }
};

/// An executable that no other task changes. One thread at a time may use an executable (CUDA
/// programming guide, graphs). The script ensures this; cuda.core does not.
struct OwnGraph : GivenVariable {
  static bool is_possible(const Choice& choice) { return fitting(choice) != 0; }
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(fitting(choice));
  }

 private:
  static Variables fitting(const Choice& choice);
};

struct Anything : GivenVariable {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(choice.now.census.all());
  }
};

struct Dropped : GivenVariable {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.to_drop(choice.now.census.all());
  }
};

/// The buffer of a finalizer, which uses it later than the call.
struct Victim : Argument<Variable> {
  static Variable choose(const Choice& choice, const Asked&) {
    return choice.choose.from(choice.now.census.buffers);
  }
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
struct Aliased : GivenVariable {
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
struct AnyAction : AnyOf<targets::graph_argument::FinalizerAction,
                         targets::graph_argument::kFinalizerActionCount> {
  static void note(Asked&, targets::graph_argument::FinalizerAction) {}
};

/// The default is a full collection.
struct Generation : Argument<std::uint32_t> {
  static std::uint32_t choose(const Choice& choice, const Asked&) {
    return 2 - choice.choose.number(3);
  }
  static void note(Asked&, std::uint32_t) {}
};

// ---- the arguments of an op ---------------------------------------------------------------------

template <class... Kinds>
struct List {};

template <Op>
struct Signature;
#define OP(name, applies, cuda_call, binds, function, ...)                \
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
