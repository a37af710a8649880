// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: stream memory operations and stream callbacks.
#include <array>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaMemoryOps : public OnEveryDevice {};

CUstreamBatchMemOpParams wait_op(CUdeviceptr address, cuuint32_t value, unsigned flags) {
  CUstreamBatchMemOpParams op{};
  op.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  op.waitValue.address = address;
  op.waitValue.value = value;
  op.waitValue.flags = flags;
  return op;
}

CUstreamBatchMemOpParams write_op(CUdeviceptr address, cuuint32_t value) {
  CUstreamBatchMemOpParams op{};
  op.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op.writeValue.address = address;
  op.writeValue.value = value;
  return op;
}

TEST_P(CudaMemoryOps, AValueIsWrittenInStreamOrder) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    CUDA_OK(cuMemsetD8Async(address, 0xff, 64, stream));
    CUDA_OK(cuStreamWriteValue32_v2(stream, address, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    CUDA_OK(cuStreamWriteValue64_v2(stream, address + 8, 0x100000002, 0));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 7);
    EXPECT_EQ(read_int(address + 4), -1);
    EXPECT_EQ(read_int(address + 8), 2);
    EXPECT_EQ(read_int(address + 12), 1);
  });
  expect_no_fault();
}

TEST_P(CudaMemoryOps, AStreamWaitsForAValueThatAnotherWrites) {
  run([] {
    CUdeviceptr flag = allocate(64);
    CUdeviceptr data = allocate(64);
    CUDA_OK(cuMemsetD8_v2(flag, 0, 64));
    CUDA_OK(cuMemsetD8_v2(data, 0, 64));
    CUDA_OK(cuCtxSynchronize());
    CUstream waiter = make_stream();
    CUstream writer = make_stream();
    CUDA_OK(cuStreamWaitValue32_v2(waiter, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    CUDA_OK(cuMemsetD32Async(data, 5, 1, waiter));
    EXPECT_EQ(cuStreamQuery(waiter), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuMemsetD32Async(data, 3, 1, writer));
    CUDA_OK(cuStreamWriteValue32_v2(writer, flag, 1, 0));
    CUDA_OK(cuStreamSynchronize(waiter));
    EXPECT_EQ(read_int(data), 5);
  });
  expect_no_fault();
}

TEST_P(CudaMemoryOps, EachWaitConditionIsHonored) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    const auto is_idle = [stream] {  // A wait that is over is not so at once.
      for (int i = 0; i < 1'000; ++i)
        if (cuStreamQuery(stream) == CUDA_SUCCESS) return true;
      return false;
    };
    const auto is_over = [&](int found, cuuint32_t wanted, unsigned condition) {
      EXPECT_EQ(cuStreamWriteValue32_v2(stream, address, static_cast<cuuint32_t>(found), 0),
                CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamWaitValue32_v2(stream, address, wanted, condition), CUDA_SUCCESS);
      const bool over = is_idle();
      // Ends every wait of the stream.
      for (const int value : {static_cast<int>(wanted), -1, 0}) {
        if (is_idle()) break;
        write_int(address, value);
      }
      return over;
    };
    EXPECT_TRUE(is_over(5, 5, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_TRUE(is_over(6, 5, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_FALSE(is_over(4, 5, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_TRUE(is_over(2, 0xfffffffe, CU_STREAM_WAIT_VALUE_GEQ));  // Cyclic.
    EXPECT_TRUE(is_over(5, 5, CU_STREAM_WAIT_VALUE_EQ));
    EXPECT_FALSE(is_over(6, 5, CU_STREAM_WAIT_VALUE_EQ));
    EXPECT_TRUE(is_over(6, 3, CU_STREAM_WAIT_VALUE_AND));
    EXPECT_FALSE(is_over(4, 3, CU_STREAM_WAIT_VALUE_AND));
    EXPECT_TRUE(is_over(4, 3, CU_STREAM_WAIT_VALUE_NOR));
    EXPECT_FALSE(is_over(-1, 0, CU_STREAM_WAIT_VALUE_NOR));
    EXPECT_FALSE(is_over(1, 0xfffffffe, CU_STREAM_WAIT_VALUE_NOR));
  });
}

TEST_P(CudaMemoryOps, A64BitWaitComparesAllBits) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    CUDA_OK(cuStreamWriteValue64_v2(stream, address, 0x100000000, 0));
    CUDA_OK(cuStreamWaitValue64_v2(stream, address, 0x100000000, CU_STREAM_WAIT_VALUE_EQ));
    CUDA_OK(cuStreamSynchronize(stream));
  });
  expect_no_fault();
}

TEST_P(CudaMemoryOps, ABatchRunsInOrder) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    CUstreamBatchMemOpParams barrier{};
    barrier.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    barrier.memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU;
    std::array<CUstreamBatchMemOpParams, 4> ops{write_op(address, 1), barrier,
                                                wait_op(address, 1, CU_STREAM_WAIT_VALUE_EQ),
                                                write_op(address, 2)};
    CUDA_OK(cuStreamBatchMemOp_v2(stream, 4, ops.data(), 0));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_no_fault();
}

TEST_P(CudaMemoryOps, UnknownOperationsAndFlagsAreInvalid) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    std::array<CUstreamBatchMemOpParams, 256> ops;
    ops.fill(write_op(address, 1));
    EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 256, ops.data(), 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 1, ops.data(), 1), CUDA_ERROR_INVALID_VALUE);
    ops[0].operation = static_cast<CUstreamBatchMemOpType>(99);
    EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 1, ops.data(), 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWaitValue32_v2(stream, address, 0, 0x10), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWriteValue32_v2(stream, address, 0, 0x10), CUDA_ERROR_INVALID_VALUE);
    int flush = 0;
    CUDA_OK(cuDeviceGetAttribute(&flush, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 0));
    if (flush == 0)
      EXPECT_EQ(cuStreamWaitValue32_v2(stream, address, 0, CU_STREAM_WAIT_VALUE_FLUSH),
                CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuStreamWriteValue32_v2(stream, address + 2, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWriteValue64_v2(stream, address + 4, 0, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaMemoryOps, ANullBatchIsInvalid) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([] {
    EXPECT_EQ(cuStreamBatchMemOp_v2(make_stream(), 1, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemoryOps, ManagedMemoryCannotBeWaitedFor) {
  run([] {
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, managed, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWriteValue32_v2(nullptr, managed, 0, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemoryOps, AWriteOfFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuStreamWriteValue32_v2(nullptr, address, 1, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMemoryOps, AStreamCallbackReceivesItsStreamAndSuccess) {
  run([] {
    struct Seen {
      CUstream stream = nullptr;
      CUresult status = CUDA_ERROR_UNKNOWN;
    } seen;
    CUstream stream = make_stream();
    const auto call = [](CUstream on, CUresult status, void* data) {
      *static_cast<Seen*>(data) = {on, status};
    };
    CUDA_OK(cuStreamAddCallback(stream, call, &seen, 0));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(seen.stream, stream);
    EXPECT_EQ(seen.status, CUDA_SUCCESS);
    EXPECT_EQ(cuStreamAddCallback(stream, call, &seen, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamAddCallback(stream, nullptr, &seen, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaMemoryOps, OnlyWholeManagedMemoryIsAttachedToAStream) {
  run([] {
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    CUstream stream = make_stream();
    EXPECT_EQ(cuStreamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_SINGLE), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamAttachMemAsync(stream, managed, 64, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamAttachMemAsync(stream, managed, 32, CU_MEM_ATTACH_GLOBAL),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamAttachMemAsync(stream, managed, 0, 0x20), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamAttachMemAsync(nullptr, managed, 0, CU_MEM_ATTACH_SINGLE),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamAttachMemAsync(stream, allocate(64), 0, CU_MEM_ATTACH_GLOBAL),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemoryOps, LegacyWorkWaitsForEachBlockingStream) {
  run([] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, sizeof(int)));
    auto* flag = static_cast<volatile int*>(pinned);
    *flag = 0;
    CUdeviceptr address = allocate(64);
    CUstream held = make_stream(CU_STREAM_DEFAULT);
    CUstream other = make_stream(CU_STREAM_DEFAULT);
    CUevent event = make_event();
    CUDA_OK(cuStreamWaitValue32_v2(held, reinterpret_cast<CUdeviceptr>(pinned), 1,
                                   CU_STREAM_WAIT_VALUE_EQ));
    CUDA_OK(cuMemsetD32Async(address, 1, 1, other));
    CUDA_OK(cuMemsetD32Async(address, 2, 1, nullptr));
    CUDA_OK(cuEventRecord(event, nullptr));
    CUDA_OK(cuStreamSynchronize(other));
    CUstream unrelated = make_stream();
    CUDA_OK(cuMemsetD32Async(address + 16, 3, 1, unrelated));
    CUDA_OK(cuStreamSynchronize(unrelated));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    *flag = 1;
    CUDA_OK(cuEventSynchronize(event));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaMemoryOps);

// ---- choices of the simulated driver ----------------------------------------------------------

class CudaMemoryWait : public OnSim {};

TEST_F(CudaMemoryWait, ACallbackMayNotCallCuda) {
  stage.run([] {
    CUresult inside = CUDA_SUCCESS;
    const auto call = [](CUstream, CUresult, void* data) {
      *static_cast<CUresult*>(data) = cuCtxSynchronize();
    };
    CUDA_OK(cuStreamAddCallback(nullptr, call, &inside, 0));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(inside, CUDA_ERROR_NOT_PERMITTED);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaMemoryWait, AValueWrittenDirectlyByTheHostIsSeen) {
  World& world = stage.world;
  const Ending ending = stage.run([&world] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, sizeof(int)));
    auto* value = static_cast<int*>(pinned);
    *value = 0;
    CUstream stream = make_stream();
    const auto address = reinterpret_cast<CUdeviceptr>(pinned);
    CUDA_OK(cuStreamWaitValue32_v2(stream, address, 1, CU_STREAM_WAIT_VALUE_EQ));
    world.scheduler.spawn("writer", [value] { *value = 1; });
    CUDA_OK(cuStreamSynchronize(stream));
  });
  EXPECT_EQ(ending, Ending::finished) << stage.fault();
}

TEST_F(CudaMemoryWait, WaitingForAValueNeverWrittenIsADeadlock) {
  const Ending ending = stage.run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    write_int(address, 0);
    CUDA_OK(cuStreamWaitValue32_v2(stream, address, 1, CU_STREAM_WAIT_VALUE_EQ));
    cuStreamSynchronize(stream);
  });
  EXPECT_EQ(ending, Ending::deadlock);
}

TEST_F(CudaMemoryWait, FreeingMemoryDuringAWaitIsAFault) {
  stage.run([] {
    CUstream owner = make_stream();
    CUdeviceptr address = allocate_async(64, owner);
    CUDA_OK(cuMemsetD8Async(address, 0, 64, owner));
    CUDA_OK(cuStreamSynchronize(owner));
    CUstream waiter = make_stream();
    CUDA_OK(cuStreamWaitValue32_v2(waiter, address, 1, CU_STREAM_WAIT_VALUE_EQ));
    CUDA_OK(cuMemFreeAsync(address, owner));
    cuStreamSynchronize(waiter);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaMemoryWait, AccessesOrderedByAWaitDoNotRace) {
  stage.judge_order();
  stage.run([] {
    CUdeviceptr flag = allocate(64);
    CUdeviceptr data = allocate(64);
    write_int(flag, 0);
    CUstream waiter = make_stream();
    CUstream writer = make_stream();
    CUDA_OK(cuStreamWaitValue32_v2(waiter, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    CUDA_OK(cuMemsetD32Async(data, 5, 1, waiter));
    CUDA_OK(cuMemsetD32Async(data, 3, 1, writer));
    CUDA_OK(cuStreamWriteValue32_v2(writer, flag, 1, 0));
    CUDA_OK(cuStreamSynchronize(waiter));
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

/// A wait orders later work of its stream, and other work only if the program orders it.
TEST_F(CudaMemoryWait, AWaitOrdersNoOtherStream) {
  stage.judge_order();
  const auto race = [](bool ordered) {
    CUdeviceptr flag = allocate(64);
    CUdeviceptr data = allocate(64);
    write_int(flag, 1);
    CUDA_OK(cuCtxSynchronize());
    CUstream waiter = make_stream();
    CUstream other = make_stream();
    CUDA_OK(cuMemsetD32Async(data, 5, 1, make_stream()));
    CUDA_OK(cuStreamWaitValue32_v2(waiter, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, waiter));
    if (ordered) CUDA_OK(cuStreamWaitEvent(other, event, 0));
    CUDA_OK(cuMemsetD32Async(data, 3, 1, other));
    CUDA_OK(cuCtxSynchronize());
  };
  stage.run([&] { race(false); });
  EXPECT_EQ(stage.fault(), "data_race");
  stage.run([&] { race(true); });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
