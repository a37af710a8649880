// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/launches.h"

#include <cstring>

#include "targets/argpack/launcher.h"

namespace targets::argpack {

using harness::Ref;

Status Launches::compile(const Ref& wrapper, ProgramLocal* prog) {
  return c_call(kCompile, prog, [&](Program& program) {
    LaunchContext& context = context_of(wrapper);
    core_.facts.tell(&Observer::compiling, context.thing, program.generation());
    if (const Status status = policy_.admit(context, program); status != Status::ok) return status;
    const Status status = program.compile_kernel(context.kernel, context.compiled);
    if (status == Status::ok) core_.facts.tell(&Observer::compiled, context.thing);
    return status;
  });
}

Status Launches::launch_now(const Ref& wrapper, bool returns, ProgramLocal* prog) {
  return c_call(kLaunch, prog, [&](Program& program) {
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
    policy_.launched(context);  // The device uses it, even if something failed after the submit.
    return status;
  });
}

// Waits for the current program, whichever program has launched.
Status Launches::wait_for_result(const Ref& wrapper) {
  const Status status =
      c_call("synchronize", [](Program& program) { return program.synchronize(); });
  if (status != Status::ok) return status;
  const LaunchContext& context = context_of(wrapper);
  std::array<std::int32_t, sizeof(ResultBlock) / sizeof(std::int32_t)> words;
  std::memcpy(words.data(), &context.results, sizeof words);
  core_.facts.tell(&Observer::read, context.thing, words);
  return Status::ok;
}

Status Launches::call_back(const Ref& wrapper) {
  const HostCopy host_copy = context_of(wrapper).host_copy;
  if (!host_copy.copy) return Status::ok;
  const Status status = externals_.copy_from_host(host_copy.original, host_copy.copy);
  if (status == Status::ok) core_.facts.tell(&Observer::copied_back, context_of(wrapper).thing);
  return status;
}

Status Launches::launch(const Ref& wrapper, bool returns, ProgramLocal* prog) {
  Status status = launch_now(wrapper, returns, prog);
  if (status == Status::ok && returns) status = wait_for_result(wrapper);
  return status == Status::ok ? call_back(wrapper) : status;
}

}  // namespace targets::argpack
