// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and a call, both of which are in this file. A
// call chooses the arguments that its row lists, and calls the path.
#include "scenarios/argpack/player.h"

namespace scenarios::argpack {
namespace {

using harness::Slot;
using targets::argpack::kNothing;
using targets::argpack::Status;

/// Returns the value of a slot. Values of different slots differ by more than a pack's depth.
constexpr std::uint32_t value_of(const Slot& slot) {
  return 1000 * (slot.task + 1) + 10 * slot.index;
}

// ---- when ---------------------------------------------------------------------------------------

bool always(const Situation&) { return true; }
bool has_packs(const Situation& now) { return now.census.packs != 0; }
bool has_fresh_pack(const Situation& now) { return now.fresh(now.census.packs) != 0; }
bool has_deep(const Situation& now) { return now.census.deep != 0; }
bool has_fresh_deep(const Situation& now) { return now.fresh(now.census.deep) != 0; }
bool has_fitting_child(const Situation& now) { return now.child_fits; }
bool has_arrays(const Situation& now) { return now.census.arrays != 0; }
bool has_fresh_array(const Situation& now) { return now.fresh(now.census.arrays) != 0; }
bool has_externals(const Situation& now) { return now.census.externals != 0; }
bool has_array_or_external(const Situation& now) {
  return has_fresh_array(now) || has_externals(now);
}
bool has_any(const Situation& now) { return now.census.all() != 0; }
bool lacks_unbound(const Situation& now) { return has_fresh_pack(now) && now.unbound == 0; }
bool has_pack_and_context(const Situation& now) {
  return has_fresh_pack(now) && now.census.contexts != 0;
}
bool has_open(const Situation& now) { return now.open() != 0; }
bool has_array_and_open(const Situation& now) { return has_fresh_array(now) && has_open(now); }
bool has_external_and_open(const Situation& now) { return has_externals(now) && has_open(now); }
bool has_bound(const Situation& now) { return now.bound != 0; }
bool has_compiled(const Situation& now) { return now.compiled != 0; }
bool has_command_list(const Situation& now) { return now.command_list && has_packs(now); }

// ---- the arguments ------------------------------------------------------------------------------

constexpr std::array<std::uint32_t, 3> kDepths{2, 1, 3};

/// The arguments of one op, as they are chosen.
class Choice {
 public:
  Choice(Player& player, const Situation& now, const Slot& slot)
      : player_(player), choose_(player.choose()), now_(now), slot_(slot) {}

  std::uint32_t next(Argument argument) { return values_[count_++] = value(argument); }
  /// Chooses all arguments of the op that were not chosen yet.
  const Values& rest(Op op) {
    const ArgumentList& arguments = traits_of(op).arguments;
    while (count_ < arguments.count) next(arguments.of[count_]);
    return values_;
  }

 private:
  std::uint32_t value(Argument argument) {
    switch (argument) {
#define ARGUMENT(name, role, choice) \
  case Argument::name:               \
    return choice;
#include "scenarios/argpack/arguments.def"
    }
    return 0;
  }

  // ---- for arguments.def ----
  std::uint32_t depth() const { return player_.depth(last()); }
  std::uint32_t last() const { return values_[count_ - 1]; }
  Variables fresh_arrays() const { return now_.fresh(now_.census.arrays); }
  Variables stale_arrays() const { return now_.stale(now_.census.arrays); }
  /// Chooses a variable to be bound, written or read. Default: one not from before a reset.
  Variable used(Variables variables) {
    return choose_.used(now_.fresh(variables), now_.stale(variables));
  }
  /// Returns the packs that fit below the chosen one at the chosen level; if there are none, all.
  Variables children() const {
    const Variables fitting = player_.fitting_children(now_, values_[0], values_[1]);
    return fitting != 0 ? fitting : now_.census.packs;
  }
  /// Chooses a context, preferably one of `rather`; kNothing if tasks use all of them.
  Variable free_context(Variables rather, Variables contexts) {
    const Variables free = contexts & ~player_.used_contexts();
    return free != 0 ? choose_.rather(rather & free, free) : kNothing;
  }
  /// Returns the victims of each kind of finalizer; the last two kinds need none.
  std::array<Variables, targets::argpack::kFinalizerActionCount> victims() const {
    const Census& census = now_.census;
    return {census.deep, census.all(), census.arrays, census.externals, census.packs, census.packs};
  }
  std::uint32_t action() {
    std::array<std::uint32_t, targets::argpack::kFinalizerActionCount> values;
    std::size_t count = 0;
    for (std::uint32_t action = 0; action < values.size(); ++action)
      if (victims()[action] != 0) values[count++] = action + 1;
    return choose_.of(std::span(values).first(count)) - 1;
  }

