// SPDX-License-Identifier: Apache-2.0
// Steps: the steps of every script method, named after bytecodes and C calls. Other tasks may run
// between any two of them.
#pragma once

#include "targets/argpack/policy.h"
#include "targets/argpack/program_local.h"
#include "targets/argpack/wrappers.h"

namespace targets::argpack {

/// Ownership: borrows the core.
class Steps {
 protected:
  using Ref = harness::Ref;

  /// Scope of a method: runs on a Python thread, with CUDA's context current.
  class Op {
   public:
    explicit Op(Core& core) : attach_(core.interpreter), objects_(core.objects) {
      objects_.pass();
      core.driver.make_current();
      objects_.pass();
    }
    ~Op() { objects_.pass(); }
    Op(const Op&) = delete;
    Op& operator=(const Op&) = delete;

   private:
    harness::AttachScope attach_;
    ObjectLocks& objects_;
  };

  explicit Steps(Core& core) : core_(core) {}

  void step(harness::Label bytecode) {
    core_.objects.pass();
    core_.interpreter.step(bytecode);
    core_.objects.pass();
  }
  /// Makes a C call. `function` gets the current program, which stays alive during the call.
  template <class Function>
  Status c_call(harness::Label name, Function function) {
    return c_call(name, nullptr, function);
  }
  /// The same, for the program in a frame's local. The first such call loads the local; if `prog`
  /// is null, the current program is used.
  template <class Function>
  Status c_call(harness::Label name, ProgramLocal* prog, Function function) {
    core_.objects.pass();
    return core_.interpreter.c_call(name, [&] {
      const CCall call(core_);
      Program* const program = prog != nullptr ? prog->load() : core_.program;
      return program != nullptr ? function(*program) : Status::no_program;
    });
  }
  /// Returns the generation of the current program, or 0 if there is none.
  std::uint32_t generation_now() {
    const std::uint32_t generation = core_.program != nullptr ? core_.program->generation() : 0;
    core_.objects.pass();
    return generation;
  }
  /// Asks the policy whether the wrapped object may be used, if it belongs to an earlier program.
  /// Taichi does not check.
  template <class Payload>
  Status admit(const Payload& payload, const Program& program) {
    if (payload.generation == program.generation()) return Status::ok;
    core_.facts.tell(&Observer::using_stale_wrapper);
    return core_.policy->admit_stale();
  }
  /// Reports that a reference to the thing was dropped. Does nothing if there is no thing.
  void tell_dropped(ThingId thing) {
    if (thing != ThingId::none) core_.facts.tell(&Observer::dropped, thing);
  }

  Core& core_;
};

}  // namespace targets::argpack
