// SPDX-License-Identifier: Apache-2.0
// Host functions and stream callbacks, which may not call CUDA.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

static void call_cuda(void*) { ::cuCtxSynchronize(); }

static void host_function(Program& p) {
  const std::size_t home = p.any_home();
  const bool silent = p.keep(Rule::host_functions_call_no_cuda);
  cuLaunchHostFunc(p.handle(home), silent ? count_call : call_cuda, p.counters.data());
  p.work(home);
}

static void function_is_there(Program& p) {
  const std::size_t home = p.any_home();
  cuLaunchHostFunc(p.handle(home), p.keep(Rule::host_functions_are_there) ? do_nothing : nullptr,
                   nullptr);
  p.work(home);
}

static void callback(Program& p) {
  const std::size_t home = p.any_home();
  const bool silent = p.keep(Rule::callbacks_call_no_cuda);
  const CUstreamCallback quiet = [](CUstream, CUresult, void*) {};
  const CUstreamCallback loud = [](CUstream, CUresult, void*) { call_cuda(nullptr); };
  cuStreamAddCallback(p.handle(home), silent ? quiet : loud, nullptr, 0);
  p.work(home);
}

static void callback_flags(Program& p) {
  const std::size_t home = p.any_home();
  const unsigned flags = p.keep(Rule::callback_flags_are_zero) ? 0 : 1;
  cuStreamAddCallback(p.handle(home), [](CUstream, CUresult, void*) {}, nullptr, flags);
  p.work(home);
}

/// A host function comes after the work before it, and before the work after it.
static void memory_seen_by_a_host_function(Program& p) {
  Memory memory = p.memory.make(Kind::pinned, 0);
  p.set(0, p.memory.use(0, memory), 7);
  struct Seen {
    static void check(void* data) { EXPECT_EQ(*static_cast<int*>(data), 7); }
  };
  cuLaunchHostFunc(p.handle(0), Seen::check, reinterpret_cast<void*>(memory.address));
  p.work(0);
  p.memory.leave(memory);
}

Steps host_function_steps() {
  static constexpr Program::Step kSteps[] = {host_function, function_is_there, callback,
                                             callback_flags, memory_seen_by_a_host_function};
  return kSteps;
}

}  // namespace harness::testing::sound
