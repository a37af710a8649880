// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and a call, both of which are in this file. A
// call chooses its arguments and passes them to the path.
#include "scenarios/argpack/player.h"

namespace scenarios::argpack {
namespace {

using harness::Slot;
using targets::argpack::Argpack;
using targets::argpack::FinalizerAction;
using targets::argpack::kNothing;
using targets::argpack::Status;
using targets::argpack::Storage;

/// Returns the value of a slot. Values of different slots differ by more than a pack's depth.
std::int32_t value_of(const Slot& slot) {
  return static_cast<std::int32_t>(1000 * (slot.task + 1) + 10 * slot.index);
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

/// Chooses a variable to be bound, written or read. Default: one not from before a reset.
Variable used(Player& player, const Situation& now, Variables variables) {
  return player.choose().used(now.fresh(variables), now.stale(variables));
}

// ---- packs --------------------------------------------------------------------------------------

// By default two levels deep, because nested packs can be replaced.
Status new_argpack(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  constexpr std::array<std::uint32_t, 3> kDepths{2, 1, 3};
  const Variable into = choose.place(slot, kPackVariables);
  const std::uint32_t depth = choose.of(kDepths);
  const Variables arrays = now.census.arrays;
  return player.path().packs.new_argpack(into, depth, value_of(slot),
                                         choose.none_or(now.fresh(arrays), now.stale(arrays)));
}

Status set_scalar(Player& player, const Situation& now, const Slot& slot) {
  const Variable pack = used(player, now, now.census.packs);
  return player.path().packs.set_scalar(
      pack, player.choose().number(player.path().globals.depth(pack)), value_of(slot));
}

Status replace_nested(Player& player, const Situation& now, const Slot& slot) {
  const Variable pack = used(player, now, now.census.deep);
  const std::uint32_t level = player.choose().level(player.path().globals.depth(pack));
  return player.path().packs.replace_nested(pack, level, value_of(slot));
}

Status set_nested(Player& player, const Situation& now, const Slot&) {
  Chooser& choose = player.choose();
  const Variable pack = used(player, now, now.census.deep);
  const std::uint32_t level = choose.level(player.path().globals.depth(pack));
  const Variables children = player.fitting_children(now, pack, level);
  const Variable child = used(player, now, children != 0 ? children : now.census.packs);
  return player.path().packs.set_nested(pack, level, child);
}

Status get_nested(Player& player, const Situation& now, const Slot& slot) {
  Chooser& choose = player.choose();
  const Variable into = choose.place(slot, kPackVariables);
  const Variable pack = choose.from(now.census.deep);
  return player.path().packs.get_nested(into, pack,
                                        choose.level(player.path().globals.depth(pack)));
}

// ---- arrays -------------------------------------------------------------------------------------

Status new_ndarray(Player& player, const Situation&, const Slot& slot) {
  const Variable into = player.choose().place(slot, kArrayVariables);
  return player.path().arrays.new_ndarray(into, value_of(slot), !player.choose().one_in(4));
}

Status fill(Player& player, const Situation& now, const Slot& slot) {
  return player.path().arrays.fill(used(player, now, now.census.arrays), value_of(slot));
}

Status set_gradient(Player& player, const Situation& now, const Slot&) {
  return player.path().arrays.set_gradient(player.choose().from(now.census.arrays));
}

Status drop_gradient(Player& player, const Situation& now, const Slot&) {
  return player.path().arrays.drop_gradient(player.choose().from(now.census.arrays));
}

Status new_external(Player& player, const Situation&, const Slot& slot) {
  const Variable into = player.choose().place(slot, kExternalVariables);
  return player.path().arrays.new_external(
      into, player.choose().yes() ? Storage::host : Storage::device, value_of(slot));
}

Status resize_external(Player& player, const Situation& now, const Slot&) {
  return player.path().arrays.resize_external(player.choose().from(now.census.externals));
}

Status to_numpy(Player& player, const Situation& now, const Slot&) {
  return player.path().arrays.to_numpy(used(player, now, now.census.arrays | now.census.externals));
}

// ---- any object ---------------------------------------------------------------------------------

Status alias(Player& player, const Situation& now, const Slot& slot) {
  const Variable from = player.choose().from(now.census.all());
  const Variable into = player.choose().place(slot, siblings(from));
  for (Variables* contexts : {&player.hints().bound, &player.hints().compiled})
    *contexts = (*contexts & ~bit(into)) | ((*contexts & bit(from)) != 0 ? bit(into) : 0);
  return player.path().globals.alias(into, from);
}

Status drop(Player& player, const Situation& now, const Slot&) {
  return player.path().globals.drop(player.choose().from(now.census.all()));
}

Status make_cycle(Player& player, const Situation& now, const Slot&) {
  return player.path().garbage.make_cycle(player.choose().from(now.census.all()));
}

Status plant(Player& player, const Situation& now, const Slot& slot) {
  const Census& census = now.census;
  // Victims of each kind of action; the last two kinds need none.
  const std::array<Variables, targets::argpack::kFinalizerActionCount> victims{
      census.deep, census.all(), census.arrays, census.externals, census.packs, census.packs};
  std::array<std::uint32_t, targets::argpack::kFinalizerActionCount> values;
  std::size_t count = 0;
  for (std::uint32_t action = 0; action < victims.size(); ++action)
    if (victims[action] != 0) values[count++] = action + 1;
  const std::uint32_t action = player.choose().of(std::span(values).first(count)) - 1;
  return player.path().garbage.plant(static_cast<FinalizerAction>(action),
                                     player.choose().from(victims[action]), value_of(slot));
}

Status collect(Player& player, const Situation&, const Slot&) {
  return player.path().garbage.collect(2 - player.choose().number(3));
}

// ---- the program --------------------------------------------------------------------------------

Status synchronize(Player& player, const Situation&, const Slot&) {
  return player.path().programs.synchronize();
}

Status flush(Player& player, const Situation&, const Slot&) {
  return player.path().programs.flush();
}

Status reset(Player& player, const Situation&, const Slot&) {
  return player.path().programs.reset();
}

Status call(Player& player, const Situation& now, const Slot&) {
  Chooser& choose = player.choose();
  targets::argpack::Arguments arguments;
  const Variables arrays = now.census.arrays;
  arguments.pack = used(player, now, now.census.packs);
  arguments.array = choose.used_or_none(now.fresh(arrays), now.stale(arrays));
  arguments.external = choose.used_or_none(now.census.externals, 0);
  arguments.returns = choose.yes();
  arguments.too_many = choose.one_in(16);
  return player.path().calls.call(arguments);
}

// ---- several calls of the interface in one op ---------------------------------------------------

// kernel(T(...)); the pack stays in a variable.
Status call_new(Player& player, const Situation&, const Slot& slot) {
  Chooser& choose = player.choose();
  constexpr std::array<std::uint32_t, 3> kDepths{2, 1, 3};
  const Variable into = choose.place(slot, kPackVariables);
  const std::uint32_t depth = choose.of(kDepths);
  const bool returns = choose.yes();
  const Status status = player.part(Op::new_argpack, 0, [&] {
    return player.path().packs.new_argpack(into, depth, value_of(slot), kNothing);
  });
  if (status != Status::ok) return status;
  return player.part(Op::call, 1,
                     [&] { return player.path().calls.call({.pack = into, .returns = returns}); });
}

// A loop of calls that do not wait: more launches than may hold objects.
Status call_often(Player& player, const Situation& now, const Slot&) {
  constexpr std::uint32_t kTimes = 10;
  const Variable pack = used(player, now, now.census.packs);
  Status status = Status::ok;
  for (std::uint32_t i = 0; i < kTimes && status == Status::ok; ++i)
    status = player.part(
        Op::call, i, [&] { return player.path().calls.call({.pack = pack, .returns = false}); });
  return status;
}

// kernel(T(...), ndarray, external), all of them new: a complete script in one op.
Status call_with_all(Player& player, const Situation&, const Slot& slot) {
  Chooser& choose = player.choose();
  const Argpack& path = player.path();
  targets::argpack::Arguments arguments;
  arguments.pack = choose.place(slot, kPackVariables);
  arguments.array = choose.place(slot, kArrayVariables);
  arguments.external = choose.place(slot, kExternalVariables);
  const Storage storage = choose.yes() ? Storage::host : Storage::device;
  arguments.returns = choose.yes();
  const std::int32_t value = value_of(slot);
  Status status = player.part(Op::new_argpack, 0, [&] {
    return path.packs.new_argpack(arguments.pack, 2, value, kNothing);
  });
  if (status == Status::ok)
    status = player.part(Op::new_ndarray, 1,
                         [&] { return path.arrays.new_ndarray(arguments.array, value, true); });
  if (status == Status::ok)
    status = player.part(Op::new_external, 2, [&] {
      return path.arrays.new_external(arguments.external, storage, value);
    });
  return status == Status::ok ? player.part(Op::call, 3, [&] { return path.calls.call(arguments); })
                              : status;
}

// ---- contexts -----------------------------------------------------------------------------------

/// Calls `act` with one of the contexts, preferably one of `rather`. Does nothing if other tasks
/// use all of them.
template <class Act>
Status with_context(Player& player, Variables contexts, Variables rather, Act act) {
  const Variables free = contexts & ~player.others_contexts();
  if (free == 0) return Status::ok;
  const Variable context = player.choose().rather(rather & free, free);
  const ContextUse use = player.use_context(context);
  return act(context);
}

// Empty, or with every argument bound and compiled, so that the next step is its launch.
Status make_context(Player& player, const Situation& now, const Slot& slot) {
  const Argpack& path = player.path();
  const Variable into = player.choose().place(slot, kContextVariables);
  const bool bare = player.choose().yes();
  player.hints().bound &= ~bit(into);
  player.hints().compiled &= ~bit(into);
  if (bare) return path.contexts.make_context(into);
  const ContextUse use = player.use_context(into);
  const auto first_of = [&](Variables set) {
    return static_cast<Variable>(std::countr_zero(now.fresh(set)));
  };
  Status status =
      player.part(Op::make_context, 0, [&] { return path.contexts.make_context(into); });
  if (status == Status::ok && now.fresh(now.census.arrays) != 0)
    status = player.part(Op::set_arg_ndarray_with_grad, 1, [&] {
      return path.contexts.set_arg_ndarray_with_grad(into, first_of(now.census.arrays));
    });
  if (status == Status::ok && now.census.externals != 0)
    status = player.part(Op::set_arg_external, 2, [&] {
      return path.contexts.set_arg_external(into, first_of(now.census.externals));
    });
  if (status == Status::ok)
    status = player.part(Op::set_arg_argpack, 3, [&] {
      return path.contexts.set_arg_argpack(into, first_of(now.census.packs));
    });
  if (status == Status::ok) player.hints().bound |= bit(into);
  if (status == Status::ok)
    status = player.part(Op::compile, 4, [&] { return path.contexts.compile(into); });
  if (status == Status::ok) player.hints().compiled |= bit(into);
  return status;
}

Status set_arg_argpack(Player& player, const Situation& now, const Slot&) {
  return with_context(player, now.census.contexts, now.unbound, [&](Variable context) {
    const Status status =
        player.path().contexts.set_arg_argpack(context, used(player, now, now.census.packs));
    if (status == Status::ok) player.hints().bound |= bit(context);
    return status;
  });
}

Status set_arg_ndarray(Player& player, const Situation& now, const Slot&) {
  return with_context(player, now.census.contexts, now.open(), [&](Variable context) {
    return player.path().contexts.set_arg_ndarray(context, used(player, now, now.census.arrays));
  });
}

Status set_arg_ndarray_with_grad(Player& player, const Situation& now, const Slot&) {
  return with_context(player, now.census.contexts, now.open(), [&](Variable context) {
    return player.path().contexts.set_arg_ndarray_with_grad(context,
                                                            used(player, now, now.census.arrays));
  });
}

Status set_arg_external(Player& player, const Situation& now, const Slot&) {
  return with_context(player, now.census.contexts, now.open(), [&](Variable context) {
    return player.path().contexts.set_arg_external(context,
                                                   player.choose().from(now.census.externals));
  });
}

Status set_arg_scalar(Player& player, const Situation& now, const Slot& slot) {
  return with_context(player, now.census.contexts, now.open(), [&](Variable context) {
    return player.path().contexts.set_arg_scalar(context, value_of(slot));
  });
}

Status compile(Player& player, const Situation& now, const Slot&) {
  return with_context(player, now.open(), now.bound, [&](Variable context) {
    const Status status = player.path().contexts.compile(context);
    if (status == Status::ok) player.hints().compiled |= bit(context) & player.hints().bound;
    return status;
  });
}

// Retries a failed launch.
Status launch(Player& player, const Situation& now, const Slot&) {
  return with_context(player, now.census.contexts, now.compiled, [&](Variable context) {
    const bool returns = player.choose().yes();
    const Status status = player.path().contexts.launch(context, returns);
    return status == Status::driver_error ? player.path().contexts.launch(context, returns)
                                          : status;
  });
}

// ---- the table ----------------------------------------------------------------------------------

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, applies, call) {#name, applies, call},
#include "scenarios/argpack/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::argpack
