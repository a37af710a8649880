// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/program/workload.h"

namespace targets::managed_dict {

using harness::SiteScope;

namespace {
constexpr std::uint32_t kWrapperBytes = 24;
constexpr std::uint32_t kDepthLimit = 3;
constexpr std::int32_t kShift = 3;
}  // namespace

Address Workload::make(Class of) {
  core_.jit.enter(Function::init);
  const Address object = core_.attributes.make(core_.types.named(of));
  if (object == 0) return 0;
  core_.code_observer().instance_made(core_.allocator.recycled_instances());
  if (initialise(object, of) == Status::ok) return object;
  core_.objects.decref(object);
  return 0;
}

// Implements __init__.
Status Workload::initialise(Address object, Class of) {
  const SiteScope site(core_.scheduler(), "__init__");
  Status status = Status::ok;
  const auto keep = [&](Attribute attribute, Address value) {
    if (status == Status::ok) {
      status = code_.store(Function::init, object, attribute, value);
    } else {
      core_.objects.xdecref(value);
    }
  };
  if (of == Class::autocast) {
    keep(kEnabled, code_.new_reference(core_.types.boolean(true)));
    keep(kDtype, code_.new_reference(code_.dtype()));
    keep(kScale, code_.make_value(ValueKind::number, object));
  } else if (of == Class::profile_scope) {
    keep(kName, code_.new_reference(code_.dtype()));
  }
  return status;
}

// Implements __enter__, in the wrapper that the report put around it.
Status Workload::enter(Address object, Class of) {
  const SiteScope site(core_.scheduler(), "__enter__");
  core_.jit.enter(Function::enter);
  std::uint32_t held = 0;
  for (std::uint32_t i = 0; i < core_.setup.wrapper_blocks; ++i)
    held += noise_.hold(kWrapperBytes) == Status::ok;
  Status status = Status::ok;
  switch (of) {
    case Class::no_grad:
      status =
          code_.store(Function::enter, object, kPrev,
                      code_.new_reference(code_.load_type_attr(Function::enter, Class::no_grad)));
      if (status != Status::ok) break;
      core_.jit.store_type_attr(core_.types.named(Class::no_grad), core_.types.boolean(false));
      break;
    case Class::autocast:
      status =
          code_.store(Function::enter, object, kAutocastPrev,
                      code_.new_reference(code_.load_type_attr(Function::enter, Class::autocast)));
      break;
    case Class::profile_scope:
      status =
          code_.store(Function::enter, object, kStart, code_.make_value(ValueKind::number, object));
      break;
  }
  for (; held > 0; --held) noise_.drop();
  return status;
}

// Implements __exit__.
Status Workload::exit(Address object, Class of) {
  const SiteScope site(core_.scheduler(), "__exit__");
  core_.jit.enter(Function::exit);
  const Attribute attribute = of == Class::no_grad    ? kPrev
                              : of == Class::autocast ? kAutocastPrev
                                                      : kStart;
  const Address value = code_.load(Function::exit, object, attribute);
  if (value == 0) return Status::attribute_error;
  if (of == Class::no_grad) {
    core_.objects.incref(value);
    core_.jit.store_type_attr(core_.types.named(Class::no_grad), value);
    core_.objects.decref(value);
  }
  return Status::ok;
}

Status Workload::with_block(std::uint32_t depth, Body body) {
  constexpr std::array<Class, kDepthLimit> kNest{Class::no_grad, Class::autocast,
                                                 Class::profile_scope};
  std::array<Address, kDepthLimit> managers{};
  std::uint32_t count = 0;
  std::uint32_t entered = 0;  // A manager that could not enter does not exit.
  Status status = Status::ok;
  while (count < depth && status == Status::ok) {
    code_.eval_breaker();
    managers[count] = make(kNest[count]);
    if (managers[count] == 0) {
      status = Status::memory_error;
      break;
    }
    code_.eval_breaker();
    status = enter(managers[count], kNest[count]);
    ++count;
    entered += status == Status::ok;
  }
  if (status == Status::ok && body == Body::launch) {
    code_.eval_breaker();
    const std::uint32_t index = depth > 1 ? 1 : 0;
    status = launch(Function::script, managers[index], kNest[index]);
  }
  while (count-- > 0) {
    if (count < entered) {
      code_.eval_breaker();
      const Status left = exit(managers[count], kNest[count]);
      if (status == Status::ok) status = left;
    }
    core_.objects.decref(managers[count]);
  }
  return status;
}

// ---- launches -----------------------------------------------------------------------------------

bool Workload::argument(Function in, Address object, Attribute attribute, std::int32_t& passed) {
  const Address value = code_.load(in, object, attribute);
  if (value == 0) return false;
  const std::optional<std::int64_t> number = core_.objects.number(value);
  if (number) passed = static_cast<std::int32_t>(*number);
  return number.has_value();
}

Status Workload::launch(Function in, Address object, Class of) {
  const SiteScope site(core_.scheduler(), "autocast_step");
  AutocastArguments passed{1, kShift, 1};
  bool complete = argument(in, object, kEnabled, passed.enabled);
  if (of == Class::autocast)
    complete = complete && argument(in, object, kDtype, passed.dtype) &&
               argument(in, object, kScale, passed.scale);
  if (!complete) return Status::type_error;
  passed.dtype &= 31;
  core_.code_observer().launching(object, of);
  std::array<std::int32_t, Launcher::kThreads> out{};
  if (!launcher_.launch(passed, out)) return Status::driver_error;
  ++core_.memory.counters().launches;
  core_.code_observer().launched(out);
  return Status::ok;
}

}  // namespace targets::managed_dict
