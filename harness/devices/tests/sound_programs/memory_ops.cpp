// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream waits for a value that another one writes.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

/// Eight bytes of zeros that no stream is at work on.
static Memory make_flag(Program& p) {
  Memory flag = p.memory.make(Kind::plain, 0, 8);
  cuMemsetD32Async(flag.address, 0, 2, p.handle(0));
  p.work(0);
  p.wait(0);
  return flag;
}

static void wait_and_write_32(Program& p) {
  Memory flag = make_flag(p);
  cuStreamWaitValue32_v2(p.handle(0), flag.address, 1, CU_STREAM_WAIT_VALUE_GEQ);
  p.work(0);
  if (p.keep(Rule::somebody_writes_what_is_waited_for))
    cuStreamWriteValue32_v2(p.handle(1), flag.address, 1, 0);
  p.work(1);
  p.memory.leave(flag);
}

static void wait_and_write_64(Program& p) {
  Memory flag = make_flag(p);
  const bool aligned = p.keep(Rule::values_are_aligned);
  cuStreamWaitValue64_v2(p.handle(0), flag.address + (aligned ? 0 : 4), 1, CU_STREAM_WAIT_VALUE_EQ);
  p.work(0);
  cuStreamWriteValue64_v2(p.handle(1), flag.address, 1, 0);
  p.work(1);
  p.memory.leave(flag);
}

static CUstreamBatchMemOpParams write_op(CUdeviceptr address, cuuint32_t value) {
  CUstreamBatchMemOpParams op{};
  op.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op.writeValue.address = address;
  op.writeValue.value = value;
  return op;
}

static CUstreamBatchMemOpParams wait_op(CUdeviceptr address, cuuint32_t value) {
  CUstreamBatchMemOpParams op{};
  op.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  op.waitValue.address = address;
  op.waitValue.value = value;
  op.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  return op;
}

static void batch(Program& p) {
  Memory flag = make_flag(p);
  std::array<CUstreamBatchMemOpParams, 256> ops;
  ops.fill(write_op(flag.address, 1));
  ops[1] = wait_op(flag.address, 1);
  const unsigned count = p.keep(Rule::batches_are_short) ? 2 + p.below(3) : 256;
  const std::size_t home = p.any_home();
  p.hand_over(0, home);
  cuStreamBatchMemOp_v2(p.handle(home), count, ops.data(), 0);
  p.work(home);
  p.memory.leave(flag);
}

static void write_flags(Program& p) {
  Memory flag = make_flag(p);
  const unsigned flags = p.keep(Rule::write_flags_are_known) ? CU_STREAM_WRITE_VALUE_DEFAULT : 0x10;
  cuStreamWriteValue32_v2(p.handle(0), flag.address, 1, flags);
  p.work(0);
  p.memory.leave(flag);
}

/// The memory of a flag lives until the wait for it is over.
static void flag_outlives_the_wait(Program& p) {
  Memory flag = p.memory.make(Kind::pooled, 0, 8);
  cuMemsetD32Async(flag.address, 0, 2, p.handle(0));
  p.work(0);
  p.wait(0);
  cuStreamWaitValue32_v2(p.handle(0), flag.address, 1, CU_STREAM_WAIT_VALUE_EQ);
  p.work(0);
  if (p.keep(Rule::flags_outlive_the_wait)) {
    cuStreamWriteValue32_v2(p.handle(1), flag.address, 1, 0);
    p.work(1);
    p.wait(1);
    p.wait(0);
  }
  cuMemFreeAsync(flag.address, p.handle(1));
  p.work(1);
  p.move(flag.state, Via::freed_in_another_stream);
}

Steps memory_op_steps() {
  static constexpr Program::Step kSteps[] = {wait_and_write_32, wait_and_write_64, batch,
                                             write_flags, flag_outlives_the_wait};
  return kSteps;
}

}  // namespace harness::testing::sound
