// SPDX-License-Identifier: Apache-2.0
// Streams: creation and destruction, waits, and queries of their properties.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

/// Replaces a stream. Blocks with their home there are handed on first; queued work is still done.
static void replace(Program& p) {
  const std::size_t old = p.own_home();
  p.memory.free_what_is_left();
  for (Memory& memory : p.memory.shared())
    if (memory.home == old) p.memory.use(kDefault, memory);
  for (Event& event : p.events.shared())
    if (event.home == old) event.home = kDefault;
  cuStreamDestroy_v2(p.handle(old));
  p.move(p.streams[old].state, Via::destroyed);
  if (!p.keep(Rule::streams_are_alive)) p.set(old, p.memory.shared()[0].address);
  if (!p.keep(Rule::streams_are_destroyed_once)) cuStreamDestroy_v2(p.handle(old));
  p.make_stream(old);
}

static void create_and_destroy(Program& p) {
  Stream stream;
  cuStreamCreate(&stream.handle, CU_STREAM_NON_BLOCKING);
  p.move(stream.state, Via::created);
  cuStreamDestroy_v2(stream.handle);
  p.move(stream.state, Via::destroyed);
}

static void synchronize(Program& p) {
  if (p.coin()) return p.wait(p.any_home());
  p.wait_for_all();
}

static void query(Program& p) {
  const std::size_t home = p.any_home();
  if (cuStreamQuery(p.handle(home)) == CUDA_SUCCESS)
    p.stream_is_done(home, Via::found_done);
  else
    p.move(p.streams[home].state, Via::found_busy);
}

static void ask(Program& p) {
  const CUstream stream = p.handle(p.any_home());
  int least = 0;
  int greatest = 0;
  cuCtxGetStreamPriorityRange(&least, &greatest);
  int priority = 0;
  cuStreamGetPriority(stream, p.keep(Rule::results_have_a_place) ? &priority : nullptr);
  unsigned flags = 0;
  cuStreamGetFlags(stream, &flags);
  unsigned long long id = 0;
  cuStreamGetId(stream, &id);
  CUdevice device = 1;
  cuStreamGetDevice(stream, &device);
  CUcontext context = nullptr;
  cuStreamGetCtx(stream, &context);
  p.check(context == p.context, "the stream's context");
  CUgreenCtx green = nullptr;
  cuStreamGetCtx_v2(stream, &context, &green);
}

static void create_with_flags(Program& p) {
  CUstream stream = nullptr;
  cuStreamCreate(&stream, p.keep(Rule::stream_flags_are_known) ? CU_STREAM_NON_BLOCKING : 99);
  cuStreamDestroy_v2(stream);
}

Steps stream_steps() {
  static constexpr Program::Step kSteps[] = {replace, create_and_destroy, synchronize, query,
                                             ask,     create_with_flags};
  return kSteps;
}

}  // namespace harness::testing::sound
