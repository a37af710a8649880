// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def lists the arguments of a function of the path. An op is offered if
// there are such arguments, and the condition of the row holds, which is in this file. It chooses
// the arguments in their order, and calls the function.
#include "scenarios/graph_argument/player.h"

namespace scenarios::graph_argument {
namespace {

using targets::graph_argument::Status;

// ---- conditions --------------------------------------------------------------------------------

bool always(const Situation&) { return true; }
bool has_any(const Situation& now) { return now.census.all() != 0; }
bool has_buffer_and_module(const Situation& now) {
  return now.census.buffers != 0 && now.census.modules != 0;
}
bool has_definition(const Situation& now) { return now.census.definitions != 0; }
bool has_launch(const Situation& now) { return now.launched; }
bool has_launch_or_builder(const Situation& now) {
  return now.launched || now.census.builders != 0;
}
bool can_change_nodes(const Situation& now) { return now.api.changes_nodes; }
bool can_change_executables(const Situation& now) { return now.api.changes_executables; }
bool can_clone(const Situation& now) { return now.api.clones; }
bool can_move_deallocation(const Situation& now) { return now.api.moves_deallocation; }

template <class... Kinds>
bool all_exist(const Situation& now, arguments::List<Kinds...>) {
  return (Kinds::exists(now) && ...);
}

template <Op op, bool (*condition)(const Situation&)>
bool applies(const Situation& now) {
  return condition(now) && all_exist(now, typename arguments::Signature<op>::Arguments());
}

// ---- arguments ---------------------------------------------------------------------------------

/// Chooses a value, which the choice of later arguments depends on.
template <class Kind>
typename Kind::Value chosen(const arguments::Choice& choice, Asked& asked) {
  const auto value = Kind::choose(choice, asked);
  Kind::note(asked, value);
  return value;
}

template <Op op, class... Kinds>
Status choose_and_call(Player& player, const arguments::Choice& choice, arguments::List<Kinds...>) {
  if (!(Kinds::is_possible(choice) && ...)) return Status::ok;
  Asked asked{.op = op};
  // In order, because these are braces.
  const std::tuple<typename Kinds::Value...> values{chosen<Kinds>(choice, asked)...};
  return std::apply([&](const auto&... each) { return player.judges().call<op>(each...); }, values);
}

template <Op op>
Status play(Player& player, const Situation& now, const harness::Slot& slot) {
  return choose_and_call<op>(player, {player.choose(), now, slot, player.judges().model()},
                             typename arguments::Signature<op>::Arguments());
}

// ---- the table ----------------------------------------------------------------------------------

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, condition, ...) {#name, applies<Op::name, condition>, play<Op::name>},
#include "scenarios/graph_argument/ops.def"
});

}  // namespace

// Calls that change an executable have loaded it first, or are about to.
static const Exec* changed_by(const Model& model, const Call& call) {
  if (call.asked.op != Op::update && call.asked.op != Op::update_node) return nullptr;
  if (call.referred_count > 0) return call.referred[0]->exec;
  const Variables graphs = call.asked.given & kGraphVariables;
  const Wrapped* held =
      graphs != 0 ? model.names.held(static_cast<Variable>(std::countr_zero(graphs))) : nullptr;
  return held != nullptr ? held->exec : nullptr;
}

Variables arguments::OwnGraph::unchanged(const Choice& choice) {
  Variables graphs = choice.now.census.graphs;
  for (const Call* call : choice.model.calls.open()) {
    const Exec* exec = changed_by(choice.model, *call);
    for (Variables left = exec != nullptr ? graphs : 0; left != 0; left &= left - 1) {
      const auto variable = static_cast<Variable>(std::countr_zero(left));
      const Wrapped* held = choice.model.names.held(variable);
      if (held != nullptr && held->exec == exec) graphs &= ~bit(variable);
    }
  }
  return graphs;
}

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::graph_argument
