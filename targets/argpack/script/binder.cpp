// SPDX-License-Identifier: Apache-2.0
// Binding: implements set_arg_*, one C call each. Raw pointers go into the context; shapes, scalars
// and the address of the outermost pack's handle go into arg_buffer. The policy is notified.
#include "targets/argpack/script/binder.h"

#include "targets/argpack/launcher.h"

namespace targets::argpack {

using harness::Object;
using harness::Ref;

Status Binder::make_launch_context(Ref& made) {
  made = core_.runtime.heap.make<ContextPayload>(kContextType, ContextPayload{this, {}});
  return c_call("make_launch_context", [&](Program& program) {
    LaunchContext& context = context_of(made);
    context.thing = core_.facts.made(Kind::context, 0, 0, program.generation());
    context.generation = program.generation();
    context.kernel = program.kernel();
    return Status::ok;
  });
}

Status Binder::bind(const Ref& wrapper, const Ref& pack, std::uint32_t level) {
  return c_call(kSetArgpack, [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    const PackPayload& payload = pack->payload<PackPayload>();
    if (const Status status = admit(payload, program); status != Status::ok) return status;
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    PackArgument& argument = context.packs[level];
    if (argument.bound) policy_.unbound(context, argument);
    argument.bound = true;
    argument.pack = payload.argpack;
    policy_.bound(context, argument);
    core_.facts.tell(&Observer::bound, context.thing, static_cast<Place>(level), payload.thing);
    context.depth = std::max(context.depth, level + 1);
    if (level == 0) use_buffer(core_, context.device_arguments);
    return Status::ok;
  });
}

// Kernel.recursive_set_args.
Status Binder::set_packs(const Ref& context, const Ref& pack, std::uint32_t level, Object* tmps) {
  step("recursive_set_args");
  if (const Ref nested = pack->get("c"); nested)
    if (const Status status = set_packs(context, nested, level + 1, tmps); status != Status::ok)
      return status;
  const Status status = bind(context, pack, level);
  if (tmps != nullptr && policy_.pins(level)) tmps->set(level, pack);
  return status;
}

Place Binder::place_of(const LaunchContext& context, const ArrayArgument& argument) const {
  if (&argument == &context.array) return Place::array;
  return follows_gradients(core_.setup.backend) ? Place::gradient : Place::gradient_address;
}

// Reads the ndarray's shape, as LaunchContextBuilder does. Of a pack it keeps the pointer only.
Status Binder::bind_one(LaunchContext& context, ArrayArgument& argument, Object& array) {
  const ArrayPayload& payload = array.payload<ArrayPayload>();
  if (const Status status = admit(payload, *core_.program); status != Status::ok) return status;
  const std::uint32_t word_count = payload.ndarray->word_count();
  HARNESS_CHECK(word_count > 0, "an array has elements");
  argument = {true, payload.ndarray};
  policy_.bound(context, argument);
  core_.facts.tell(&Observer::bound, context.thing, place_of(context, argument), payload.thing);
  return Status::ok;
}

Status Binder::bind_array(const Ref& wrapper, const Ref& array, bool with_gradient) {
  return c_call(with_gradient ? kSetNdarrayWithGrad : kSetNdarray, [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    unbind(context, context.array);
    unbind(context, context.gradient);
    Status status = bind_one(context, context.array, *array);
    const Ref gradient = with_gradient ? array->get("grad") : Ref();
    if (status == Status::ok && gradient) status = bind_one(context, context.gradient, *gradient);
    if (status == Status::ok) use_buffer(core_, context.device_arguments);
    return status;
  });
}

// set_arg_ext_array of kernel_impl.py. Contexts made by hand use it, too.
Status Binder::bind_external(const Ref& wrapper, const Ref& external) {
  const bool in_place = external->payload<ExternalPayload>().external.storage == Storage::host ||
                        takes_device_memory(core_.setup.backend);
  if (in_place) return bind_storage(wrapper, external, {});
  HostCopy host_copy{external, Ref()};
  const Status status = externals_.copy_to_host(external, host_copy.copy);
  return status == Status::ok ? bind_storage(wrapper, external, std::move(host_copy)) : status;
}

Status Binder::bind_storage(const Ref& wrapper, const Ref& external, HostCopy host_copy) {
  return c_call("set_arg_external", [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    unbind_external(context);
    const Ref& bound = host_copy.copy ? host_copy.copy : external;
    const External& storage = bound->payload<ExternalPayload>().external;
    context.external = {true, storage.storage, storage.host.borrow(), storage.device};
    context.host_copy = std::move(host_copy);
    policy_.bound(context, context.external, external);
    const bool is_copy = static_cast<bool>(context.host_copy.copy);
    const ThingId thing = thing_of(*external);
    if (is_copy) core_.facts.tell(&Observer::referred, thing);
    core_.facts.tell(&Observer::bound, context.thing,
                     is_copy ? Place::external_copy : Place::external, thing);
    use_buffer(core_, context.device_arguments);
    return Status::ok;
  });
}

Status Binder::bind_scalar(const Ref& wrapper, std::int32_t value) {
  return c_call("set_arg_int", [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    context.scalar = value;
    context.has_scalar = true;
    core_.facts.tell(&Observer::scalar_set, context.thing, value);
    use_buffer(core_, context.device_arguments);
    return Status::ok;
  });
}

void Binder::unbind(LaunchContext& context, ArrayArgument& argument) {
  if (!argument.bound) return;
  policy_.unbound(context, argument);
  core_.facts.tell(&Observer::bound, context.thing, place_of(context, argument), ThingId::none);
  argument = {};
}

// Drops a copy's array last: it may die here, after another argument is in its place.
void Binder::unbind_external(LaunchContext& context) {
  if (context.external.bound) policy_.unbound(context, context.external);
  context.external = {};
  if (const HostCopy old = std::exchange(context.host_copy, {}); old.original)
    tell_dropped(thing_of(*old.original));
}

void Binder::unbind_packs(LaunchContext& context) {
  for (std::uint32_t level = 0; level < context.depth; ++level) {
    if (context.packs[level].bound) policy_.unbound(context, context.packs[level]);
    core_.facts.tell(&Observer::bound, context.thing, static_cast<Place>(level), ThingId::none);
    context.packs[level] = {};
  }
  context.depth = 0;
}

void Binder::deallocate(ContextPayload& payload) {
  const CCall call(core_);
  LaunchContext& context = payload.context;
  unbind_packs(context);
  unbind(context, context.array);
  unbind(context, context.gradient);
  unbind_external(context);
  if (context.thing != ThingId::none) core_.facts.tell(&Observer::ended, context.thing);
}

}  // namespace targets::argpack
