// SPDX-License-Identifier: Apache-2.0
// Contexts: the primary one and others, and which one is current.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

namespace {

struct Context {
  CUcontext handle = nullptr;
  State state = State::context_none;
};

/// Is current from then on.
Context make_context(Program& p) {
  Context made;
  cuCtxCreate_v4(&made.handle, nullptr, p.keep(Rule::context_flags_are_known) ? 0 : 0x4000, 0);
  p.move(made.state, Via::created);
  return made;
}

/// Restores the context that was current before.
void destroy(Program& p, Context& context) {
  cuCtxDestroy_v2(context.handle);
  p.move(context.state, Via::destroyed);
}

}  // namespace

/// A context's objects end with it.
static void another_context(Program& p) {
  Context mine = make_context(p);
  CUdeviceptr address = 0;
  cuMemAlloc_v2(&address, kBytes);
  CUstream stream = nullptr;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuMemsetD32Async(address, 1, 4, stream);
  CUevent event = nullptr;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cuEventRecord(event, p.keep(Rule::events_are_of_the_streams_context) ? stream : p.handle(0));
  if (p.coin()) {
    cuCtxSynchronize();
    p.move(mine.state, Via::waited_for);
  }
  destroy(p, mine);
  if (!p.keep(Rule::contexts_own_what_is_in_them)) cuMemsetD32Async(address, 1, 4, p.handle(0));
  if (!p.keep(Rule::contexts_are_alive)) cuCtxPushCurrent_v2(mine.handle);
  if (!p.keep(Rule::contexts_are_destroyed_once)) cuCtxDestroy_v2(mine.handle);
}

static void stack(Program& p) {
  Context mine = make_context(p);
  CUcontext popped = nullptr;
  cuCtxPopCurrent_v2(&popped);
  p.move(mine.state, Via::popped);
  p.check(popped == mine.handle, "what was pushed last");
  if (p.coin()) {
    cuCtxPushCurrent_v2(mine.handle);
    p.move(mine.state, Via::pushed);
    cuCtxPopCurrent_v2(nullptr);
    p.move(mine.state, Via::popped);
  } else {
    cuCtxSetCurrent(mine.handle);
    p.move(mine.state, Via::pushed);
    cuCtxSetCurrent(p.context);
    p.move(mine.state, Via::popped);
  }
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  p.check(current == p.context, "what is current then");
  cuCtxSynchronize_v2(mine.handle);
  p.move(mine.state, Via::waited_for);
  CUdevice device = 1;
  cuCtxGetDevice_v2(&device, mine.handle);
  destroy(p, mine);
}

static void current(Program& p) {
  if (!p.keep(Rule::a_context_is_current)) cuCtxSetCurrent(nullptr);
  CUdevice device = 1;
  cuCtxGetDevice(&device);
  const bool known = p.keep(Rule::limits_are_known);
  cuCtxSetLimit(known ? CU_LIMIT_STACK_SIZE : static_cast<CUlimit>(99), 1024);
  if (!p.keep(Rule::only_what_was_pushed_is_popped)) {
    cuCtxPopCurrent_v2(nullptr);
    cuCtxPopCurrent_v2(nullptr);
  }
}

/// By the forms of older drivers, whose users attach and detach.
static void older(Program& p) {
  Context mine;
  if (p.coin())
    cuCtxCreate_v2(&mine.handle, 0, 0);
  else
    cuCtxCreate_v3(&mine.handle, nullptr, 0, CU_CTX_SCHED_AUTO, 0);
  p.move(mine.state, Via::created);
  CUcontext attached = nullptr;
  cuCtxAttach(&attached, 0);
  p.check(attached == mine.handle, "the current context");
  cuCtxDetach(attached);
  cuCtxDetach(mine.handle);
  p.move(mine.state, Via::destroyed);
}

static void settings(Program& p) {
  unsigned flags = 0;
  unsigned version = 0;
  unsigned long long id = 0;
  std::size_t bytes = 0;
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_L1;
  cuProfilerStart();
  cuCtxGetFlags(&flags);
  cuCtxSetFlags(flags);
  cuCtxGetApiVersion(p.coin() ? p.context : nullptr, &version);
  cuCtxGetId(nullptr, &id);
  cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE);
  cuCtxSetCacheConfig(config);
  cuCtxGetCacheConfig(&config);
  p.check(config == CU_FUNC_CACHE_PREFER_L1, "the preference");
  cuCtxResetPersistingL2Cache();
  int active = 0;
  cuDevicePrimaryCtxSetFlags_v2(0, flags);
  cuDevicePrimaryCtxGetState(0, &flags, &active);
  p.check(active == 1, "the primary context is there");
  cuProfilerStop();
}

static void primary(Program& p) {
  State state = State::primary_retained;
  CUcontext again = nullptr;
  cuDevicePrimaryCtxRetain(&again, p.keep(Rule::devices_are_there) ? 0 : 99);
  p.move(state, Via::retained);
  p.check(again == p.context, "one primary context");
  cuDevicePrimaryCtxRelease_v2(0);
  p.move(state, Via::released);
  if (!p.keep(Rule::the_primary_context_is_not_destroyed)) cuCtxDestroy_v2(p.context);
}

/// In a process that retained it less often than it is released.
static void primary_of_another_process(Program& p) {
  const ProcessScope scope(World::current()->scheduler, ProcessId{3});
  State state = State::primary_unretained;
  CUcontext context = nullptr;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  p.move(state, Via::retained);
  if (p.coin()) {
    cuDevicePrimaryCtxReset_v2(0);
    p.move(state, Via::destroyed);
  }
  cuDevicePrimaryCtxRelease_v2(0);
  p.move(state, Via::released_last);
  if (!p.keep(Rule::the_primary_context_is_released_as_often)) cuDevicePrimaryCtxRelease_v2(0);
}

Steps context_steps() {
  static constexpr Program::Step kSteps[] = {
      another_context, stack, current, older, settings, primary, primary_of_another_process,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