  Player& player_;
  Chooser& choose_;
  const Situation& now_;
  const Slot& slot_;
  Values values_{};
  std::size_t count_ = 0;
};

// ---- the calls ----------------------------------------------------------------------------------

/// Calls the path with arguments as they are chosen.
template <Op op>
Status chosen(Player& player, const Situation& now, const Slot& slot) {
  return player.judge().call(op, Choice(player, now, slot).rest(op));
}

template <Op op>
Status alias(Player& player, const Situation& now, const Slot& slot) {
  Choice choice(player, now, slot);
  const Variable from = choice.next(Argument::any);
  const Variable into = choice.next(Argument::into_sibling);
  for (Variables* contexts : {&player.hints().bound, &player.hints().compiled})
    *contexts = (*contexts & ~bit(into)) | ((*contexts & bit(from)) != 0 ? bit(into) : 0);
  return player.judge().call(op, {into, from});
}

/// Does nothing if tasks use all contexts. Retries a failed launch.
template <Op op>
Status in_context(Player& player, const Situation& now, const Slot& slot) {
  Choice choice(player, now, slot);
  const Variable context = choice.next(traits_of(op).arguments.of[0]);
  if (context == kNothing) return Status::ok;
  const ContextUse use = player.use_context(context);
  const Values& values = choice.rest(op);
  const Status status = player.judge().call(op, values);
  ContextHints& hints = player.hints();
  if (op == Op::set_arg_argpack && status == Status::ok) hints.bound |= bit(context);
  if (op == Op::compile && status == Status::ok) hints.compiled |= bit(context) & hints.bound;
  const bool retries = op == Op::launch && status == Status::driver_error;
  return retries ? player.judge().call(op, values) : status;
}

// Empty, or with every argument bound and compiled, so that the next step is its launch.
template <Op op>
Status make_context(Player& player, const Situation& now, const Slot& slot) {
  const Variable into = Choice(player, now, slot).next(Argument::into_context);
  const bool bare = player.choose().yes();
  ContextHints& hints = player.hints();
  hints.bound &= ~bit(into);
  hints.compiled &= ~bit(into);
  if (bare) return player.judge().call(op, {into});
  const ContextUse use = player.use_context(into);
  const auto first_of = [&](Variables set) {
    return static_cast<Variable>(std::countr_zero(now.fresh(set)));
  };
  Status status = player.part(0, op, {into});
  if (status == Status::ok && now.fresh(now.census.arrays) != 0)
    status = player.part(1, Op::set_arg_ndarray_with_grad, {into, first_of(now.census.arrays)});
  if (status == Status::ok && now.census.externals != 0)
    status = player.part(2, Op::set_arg_external, {into, first_of(now.census.externals)});
  if (status == Status::ok)
    status = player.part(3, Op::set_arg_argpack, {into, first_of(now.census.packs)});
  if (status == Status::ok) hints.bound |= bit(into);
  if (status == Status::ok) status = player.part(4, Op::compile, {into});
  if (status == Status::ok) hints.compiled |= bit(into);
  return status;
}

// kernel(T(...)); the pack stays in a variable.
template <Op op>
Status call_new(Player& player, const Situation& now, const Slot& slot) {
  const auto [into, depth, returns, none, neither] = Choice(player, now, slot).rest(op);
  const Status status = player.part(0, Op::new_argpack, {into, depth, value_of(slot), kNothing});
  return status == Status::ok ? player.part(1, Op::call, {into, kNothing, kNothing, returns})
                              : status;
}

// A loop of calls that do not wait: more launches than may hold objects.
template <Op op>
Status call_often(Player& player, const Situation& now, const Slot& slot) {
  constexpr std::uint32_t kTimes = 10;
  const Variable pack = Choice(player, now, slot).next(Argument::used_pack);
  Status status = Status::ok;
  for (std::uint32_t i = 0; i < kTimes && status == Status::ok; ++i)
    status = player.part(i, Op::call, {pack, kNothing, kNothing, false});
  return status;
}

// kernel(T(...), ndarray, external), all of them new: a complete script in one op.
template <Op op>
Status call_with_all(Player& player, const Situation& now, const Slot& slot) {
  const auto [pack, array, external, on_device, returns] = Choice(player, now, slot).rest(op);
  const std::uint32_t value = value_of(slot);
  Status status = player.part(0, Op::new_argpack, {pack, 2, value, kNothing});
  if (status == Status::ok) status = player.part(1, Op::new_ndarray, {array, value, true});
  if (status == Status::ok) status = player.part(2, Op::new_external, {external, on_device, value});
  if (status == Status::ok) status = player.part(3, Op::call, {pack, array, external, returns});
  return status;
}

// ---- the table ----------------------------------------------------------------------------------

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, condition, call, ...) {#name, condition, call<Op::name>},
#include "scenarios/argpack/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::argpack
