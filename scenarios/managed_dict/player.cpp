// How it works. A slot first looks at what there is, then asks which of the ops that make sense
// goes here, then asks for each of its arguments, and calls the path. The plain argument is the
// most useful one. Tapes name variables, never positions in a list.
#include "scenarios/managed_dict/player.h"

#include <fmt/format.h>

#include "harness/scenario/variables.h"

namespace scenarios::managed_dict {

using harness::Label;
using harness::Site;
using targets::managed_dict::basic_bytes;
using targets::managed_dict::Body;
using targets::managed_dict::Function;
using targets::managed_dict::kFunctionCount;
using targets::managed_dict::kPreheaderBytes;
using targets::managed_dict::kVariableCount;

namespace {

template <class... Members>
constexpr Ops ops(Members... members) {
  return (Ops{0} | ... | (Ops{1} << harness::raw(members)));
}

constexpr Ops kAlways = ops(Op::new_instance, Op::set_type_attr, Op::subclass, Op::collect,
                            Op::hold_noise, Op::with_block, Op::force_compile, Op::deopt);
constexpr Ops kOfInstances =
    ops(Op::del_instance, Op::store_attr, Op::load_attr, Op::delete_attr, Op::access_dict,
        Op::replace_dict, Op::delete_dict, Op::set_class, Op::launch, Op::store_all);
/// What stores, where it is compiled. Which kinds take part is drawn per run by some strategies, so
/// that there are several.
constexpr Ops kStoring = ops(Op::new_instance, Op::store_attr, Op::with_block);
/// Listed more than once, so that a strategy that draws gets somewhere.
constexpr Ops kFavoured = ops(Op::with_block, Op::store_attr, Op::new_instance);
constexpr std::size_t kFavour = 4;

/// Sizes of noise: of a small chunk and an int, of an instance, of a dict, of a large chunk.
constexpr std::array<std::uint32_t, 4> kNoiseBytes{24, 48, 64, 96};

using Options = harness::VariableOptions<kVariableCount>;

/// What is offered, as Scene::pick_op takes it.
class OpList {
 public:
  explicit OpList(Ops offered) {
    add(offered);
    for (std::size_t i = 1; i < kFavour; ++i) add(offered & kFavoured);
  }
  operator std::span<const std::uint8_t>() const { return {members_.data(), count_}; }

 private:
  void add(Ops ops) {
    for (; ops != 0; ops &= ops - 1)
      members_[count_++] = static_cast<std::uint8_t>(std::countr_zero(ops));
  }

  std::array<std::uint8_t, kFavour * kOpCount> members_;
  std::size_t count_ = 0;
};

}  // namespace

bool Player::any_defined() const {
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (model_.is_defined(variable)) return true;
  return false;
}

Ops Player::applicable() const {
  return kAlways | (any_defined() ? kOfInstances : 0) |
         (model_.noise_count() != 0 ? ops(Op::drop_noise) : 0);
}

Variable Player::choose_defined() {
  Options options;
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (model_.is_defined(variable)) options.add(variable);
  return options.pick(scene_);
}

// One that the object has, more often than not.
Attribute Player::choose_attribute(Variable variable) {
  harness::VariableOptions<2 * kAttributesDrawn> options;
  const Contents& contents = model_.contents(variable);
  for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute)
    if (contents.find(attribute) != nullptr) options.add(attribute);
  for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute) options.add(attribute);
  return options.pick(scene_);
}

// What a new thing is called depends on its slot alone.
Variable Player::choose_new(std::uint32_t task, std::uint32_t slot) {
  const Variable plain = (slot + 3 * task) % kVariableCount;
  Options options;
  for (std::uint32_t i = 0; i < kVariableCount; ++i) options.add((plain + i) % kVariableCount);
  return options.pick(scene_);
}

void Player::take_slot(std::uint32_t task, std::uint32_t slot) {
  const harness::ActivationScope activation(scene_.world().scheduler, task, slot);
  const int picked = scene_.pick_op(OpList(applicable()));
  if (picked < 0) return;
  scene_.world().scheduler.turn({});
  const auto op = static_cast<Op>(picked);
  if ((applicable() & ops(op)) == 0) return;
  const Call call = choose_arguments(op, task, slot);
  if (op == Op::store_all)
    store_all(call);
  else
    run(call);
}

// One statement for each: keys, values and tables grow until there is no room.
void Player::store_all(Call call) {
  call.about.op = Op::store_attr;
  for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute) {
    call.about.attribute = attribute;
    run(call);
  }
  scene_.count_op(harness::raw(Op::store_all));
}

// Whatever it is, an instance is stored to: by the block, by the statement, or by one more.
void Player::take_closing_slot(std::uint32_t slot) {
  const harness::ActivationScope activation(scene_.world().scheduler, 0, slot);
  const int picked = scene_.pick_op(OpList(kStoring));
  if (picked < 0) return;
  scene_.world().scheduler.turn({});
  for (std::uint32_t i = 0; i < kFunctionCount; ++i)
    path_->jit().force_compile(static_cast<Function>(i));
  const auto op = static_cast<Op>(picked);
  if (op == Op::store_attr && !any_defined()) run({.about = {.op = Op::new_instance}});
  if (op == Op::store_attr && !any_defined()) return;
  const Call call = choose_arguments(op, 0, slot);
  run(call);
  if (op == Op::new_instance && model_.is_defined(call.about.variable))
    run({.about = {.op = Op::store_attr, .variable = call.about.variable}});
}

