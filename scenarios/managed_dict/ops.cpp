// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition, a call, and the types of its arguments; the
// first and the last are in this file. An op chooses its arguments in the order of the row, and
// passes them to the call in the same order.
#include <fmt/format.h>

#include <functional>

#include "scenarios/managed_dict/player.h"

namespace scenarios::managed_dict {
namespace {

using harness::Slot;
using targets::managed_dict::Body;
using targets::managed_dict::Function;
using targets::managed_dict::JitControl;
using targets::managed_dict::Statements;

// ---- conditions ---------------------------------------------------------------------------------

bool always(const Situation&) { return true; }
bool has_instance(const Situation& now) { return now.has_instance; }
bool has_noise(const Situation& now) { return now.has_noise; }

// ---- arguments ----------------------------------------------------------------------------------

/// An argument is a field of the statement, and a choice of its value.
template <auto the_field>
struct Argument {
  static constexpr auto kField = the_field;
};

struct Into : Argument<&Statement::variable> {
  static Variable choose(Chooser& chooser, const Statement&, const Slot& slot) {
    return chooser.place(slot);
  }
};
struct Defined : Argument<&Statement::variable> {
  static Variable choose(Chooser& chooser, const Statement&, const Slot&) {
    return chooser.defined();
  }
};
struct AnyClass : Argument<&Statement::of> {
  static Class choose(Chooser& chooser, const Statement&, const Slot&) {
    return chooser.of_class();
  }
};
struct AnyAttribute : Argument<&Statement::attribute> {
  static Attribute choose(Chooser& chooser, const Statement&, const Slot&) {
    return chooser.number(kAttributesDrawn);
  }
};
struct ItsAttribute : Argument<&Statement::attribute> {
  static Attribute choose(Chooser& chooser, const Statement& chosen, const Slot&) {
    return chooser.attribute(chosen.variable);
  }
};
struct Bytes : Argument<&Statement::bytes> {
  static std::uint32_t choose(Chooser& chooser, const Statement&, const Slot&) {
    // Sizes of a small chunk and an int, an instance, a dict, and a large chunk.
    constexpr std::array<std::uint32_t, 4> kNoiseBytes{24, 48, 64, 96};
    return kNoiseBytes[chooser.number(kNoiseBytes.size())];
  }
};
struct Depth : Argument<&Statement::depth> {
  static std::uint32_t choose(Chooser& chooser, const Statement&, const Slot&) {
    return 1 + chooser.number(3);
  }
};

/// One of `count` enumerators, from `first` on.
template <auto the_field, auto first, std::uint32_t count>
struct Enumerator : Argument<the_field> {
  static auto choose(Chooser& chooser, const Statement&, const Slot&) {
    return static_cast<decltype(first)>(harness::raw(first) + chooser.number(count));
  }
};
using Kind = Enumerator<&Statement::kind, ValueKind::number, 4>;
using GuardKind = Enumerator<&Statement::kind, ValueKind::called_back, 2>;
using BlockBody = Enumerator<&Statement::body, Body::launch, 2>;
using AnyFunction =
    Enumerator<&Statement::function, Function::script, targets::managed_dict::kFunctionCount>;

// ---- calls --------------------------------------------------------------------------------------

template <class Method>
struct ReceiverOf;
template <class Receiver, class... Parameters>
struct ReceiverOf<Status (Receiver::*)(Parameters...)> {
  using Type = Receiver;
};

template <class Receiver>
Receiver& receiver_of(Player& player) {
  if constexpr (std::is_same_v<Receiver, Statements>)
    return player.path().statements();
  else if constexpr (std::is_same_v<Receiver, JitControl>)
    return player.path().jit();
  else
    return player;
}

/// The row of an op; `List` is a function type whose parameters are its arguments.
template <Op op, auto method, class List>
struct OpOf;
template <Op op, auto method, class... Arguments>
struct OpOf<op, method, void(Arguments...)> {
  using Receiver = ReceiverOf<decltype(method)>::Type;

  static Status choose(Player& player, const Situation&, const Slot& slot) {
    Statement statement{.op = op};
    ((statement.*Arguments::kField = Arguments::choose(player.choose(), statement, slot)), ...);
    if constexpr (std::is_same_v<Receiver, Player>)
      return call(player, statement);
    else
      return player.execute(statement);
  }

  static Status call(Player& player, const Statement& statement) {
    return std::invoke(method, receiver_of<Receiver>(player), statement.*Arguments::kField...);
  }

  static std::string text(const Statement& statement) {
    std::string line = kOps[harness::raw(op)].name.c_str();
    ((line += fmt::format(" {}", static_cast<std::uint32_t>(statement.*Arguments::kField))), ...);
    return line;
  }

  static constexpr Call kCall{&call, std::is_same_v<Receiver, Statements> ? &text : nullptr};
};

// ---- the table ----------------------------------------------------------------------------------

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, applies, call, arguments, effect) \
  {#name, applies, &OpOf<Op::name, &call, void arguments>::choose},
#include "scenarios/managed_dict/ops.def"
});

constexpr auto kCalls = std::to_array<Call>({
#define OP(name, applies, call, arguments, effect) OpOf<Op::name, &call, void arguments>::kCall,
#include "scenarios/managed_dict/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

const Call& call_of(Op op) { return kCalls[harness::raw(op)]; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::managed_dict
