// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/programs.h"

namespace targets::argpack {

Status ScriptPrograms::start_program() {
  core_.objects.pass();
  return core_.interpreter.c_call("init", [&] {
    const CCall call(core_);
    if (core_.program != nullptr) return Status::ok;
    const Status status = core_.driver.open();
    if (status != Status::ok) return status;
    auto* program = core_.scheduler.arena().make<Program>(core_, ++generation_);
    core_.program = program;
    core_.facts.tell(&Observer::program_began, generation_);
    return Status::ok;
  });
}

Status ScriptPrograms::init() {
  const Op op(core_);
  return start_program();
}

Status ScriptPrograms::reset() {
  const Op op(core_);
  return reset_now();
}

// PyTaichi.clear(), then init(): in between there is no program. The old one is destroyed unless a
// frame still refers to it.
Status ScriptPrograms::reset_now() {
  const Status status = c_call(kAtReset, [&](Program& program) {
    program.finalize();
    policy_.reset();
    core_.program = nullptr;
    if (program.unrefer()) program.destroy();
    core_.facts.tell(&Observer::program_ended);
    return Status::ok;
  });
  return status == Status::ok ? start_program() : status;
}

Status ScriptPrograms::synchronize() {
  const Op op(core_);
  return c_call("synchronize", [&](Program& program) {
    const Status status = program.synchronize();
    // torch.cuda.synchronize(), because ti.sync() does not wait for the user's stream.
    if (globals_.all_dropped() && externals_.uses_user_stream())
      cuStreamSynchronize(core_.driver.user_stream());
    return status;
  });
}

Status ScriptPrograms::flush() {
  const Op op(core_);
  return c_call("flush", [](Program& program) { return program.flush(); });
}

}  // namespace targets::argpack
