// The ops and their arguments. The plain argument is the one that is most useful: an object that
// fits. Tapes name variables, never positions in a list, and a new thing's plain variable depends
// on its slot alone: deleting one op leaves the arguments of the others where they were.
#include "harness/scenario/variables.h"
#include "scenarios/argpack/script.h"

namespace scenarios::argpack {

using harness::Site;
using targets::argpack::Argpack;
using targets::argpack::kNothing;
using targets::argpack::kVariableCount;
using targets::argpack::Mischief;
using targets::argpack::Status;

namespace {

/// No variable, as an option.
constexpr Variable kNoneOption = kVariableCount;

using Options = harness::VariableOptions<kVariableCount + 1>;

constexpr Variable something(Variable picked) { return picked == kNoneOption ? kNothing : picked; }

Variables lowest(Variables variables) { return variables & -variables; }

}  // namespace

// ---- arguments --------------------------------------------------------------------------------

std::uint32_t Script::choose_of(std::span<const std::uint32_t> values) {
  return values[scene_.world().picker.pick_value(Site::argument, values)];
}

// Of a nested pack: 1 is p.c, 2 is p.c.c.
std::uint32_t Script::choose_level(Variable pack) {
  constexpr std::array<std::uint32_t, targets::argpack::kDepthLimit - 1> kLevels{1, 2};
  return choose_of(std::span(kLevels).first(path_->globals.depth(pack) - 1));
}

Variable Script::choose(Variables fitting) {
  Options options;
  options.add_all(fitting);
  return options.pick(scene_);
}

Variable Script::choose_rather(Variables preferred, Variables others) {
  Options options;
  options.add_all(preferred);
  options.add_all(others & ~preferred);
  return options.pick(scene_);
}

Variable Script::choose_or_none(Variables fitting) {
  Options options;
  options.add_all(lowest(fitting));
  options.add(kNoneOption);
  options.add_all(fitting & ~lowest(fitting));
  return something(options.pick(scene_));
}

Variable Script::none_or_choose(Variables fitting) {
  Options options;
  options.add(kNoneOption);
  options.add_all(fitting);
  return something(options.pick(scene_));
}

Variable Script::choose_new(const Slot& slot, Variables kind) {
  Options options;
  options.add_for_new(kind, slot.task, slot.index);
  return options.pick(scene_);
}

// ---- ops --------------------------------------------------------------------------------------

Status Script::perform(Op op, const Situation& now, const Slot& slot) {
  const Census& census = now.census;
  const Argpack& path = *path_;
  switch (op) {
    case Op::new_argpack:
      return new_argpack(now, slot);
    case Op::set_scalar: {
      const Variable pack = choose(census.packs);
      return path.packs.set_scalar(pack, choose_number(path.globals.depth(pack)), slot.value());
    }
    case Op::replace_nested:
      return replace_nested(now, slot);
    case Op::set_nested:
      return set_nested(now);
    case Op::get_nested:
      return get_nested(now, slot);
    case Op::new_ndarray: {
      const Variable into = choose_new(slot, kArrayVariables);
      return path.arrays.new_ndarray(into, slot.value(), choose_number(4) != 3);
    }
    case Op::fill:
      return path.arrays.fill(choose(census.arrays), slot.value());
    case Op::set_gradient:
      return path.arrays.set_gradient(choose(census.arrays));
    case Op::drop_gradient:
      return path.arrays.drop_gradient(choose(census.arrays));
    case Op::new_external: {
      using targets::argpack::Storage;
      const Variable into = choose_new(slot, kExternalVariables);
      return path.arrays.new_external(into, choose_plain() ? Storage::host : Storage::device,
                                      slot.value());
    }
    case Op::resize_external:
      return path.arrays.resize_external(choose(census.externals));
    case Op::to_numpy:
      return path.arrays.to_numpy(choose(census.arrays | census.externals));
    case Op::alias:
      return alias(now, slot);
    case Op::drop:
      return path.globals.drop(choose(census.all()));
    case Op::make_cycle:
      return path.garbage.make_cycle(choose(census.all()));
    case Op::plant:
      return plant(now, slot);
    case Op::collect:
      return path.garbage.collect(2 - choose_number(3));
    case Op::call:
      return call(now);
    case Op::call_new:
      return call_new(slot);
    case Op::call_often:
      return call_often(now);
    case Op::call_with_all:
      return call_with_all(slot);
    case Op::make_context:
      return make_context(now, slot);
    case Op::set_arg_argpack:
      return set_arg_argpack(now);
    case Op::set_arg_ndarray:
    case Op::set_arg_ndarray_with_grad:
    case Op::set_arg_external:
    case Op::set_arg_scalar:
      return set_arg(op, now, slot);
    case Op::compile:
      return compile(now);
    case Op::launch:
      return launch(now);
    case Op::synchronize:
      return path.programs.synchronize();
    case Op::flush:
      return path.programs.flush();
    case Op::reset:
      return path.programs.reset();
  }
  return Status::ok;
}

// Two deep, unless picked otherwise: what is nested is what can be replaced.
Status Script::new_argpack(const Situation& now, const Slot& slot) {
  constexpr std::array<std::uint32_t, 3> kDepths{2, 1, 3};
  const Variable into = choose_new(slot, kPackVariables);
  const std::uint32_t depth = choose_of(kDepths);
  return path_->packs.new_argpack(into, depth, slot.value(), none_or_choose(now.census.arrays));
}

Status Script::replace_nested(const Situation& now, const Slot& slot) {
  const Variable pack = choose(now.census.deep);
  const std::uint32_t level = choose_level(pack);
  return path_->packs.replace_nested(pack, level, slot.value());
}

Status Script::set_nested(const Situation& now) {
  const Variable pack = choose(now.census.deep);
  const std::uint32_t level = choose_level(pack);
  const Variables children = fitting_children(now.census, pack, level);
  const Variable child = choose(children != 0 ? children : now.census.packs);
  return path_->packs.set_nested(pack, level, child);
}

Status Script::get_nested(const Situation& now, const Slot& slot) {
  const Variable into = choose_new(slot, kPackVariables);
  const Variable pack = choose(now.census.deep);
  return path_->packs.get_nested(into, pack, choose_level(pack));
}

Status Script::alias(const Situation& now, const Slot& slot) {
  const Variable from = choose(now.census.all());
  const Variable into = choose_new(slot, siblings(from));
  for (Variables* contexts : {&bound_, &compiled_})
    *contexts = (*contexts & ~bit(into)) | ((*contexts & bit(from)) != 0 ? bit(into) : 0);
  return path_->globals.alias(into, from);
}

Status Script::plant(const Situation& now, const Slot& slot) {
  const Census& census = now.census;
  // What each kind of mischief can be done to; the last two need no victim.
  const std::array<Variables, targets::argpack::kMischiefCount> victims{
      census.deep, census.all(), census.arrays, census.externals, census.packs, census.packs};
  std::array<std::uint32_t, targets::argpack::kMischiefCount> values;
  std::size_t count = 0;
  for (std::uint32_t mischief = 0; mischief < victims.size(); ++mischief)
    if (victims[mischief] != 0) values[count++] = mischief + 1;
  const std::uint32_t mischief = choose_of(std::span(values).first(count)) - 1;
  return path_->garbage.plant(static_cast<Mischief>(mischief), choose(victims[mischief]),
                              slot.value());
}

Status Script::call(const Situation& now) {
  targets::argpack::Arguments arguments;
  arguments.pack = choose(now.census.packs);
  arguments.array = choose_or_none(now.census.arrays);
  arguments.external = choose_or_none(now.census.externals);
  arguments.returns = choose_plain();
  arguments.too_many = choose_number(16) == 15;
  return path_->calls.call(arguments);
}

// ---- several calls of the interface in one op ---------------------------------------------------

// Each part is an activation of its own, so that its decisions stay where they are when another
// part changes, and counts as the op that it is.
template <class Call>
Status Script::part(Op op, std::uint32_t nth, Call call) {
  harness::World& world = scene_.world();
  const harness::Label name = kOps[harness::raw(op)].name;
  const harness::ActivationScope activation(world.scheduler, world.picker.current().name, name,
                                            nth);
  const Status status = call();
  if (status == Status::ok) scene_.count_op(harness::raw(op));
  return status;
}

// kernel(T(...)), and the pack stays in a variable.
Status Script::call_new(const Slot& slot) {
  constexpr std::array<std::uint32_t, 3> kDepths{2, 1, 3};
  const Variable into = choose_new(slot, kPackVariables);
  const std::uint32_t depth = choose_of(kDepths);
  const bool returns = choose_plain();
  const Status status = part(Op::new_argpack, 0, [&] {
    return path_->packs.new_argpack(into, depth, slot.value(), kNothing);
  });
  if (status != Status::ok) return status;
  return part(Op::call, 1, [&] { return path_->calls.call({.pack = into, .returns = returns}); });
}

// A loop of calls, none of which waits: more launches than may hold anything.
Status Script::call_often(const Situation& now) {
  constexpr std::uint32_t kTimes = 10;
  const Variable pack = choose(now.census.packs);
  Status status = Status::ok;
  for (std::uint32_t i = 0; i < kTimes && status == Status::ok; ++i)
    status = part(Op::call, i, [&] { return path_->calls.call({.pack = pack, .returns = false}); });
  return status;
}

// kernel(T(...), ndarray, external), all of them new: an ordinary script in one op.
Status Script::call_with_all(const Slot& slot) {
  using targets::argpack::Storage;
  targets::argpack::Arguments arguments;
  arguments.pack = choose_new(slot, kPackVariables);
  arguments.array = choose_new(slot, kArrayVariables);
  arguments.external = choose_new(slot, kExternalVariables);
  const Storage storage = choose_plain() ? Storage::host : Storage::device;
  arguments.returns = choose_plain();
  const std::int32_t value = slot.value();
  Status status = part(Op::new_argpack, 0, [&] {
    return path_->packs.new_argpack(arguments.pack, 2, value, kNothing);
  });
  if (status == Status::ok)
    status = part(Op::new_ndarray, 1,
                  [&] { return path_->arrays.new_ndarray(arguments.array, value, true); });
  if (status == Status::ok)
    status = part(Op::new_external, 2,
                  [&] { return path_->arrays.new_external(arguments.external, storage, value); });
  return status == Status::ok ? part(Op::call, 3, [&] { return path_->calls.call(arguments); })
                              : status;
}

// ---- contexts -----------------------------------------------------------------------------------

// Bare, or with an argument in every place and compiled, so that what comes next is its launch.
Status Script::make_context(const Situation& now, const Slot& slot) {
  const Variable into = choose_new(slot, kContextVariables);
  const bool bare = choose_number(2) == 0;
  bound_ &= ~bit(into);
  compiled_ &= ~bit(into);
  if (bare) return path_->contexts.make_context(into);
  const auto lowest_of = [](Variables set) { return static_cast<Variable>(std::countr_zero(set)); };
  Status status = part(Op::make_context, 0, [&] { return path_->contexts.make_context(into); });
  if (status == Status::ok && now.census.arrays != 0)
    status = part(Op::set_arg_ndarray_with_grad, 1, [&] {
      return path_->contexts.set_arg_ndarray_with_grad(into, lowest_of(now.census.arrays));
    });
  if (status == Status::ok && now.census.externals != 0)
    status = part(Op::set_arg_external, 2, [&] {
      return path_->contexts.set_arg_external(into, lowest_of(now.census.externals));
    });
  if (status == Status::ok)
    status = part(Op::set_arg_argpack, 3, [&] {
      return path_->contexts.set_arg_argpack(into, lowest_of(now.census.packs));
    });
  if (status == Status::ok) bound_ |= bit(into);
  if (status == Status::ok)
    status = part(Op::compile, 4, [&] { return path_->contexts.compile(into); });
  if (status == Status::ok) compiled_ |= bit(into);
  return status;
}

Status Script::set_arg_argpack(const Situation& now) {
  const Variable context = choose_rather(now.unbound, now.census.contexts);
  const Status status = path_->contexts.set_arg_argpack(context, choose(now.census.packs));
  if (status == Status::ok) bound_ |= bit(context);
  return status;
}

Status Script::set_arg(Op op, const Situation& now, const Slot& slot) {
  const Variable context = choose_rather(now.open(), now.census.contexts);
  if (op == Op::set_arg_ndarray)
    return path_->contexts.set_arg_ndarray(context, choose(now.census.arrays));
  if (op == Op::set_arg_ndarray_with_grad)
    return path_->contexts.set_arg_ndarray_with_grad(context, choose(now.census.arrays));
  if (op == Op::set_arg_external)
    return path_->contexts.set_arg_external(context, choose(now.census.externals));
  return path_->contexts.set_arg_scalar(context, slot.value());
}

Status Script::compile(const Situation& now) {
  const Variable context = choose_rather(now.bound, now.open());
  const Status status = path_->contexts.compile(context);
  if (status == Status::ok) compiled_ |= bit(context) & bound_;
  return status;
}

// A launch that failed may be tried again.
Status Script::launch(const Situation& now) {
  const Variable context = choose_rather(now.compiled, now.census.contexts);
  const bool returns = choose_plain();
  const Status status = path_->contexts.launch(context, returns);
  return status == Status::driver_error ? path_->contexts.launch(context, returns) : status;
}

}  // namespace scenarios::argpack
