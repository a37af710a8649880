// SPDX-License-Identifier: Apache-2.0
// How a call works: the arguments are set one by one, children before their parents; the kernel is
// compiled, then launched. Python runs between any two of these, C++ only within one.
#include "targets/argpack/script/calls.h"

namespace targets::argpack {

using harness::Object;
using harness::Ref;

Status ScriptCalls::load_arguments(const Arguments& arguments, std::array<Ref, 3>& values) {
  Status status = globals_.load(arguments.pack, kPackType, values[0]);
  if (status == Status::ok && arguments.array != kNothing)
    status = globals_.load(arguments.array, kArrayType, values[1]);
  if (status == Status::ok && arguments.external != kNothing)
    status = globals_.load(arguments.external, kExternalType, values[2]);
  return status;
}

Status ScriptCalls::call(const Arguments& arguments) {
  const Op op(core_);
  std::array<Ref, 3> values;
  Status status = load_arguments(arguments, values);
  if (status != Status::ok) return status;

  // The tuple of arguments is a local of three frames, so its items stay alive during the call.
  Ref tuple = core_.runtime.heap.make(kTupleType);
  std::array<ThingId, 3> things{};
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    things[i] = thing_of(*values[i]);
    core_.facts.tell(&Observer::referred, things[i]);
    tuple->set(i, std::move(values[i]));
  }
  status = launch_kernel(*tuple, arguments);
  core_.facts.tell(&Observer::setting_ended);
  for (const ThingId thing : things) tell_dropped(thing);
  return status;
}

/// A frame's own reference to its context.
class Frame {
 public:
  Frame(Facts& facts, ThingId thing) : facts_(facts), thing_(thing) {
    facts_.tell(&Observer::referred, thing_);
  }
  ~Frame() { facts_.tell(&Observer::dropped, thing_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  Facts& facts_;
  ThingId thing_;
};

// Kernel.launch_kernel. Locals are dropped in reverse order when it returns or raises.
Status ScriptCalls::launch_kernel(Object& arguments, const Arguments& from) {
  core_.facts.tell(&Observer::setting_began);
  step("BUILD_LIST");
  const Ref tmps = core_.runtime.heap.make(kListType);
  const Ref set_later = core_.runtime.heap.make(kListType);
  Ref context;
  Status status = binder_.make_launch_context(context);
  if (status != Status::ok) return status;
  const Frame frame(core_.facts, context_of(context).thing);
  status = set_args(context, arguments, *tmps, *set_later);
  if (status == Status::ok && from.too_many) status = Status::argument_limit;
  ProgramLocal prog(core_);
  if (status == Status::ok) status = launches_.compile(context, &prog);
  if (status != Status::ok) return status;
  const Ref& global = globals_.peek(from.pack);
  if (!global || !(global == arguments.get(0u)))
    core_.facts.tell(&Observer::argument_renamed, from.pack);
  return launches_.launch(context, from.returns, &prog);
}

Status ScriptCalls::set_args(const Ref& context, Object& arguments, Object& tmps,
                             Object& set_later) {
  const Ref pack = arguments.get(0u);
  if (const Status status = binder_.set_packs(context, pack, 0, &tmps); status != Status::ok)
    return status;
  if (const Ref member = pack->get("x"); member) set_later.set(0u, member);
  Ref array = arguments.get(1u);
  if (!array) array = set_later.get(0u);
  if (array)
    if (const Status status = binder_.bind_array(context, array, true); status != Status::ok)
      return status;
  const Ref external = arguments.get(2u);
  return external ? binder_.bind_external(context, external) : Status::ok;
}

}  // namespace targets::argpack