void Player::run(const Call& call) {
  harness::World& world = scene_.world();
  const Op op = call.about.op;
  const Label name = kOps[harness::raw(op)].name;
  const harness::SiteScope site(world.scheduler, name);
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status expected = model_.expected(call.about);
  const std::uint32_t starved = judge_.blocks().starved_count();
  const std::uint32_t version = path_->inspection().class_version(call.about.of);
  if (op == Op::with_block) ++blocks_;
  const Status status = perform(call);
  if (op == Op::with_block) --blocks_;
  world.history.set_value(event, harness::raw(status));
  if (status == Status::ok) scene_.count_op(harness::raw(op));
  judge_answer(op, expected, status, judge_.blocks().starved_count() != starved);
  // Who remembers what a class was must be able to tell that it is no longer.
  if (op == Op::set_type_attr && version != 0 && bounded_ && status == Status::ok)
    scene_.expect("class version", path_->inspection().class_version(call.about.of) == version,
                  false);
  if (status != Status::memory_error)
    model_.apply(call.about);
  else
    model_.failed(call.about);
  judge_.heap().judge_all();
  if (bounded_) judge_state(call.about);
}

// Of a variant that claims to be sound: what another one keeps may not even be readable.
void Player::judge_state(const Statement& about) {
  if (!scene_.world().history.faults().empty()) return;
  reader_.read_instance(path_->inspection(), about.variable, others_asked_for_dicts());
  if (judge_.blocks().starved_count() == 0)
    reader_.read_held(path_->inspection(), others_asked_for_dicts());
  census_.judge(model_.bounds(blocks_, others_asked_for_dicts()));
  if (const std::uint64_t bytes = census_.instance_bytes(); bytes != 0 && !model_.is_inline())
    scene_.expect("instance bytes", bytes,
                  kPreheaderBytes + basic_bytes(path_->inspection().layout()));
  scene_.expect("class references", path_->inspection().class_references(), census_.instances());
}

void Player::judge_all() {
  if (!bounded_) return;
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (scene_.world().history.faults().empty())
      reader_.read_instance(path_->inspection(), variable, others_asked_for_dicts());
}

// What follows from a fault that was found is no refusal, nor is what there was no memory for.
void Player::judge_answer(Op op, Status expected, Status status, bool starved) {
  if (status == expected || !scene_.world().history.faults().empty()) return;
  if (status == Status::memory_error && starved) return;
  const Label name = kOps[harness::raw(op)].name;
  if (status == Status::ok)
    scene_.expect("answer", harness::raw(status), harness::raw(expected));
  else
    scene_.refuse(name, to_label(status).c_str());
}

Player::Call Player::choose_arguments(Op op, std::uint32_t task, std::uint32_t slot) {
  Call call{.about = {.op = op}};
  Statement& about = call.about;
  switch (op) {
    case Op::new_instance:
      about.variable = choose_new(task, slot);
      about.of = choose_class();
      break;
    case Op::store_attr:
      about.variable = choose_defined();
      about.attribute = choose(kAttributesDrawn);
      about.kind = static_cast<ValueKind>(choose(4));
      break;
    case Op::store_all:
      about.variable = choose_defined();
      about.kind = static_cast<ValueKind>(choose(4));
      break;
    case Op::load_attr:
    case Op::delete_attr:
      about.variable = choose_defined();
      about.attribute = choose_attribute(about.variable);
      break;
    case Op::del_instance:
    case Op::access_dict:
    case Op::replace_dict:
    case Op::delete_dict:
    case Op::launch:
      about.variable = choose_defined();
      break;
    case Op::set_class:
      about.variable = choose_defined();
      about.of = choose_class();
      break;
    case Op::set_type_attr:
    case Op::subclass:
      about.of = choose_class();
      break;
    case Op::hold_noise:
      call.number = kNoiseBytes[choose(kNoiseBytes.size())];
      break;
    case Op::with_block:
      call.number = 1 + choose(3);
      call.body = static_cast<Body>(choose(2));
      break;
    case Op::force_compile:
    case Op::deopt:
      call.function = static_cast<Function>(choose(kFunctionCount));
      break;
    case Op::collect:
    case Op::drop_noise:
      break;
  }
  return call;
}

Status Player::perform(const Call& call) {
  targets::managed_dict::Statements& path = path_->statements();
  const Statement& about = call.about;
  switch (about.op) {
    case Op::new_instance:
      return path.new_instance(about.variable, about.of);
    case Op::del_instance:
      return path.del_instance(about.variable);
    case Op::store_attr:
      return path.store_attr(about.variable, about.attribute, about.kind);
    case Op::load_attr:
      return path.load_attr(about.variable, about.attribute);
    case Op::delete_attr:
      return path.delete_attr(about.variable, about.attribute);
    case Op::access_dict:
      return path.access_dict(about.variable);
    case Op::replace_dict:
      return path.replace_dict(about.variable);
    case Op::delete_dict:
      return path.delete_dict(about.variable);
    case Op::set_class:
      return path.set_class(about.variable, about.of);
    case Op::set_type_attr:
      return path.set_type_attr(about.of);
    case Op::subclass:
      return path.subclass(about.of);
    case Op::collect:
      return path.collect();
    case Op::hold_noise:
      return path.hold_noise(call.number);
    case Op::drop_noise:
      return path.drop_noise();
    case Op::with_block:
      return path.with_block(call.number, call.body);
    case Op::launch:
      return path.launch(about.variable);
    case Op::force_compile:
      return path_->jit().force_compile(call.function);
    case Op::deopt:
      return path_->jit().deopt(call.function);
    case Op::store_all:
      break;  // Many statements: each is performed for itself.
  }
  return Status::ok;
}

}  // namespace scenarios::managed_dict
