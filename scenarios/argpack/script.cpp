// How it works. A slot first looks at what there is, then asks which of the ops that make sense
// goes here, then asks for each of its arguments (script_ops.cpp), and calls the path.
#include "scenarios/argpack/script.h"

#include "scenarios/argpack/readings.h"

namespace scenarios::argpack {

using harness::Label;
using targets::argpack::Status;

// ---- what there is ----------------------------------------------------------------------------

Situation Script::situation() const {
  Situation now{take_census(path_->globals)};
  now.unbound = now.census.contexts & ~bound_ & ~compiled_;
  now.bound = now.census.contexts & bound_ & ~compiled_;
  now.compiled = now.census.contexts & compiled_;
  now.child_fits = some_child_fits(now.census);
  now.command_list =
      scene_.config().values[kBackendAxis] == harness::raw(targets::argpack::Backend::gfx);
  return now;
}

const Situation& Script::current_situation() {
  const std::size_t events = scene_.world().history.events().size();
  if (events != situation_events_) {
    situation_ = situation();
    situation_events_ = events;
    offer_task_ = kNobody;
  }
  return situation_;
}

const OpList& Script::current_offer(const Theme& theme, std::uint32_t task) {
  const Situation& now = current_situation();
  if (task != offer_task_) {
    offer_ = OpList(offer(theme, task, now), theme.favoured | wanted(now));
    offer_task_ = task;
  }
  return offer_;
}

bool Script::some_child_fits(const Census& census) const {
  for (Variables packs = census.deep; packs != 0; packs &= packs - 1)
    if (fitting_children(census, static_cast<Variable>(std::countr_zero(packs)), 1) != 0)
      return true;
  return false;
}

Variables Script::fitting_children(const Census& census, Variable pack, std::uint32_t level) const {
  const std::uint32_t depth = path_->globals.depth(pack) - level;
  Variables fitting = 0;
  for (Variables rest = census.packs; rest != 0; rest &= rest - 1) {
    const auto child = static_cast<Variable>(std::countr_zero(rest));
    if (path_->globals.depth(child) == depth) fitting |= bit(child);
  }
  return fitting;
}

// ---- slots ------------------------------------------------------------------------------------

/// The ops between whose steps something can be taken away.
static bool uses(Op op) {
  return (ops(Op::call, Op::call_new, Op::call_often, Op::call_with_all, Op::set_arg_argpack) &
          ops(op)) != 0;
}

void Script::take_slot(const Theme& theme, std::uint32_t task, std::uint32_t index) {
  const harness::ActivationScope activation(scene_.world().scheduler, task, index);
  fill_slot(current_offer(theme, task), task, index);
}

void Script::take_closing_slot(std::uint32_t index) {
  if (launched_) return;
  const harness::ActivationScope activation(scene_.world().scheduler, 0, index);
  fill_slot(OpList(closing(current_situation()), 0), 0, index);
}

void Script::fill_slot(std::span<const std::uint8_t> offered, std::uint32_t task,
                       std::uint32_t index) {
  const int picked = scene_.pick_op(offered);
  if (picked < 0) return;
  const auto op = static_cast<Op>(picked);
  if (task != 0)
    nap();
  else if (uses(op))
    begin_using();
  const Situation now = current_situation();
  if (((applicable(now) | closing(now)) & ops(op)) != 0) run_op(op, now, {task, index});
}

// Sleeps, for a number of turns: what a mutator does early in a call is not what it does late.
void Script::nap() {
  constexpr std::array<std::uint32_t, 4> kTurns{0, 4, 12, 24};
  harness::Scheduler& scheduler = scene_.world().scheduler;
  std::uint32_t turns = 0;
  {
    const harness::ActivationScope activation(scheduler, scene_.world().picker.current().name,
                                              "nap", 0);
    turns = kTurns[choose_number(kTurns.size())];
  }
  for (; turns > 0; --turns) scheduler.turn({});
}

void Script::run_op(Op op, const Situation& now, Slot slot) {
  harness::World& world = scene_.world();
  const Label name = kOps[harness::raw(op)].name;
  const harness::SiteScope site(world.scheduler, name);
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status status = perform(op, now, slot);
  world.history.set_value(event, harness::raw(status));
  if (status == Status::ok) scene_.count_op(harness::raw(op));
}

void Script::begin_using() {
  if (!std::exchange(in_use_, true)) use_.count_down();
}

// ---- what the judges hear ---------------------------------------------------------------------

void Script::program_began(std::uint32_t generation) {
  Model::program_began(generation);
  witness_.did(kBegan);
}

void Script::made(const targets::argpack::Making& making) {
  Model::made(making);
  ghost_.made(making);
  const bool is_gradient = making.kind == Kind::ndarray && making.value == 0;
  if (making.kind != Kind::context && !is_gradient) check_value(making.value, making.depth);
}

void Script::referred(ThingId thing) {
  Model::referred(thing);
  ghost_.referred(thing);
}

void Script::dropped(ThingId thing) {
  Model::dropped(thing);
  ghost_.dropped(thing);
}

void Script::ended(ThingId thing) {
  Model::ended(thing);
  ghost_.ended(thing);
}

void Script::attached(ThingId thing, std::size_t member, ThingId value) {
  Thing& parent = *find(thing);
  const Serial before = std::exchange(parent.attached_by[member], witness_.op());
  if (witness_.runs_beside(before)) {
    parent.has_uncertain_members = true;
    make_uncertain(parent.members[member]);
    make_uncertain(find(value));
  }
  Model::attached(thing, member, value);
  ghost_.attached(thing, member, value);
  witness_.did(kAttached);
}

void Script::stored(Variable variable, ThingId thing) {
  Model::stored(variable, thing);
  witness_.did(kStored);
}

void Script::assigned(ThingId thing, std::int64_t value) {
  Model::assigned(thing, value);
  check_value(value, 0);
}

void Script::written(ThingId thing, std::int64_t value) {
  Model::written(thing, value);
  witness_.did(kWritten);
}

void Script::moved(ThingId thing) {
  Model::moved(thing);
  ghost_.moved(thing);
  witness_.did(kMoved);
}

void Script::bound(ThingId context, Place place, ThingId thing) {
  Model::bound(context, place, thing);
  ghost_.bound(context, place, thing);
  if (thing != ThingId::none) witness_.did(kBound);
}

void Script::scalar_set(ThingId context, std::int64_t value) {
  Model::scalar_set(context, value);
  check_value(value, 0);
  witness_.did(kScalar);
}

void Script::compiled(ThingId context) {
  Model::compiled(context);
  witness_.did(kCompiled);
}

void Script::submitted(ThingId context) {
  Model::submitted(context);
  ghost_.submitted(context);
  launched_ = true;
  scene_.exercised();
  witness_.launched(*find(context)->context);
}

void Script::finished() {
  Model::finished();
  ghost_.finished();
  witness_.did(kFinished);
}

void Script::read(ThingId context, std::span<const std::int32_t> words) {
  judge_reading(scene_, *find(context)->context, words);
  witness_.did(kRead);
}

void Script::contents(ThingId array, std::span<const std::int32_t> words) {
  judge_contents(scene_, *find(array), words);
  witness_.did(kContents);
}

// A value that the scenario did not hand out would make the model agree with whoever made it up.
void Script::check_value(std::int64_t value, std::uint32_t depth) {
  if (!witness_.handed_out(value, depth))
    scene_.expect("value", static_cast<std::uint64_t>(value), witness_.value());
}

// Not at what is on the device: whoever looks there waits for it, and then nothing is in flight
// when the script drops everything.
void Script::look_at_host_arrays() {
  for (Variable variable = 0; variable < targets::argpack::kVariableCount; ++variable) {
    const Thing* thing = held_by(variable);
    if (thing != nullptr && thing->kind == Kind::external &&
        thing->object != harness::BirthId::none)
      path_->arrays.to_numpy(variable);
  }
}

}  // namespace scenarios::argpack
