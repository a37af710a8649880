// How a call goes: the arguments are set one by one, children before their parents; then the kernel
// is compiled; then it is launched. Python runs between any two of these, C++ only within one.
#include <cstring>

#include "targets/argpack/launcher.h"
#include "targets/argpack/script.h"

namespace targets::argpack {

using harness::Object;
using harness::Ref;

// ---- kernel(...) --------------------------------------------------------------------------------

Status Script::call(const Arguments& arguments) {
  const Op op(core_);
  std::array<Ref, 3> values;
  Status status = load(arguments.pack, kPackType, values[0]);
  if (status == Status::ok && arguments.array != kNothing)
    status = load(arguments.array, kArrayType, values[1]);
  if (status == Status::ok && arguments.external != kNothing)
    status = load(arguments.external, kExternalType, values[2]);
  if (status != Status::ok) return status;

  // The tuple of arguments is a local of three frames: what is in it stays for as long as the call.
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

/// The frame's own reference to its context.
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

// Kernel.launch_kernel. Locals go in the reverse order when it returns or raises.
Status Script::launch_kernel(Object& arguments, const Arguments& from) {
  core_.facts.tell(&Observer::setting_began);
  step("BUILD_LIST");
  const Ref tmps = core_.runtime.heap.make(kListType);
  const Ref set_later = core_.runtime.heap.make(kListType);
  Ref context;
  Status status = make_launch_context(context);
  if (status != Status::ok) return status;
  const Frame frame(core_.facts, context_of(context).thing);
  status = set_args(context, arguments, *tmps, *set_later);
  if (status == Status::ok && from.too_many) status = Status::argument_limit;
  if (status == Status::ok) status = compile_now(context);
  if (status != Status::ok) return status;
  const Ref& global = variables_[from.pack];
  if (!global || !(global == arguments.get(0u)))
    core_.facts.tell(&Observer::argument_renamed, from.pack);
  status = launch_now(context, from.returns);
  if (status == Status::ok && from.returns) status = wait_for_result(context);
  return status;
}

Status Script::set_args(const Ref& context, Object& arguments, Object& tmps, Object& set_later) {
  const Ref pack = arguments.get(0u);
  if (const Status status = set_packs(context, pack, 0, &tmps); status != Status::ok) return status;
  if (const Ref member = pack->get("x"); member) set_later.set(0u, member);
  Ref array = arguments.get(1u);
  if (!array) array = set_later.get(0u);
  if (array)
    if (const Status status = bind_array(context, array, true); status != Status::ok) return status;
  const Ref external = arguments.get(2u);
  return external ? bind_external(context, external) : Status::ok;
}

// recursive_set_args.
Status Script::set_packs(const Ref& context, const Ref& pack, std::uint32_t level, Object* tmps) {
  step("recursive_set_args");
  if (const Ref nested = pack->get("c"); nested)
    if (const Status status = set_packs(context, nested, level + 1, tmps); status != Status::ok)
      return status;
  const Status status = bind(context, pack, level);
  if (tmps != nullptr && policy_.pins(level)) tmps->set(level, pack);
  return status;
}

// ---- launching ----------------------------------------------------------------------------------

Status Script::compile_now(const Ref& wrapper) {
  return c_call(kCompile, [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    core_.facts.tell(&Observer::compiling, context.thing, program.generation());
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    const Status status = program.compile_kernel(context.kernel, context.compiled);
    if (status == Status::ok) core_.facts.tell(&Observer::compiled, context.thing);
    return status;
  });
}

Status Script::launch_now(const Ref& wrapper, bool returns) {
  return c_call(kLaunch, [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    core_.facts.tell(&Observer::launching, context.thing, program.generation());
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    if (!context.complete()) return Status::unbound;
    const CompiledKernel compiled = *context.compiled;
    const bool spent = context.launched;
    Status status = policy_.before_launch(program, context);
    if (status != Status::ok) return status;
    status = core_.setup.backend == Backend::gfx
                 ? launch_gfx(core_, program, compiled, context, returns)
                 : launch_llvm(core_, program, compiled, context, returns);
    if (!context.launched) return status;
    if (spent) {
      if (status == Status::ok) core_.facts.tell(&Observer::submitted, context.thing);
      return status;
    }
    core_.facts.tell(&Observer::submitted, context.thing);
    policy_.launched(context);  // Whatever failed after it was submitted: the device uses it.
    return status;
  });
}

Status Script::wait_for_result(const Ref& wrapper) {
  const Status status =
      c_call("synchronize", [](Program& program) { return program.synchronize(); });
  if (status != Status::ok) return status;
  const LaunchContext& context = context_of(wrapper);
  std::array<std::int32_t, sizeof(ResultBlock) / sizeof(std::int32_t)> words;
  std::memcpy(words.data(), &context.results, sizeof words);
  core_.facts.tell(&Observer::read, context.thing, words);
  return Status::ok;
}

// ---- contexts made by hand ----------------------------------------------------------------------

Status Script::make_context(Variable into) {
  const Op op(core_);
  Ref context;
  const Status status = make_launch_context(context);
  if (status == Status::ok) store(into, std::move(context));
  return status;
}

Status Script::set_arg_argpack(Variable variable, Variable pack_variable) {
  const Op op(core_);
  Ref context;
  Ref pack;
  if (const Status status = load(variable, kContextType, context); status != Status::ok)
    return status;
  if (const Status status = load(pack_variable, kPackType, pack); status != Status::ok)
    return status;
  c_call("clear_args", [&](Program&) {
    unbind_packs(context_of(context));
    return Status::ok;
  });
  core_.facts.tell(&Observer::setting_began);
  const Status status = set_packs(context, pack, 0, nullptr);
  core_.facts.tell(&Observer::setting_ended);
  return status;
}

Status Script::set_array(Variable variable, Variable array_variable, bool with_gradient) {
  const Op op(core_);
  Ref context;
  Ref array;
  if (const Status status = load(variable, kContextType, context); status != Status::ok)
    return status;
  if (const Status status = load(array_variable, kArrayType, array); status != Status::ok)
    return status;
  return bind_array(context, array, with_gradient);
}

Status Script::set_arg_ndarray(Variable context, Variable array) {
  return set_array(context, array, false);
}
Status Script::set_arg_ndarray_with_grad(Variable context, Variable array) {
  return set_array(context, array, true);
}

Status Script::set_arg_external(Variable variable, Variable external_variable) {
  const Op op(core_);
  Ref context;
  Ref external;
  if (const Status status = load(variable, kContextType, context); status != Status::ok)
    return status;
  if (const Status status = load(external_variable, kExternalType, external); status != Status::ok)
    return status;
  return bind_external(context, external);
}

Status Script::set_arg_scalar(Variable variable, std::int32_t value) {
  const Op op(core_);
  Ref context;
  if (const Status status = load(variable, kContextType, context); status != Status::ok)
    return status;
  return c_call("set_arg_int", [&](Program& program) {
    LaunchContext& bound = context_of(context);
    if (const Status status = policy_.admit(bound, program); status != Status::ok) return status;
    bound.scalar = value;
    bound.has_scalar = true;
    core_.facts.tell(&Observer::scalar_set, bound.thing, value);
    return Status::ok;
  });
}

Status Script::compile(Variable variable) {
  const Op op(core_);
  Ref context;
  const Status status = load(variable, kContextType, context);
  return status == Status::ok ? compile_now(context) : status;
}

Status Script::launch(Variable variable, bool returns) {
  const Op op(core_);
  Ref context;
  Status status = load(variable, kContextType, context);
  if (status == Status::ok) status = launch_now(context, returns);
  if (status == Status::ok && returns) status = wait_for_result(context);
  return status;
}

}  // namespace targets::argpack
