// SPDX-License-Identifier: Apache-2.0
// Address reuse of the simulated driver: which storage an allocation may get, and stale pointers to
// it.
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

/// Work stays queued, and a freed block is given out again where that is offered.
class LagAndReuse : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::lag || question.site == Site::reuse ? 1 : 0;
  }
};

class CudaReuse : public OnSim {
 protected:
  template <class Strategy, class Body>
  void run(Strategy strategy, Body body) {
    ending = stage.run(strategy, body);
  }
  Ending ending = Ending::finished;
};

void allow(CUmemPool_attribute attribute, int value) {
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolSetAttribute(pool, attribute, &value), CUDA_SUCCESS);
}

/// Makes a stream the default choice: among those that can continue, that is the one that had
/// queued work first.
void go_first(CUstream stream) {
  keep_busy(stream, allocate(64));
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(CudaReuse, TheDefaultIsFreshStorage) {
  run(Plain(), [] {
    CUdeviceptr first = allocate_async(64);
    CUDA_OK(cuMemFreeAsync(first, nullptr));
    EXPECT_NE(allocate_async(64), first);
  });
  EXPECT_TRUE(stage.tape.empty());
}

TEST_F(CudaReuse, NewMemoryIsFilledAndRecycledMemoryKeepsItsBytes) {
  run(Always(Site::reuse, 1), [] {
    CUdeviceptr first = allocate_async(64);
    EXPECT_EQ(static_cast<unsigned>(read_int(first)), 0xa5a5a5a5U);
    write_int(first, 77);
    CUDA_OK(cuMemFreeAsync(first, nullptr));
    CUdeviceptr second = allocate_async(32);
    EXPECT_EQ(second, first);
    EXPECT_EQ(read_int(second), 77);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaReuse, MemoryOfCuMemAllocIsRecycledToo) {
  run(Always(Site::reuse, 1), [] {
    CUdeviceptr first = allocate(64);
    CUDA_OK(cuMemFree_v2(first));
    EXPECT_EQ(allocate(64), first);
  });
}

TEST_F(CudaReuse, ABlockIsReusedOnlyIfTheRequestFits) {
  run(Always(Site::reuse, 1), [] {
    CUdeviceptr first = allocate_async(64);
    CUDA_OK(cuMemFreeAsync(first, nullptr));
    EXPECT_NE(allocate_async(4096), first);
    EXPECT_EQ(allocate_async(512), first);
  });
}

TEST_F(CudaReuse, TheMostRecentlyFreedIsOfferedFirstAndAtMostFour) {
  run(Always(Site::reuse, 100), [] {  // The last of the options.
    CUdeviceptr blocks[6];
    for (CUdeviceptr& block : blocks) block = allocate_async(64);
    for (CUdeviceptr block : blocks) CUDA_OK(cuMemFreeAsync(block, nullptr));
    EXPECT_EQ(allocate_async(64), blocks[2]);
  });
}

TEST_F(CudaReuse, TheSameStreamReusesImmediately) {
  run(LagAndReuse(), [] {
    CUstream stream = make_stream();
    CUdeviceptr first = allocate_async(64, stream);
    keep_busy(stream, first);
    CUDA_OK(cuMemFreeAsync(first, stream));
    CUdeviceptr second = allocate_async(64, stream);
    EXPECT_EQ(second, first);
    CUDA_OK(cuMemsetD32Async(second, 6, 1, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(second), 6);
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaReuse, TheSameStreamReusesImmediatelyUnderAnyAttribute) {
  run(LagAndReuse(), [] {
    allow(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 0);
    allow(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0);
    allow(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    CUstream stream = make_stream();
    CUdeviceptr first = allocate_async(64, stream);
    keep_busy(stream, first);
    CUDA_OK(cuMemFreeAsync(first, stream));
    EXPECT_EQ(allocate_async(64, stream), first);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaReuse, AFreeIsOrderedAfterItsAllocation) {
  run(LagAndReuse(), [] {
    CUstream stream = make_stream();
    CUstream freeing = make_stream();
    go_first(freeing);
    CUdeviceptr first = allocate_async(64, stream);
    keep_busy(stream, first);
    CUDA_OK(cuMemFreeAsync(first, stream));
    CUdeviceptr second = allocate_async(64, stream);
    EXPECT_EQ(second, first);
    CUDA_OK(cuMemFreeAsync(second, freeing));
    CUDA_OK(cuStreamSynchronize(freeing));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS) << "which has reached the allocation";
    EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, second), CUDA_ERROR_NOT_FOUND);
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaReuse, AnotherStreamWaitsForTheFreeByAnInternalDependency) {
  run(LagAndReuse(), [] {
    CUstream freeing = make_stream();
    CUstream other = make_stream();
    CUdeviceptr first = allocate_async(64, freeing);
    keep_busy(freeing, first);
    CUDA_OK(cuMemFreeAsync(first, freeing));
    CUdeviceptr second = allocate_async(64, other);
    EXPECT_EQ(second, first);
    CUDA_OK(cuStreamSynchronize(other));
    EXPECT_EQ(cuStreamQuery(freeing), CUDA_SUCCESS);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaReuse, AnotherStreamDoesNotReuseAPendingFreeByDefault) {
  run(LagAndReuse(), [] {
    allow(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    CUstream freeing = make_stream();
    CUstream other = make_stream();
    CUdeviceptr first = allocate_async(64, freeing);
    keep_busy(freeing, first);
    CUDA_OK(cuMemFreeAsync(first, freeing));
    EXPECT_NE(allocate_async(64, other), first);
    CUDA_OK(cuStreamSynchronize(freeing));
    EXPECT_EQ(allocate_async(64, other), first);  // Opportunistic: the free is done.
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaReuse, AnEventDependencyAllowsReuse) {
  run(Always(Site::reuse, 1), [] {
    allow(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    allow(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0);
    CUstream freeing = make_stream();
    CUstream other = make_stream();
    CUdeviceptr first = allocate_async(64, freeing);
    CUDA_OK(cuMemFreeAsync(first, freeing));
    EXPECT_NE(allocate_async(64, other), first);
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, freeing));
    CUDA_OK(cuStreamWaitEvent(other, event, 0));
    EXPECT_EQ(allocate_async(64, other), first);
  });
}

// ---- stale pointers ---------------------------------------------------------------------------

TEST_F(CudaReuse, AKernelUsingRecycledMemoryIsANonfatalFault) {
  run(Always(Site::reuse, 1), [] {
    CUdeviceptr table = allocate(64);
    CUdeviceptr out = allocate(64);
    CUdeviceptr data = allocate_async(64);
    CUDA_OK(cuMemcpyHtoD_v2(table, &data, sizeof data));
    CUDA_OK(cuMemFreeAsync(data, nullptr));
    EXPECT_EQ(allocate_async(64), data);
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    CUDA_OK(launch(function, 1, 1, nullptr, {&table, &out}));
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "recycled_use");
}

TEST_F(CudaReuse, AKernelUsingFreedMemoryIsAFatalFault) {
  run(Plain(), [] {
    CUdeviceptr table = allocate(64);
    CUdeviceptr out = allocate(64);
    CUdeviceptr data = allocate_async(64);
    CUDA_OK(cuMemcpyHtoD_v2(table, &data, sizeof data));
    CUDA_OK(cuMemFreeAsync(data, nullptr));
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    launch(function, 1, 1, nullptr, {&table, &out});
    ADD_FAILURE() << "went on after touching dead memory";
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaReuse, AKernelUsingMemoryNotPassedToItIsAFatalFault) {
  run(Plain(), [] {
    CUdeviceptr data = allocate(512);
    allocate(512);
    CUdeviceptr beyond = data + 512;
    CUdeviceptr table = allocate(64);
    CUDA_OK(cuMemsetD8_v2(table, 0, 64));
    CUDA_OK(cuMemsetD32_v2(table, static_cast<unsigned>(beyond), 1));
    CUDA_OK(cuMemsetD32_v2(table + 4, static_cast<unsigned>(beyond >> 32), 1));
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    launch(function, 1, 1, nullptr, {&table, &data});
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "wild_access");
}

TEST_F(CudaReuse, ACopyOfRecycledMemoryIsANonfatalFault) {
  run(LagAndReuse(), [] {
    CUstream freeing = make_stream();
    CUstream copying = make_stream();
    go_first(freeing);
    CUdeviceptr data = allocate_async(64, freeing);
    CUdeviceptr copied = allocate(64);
    CUDA_OK(cuMemcpyDtoDAsync_v2(copied, data, 64, copying));  // No order with the free.
    CUDA_OK(cuMemFreeAsync(data, freeing));
    EXPECT_EQ(allocate_async(64, freeing), data);
    CUDA_OK(cuStreamSynchronize(freeing));
    CUDA_OK(cuStreamSynchronize(copying));
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "recycled_use");
}

TEST_F(CudaReuse, UsingMemoryBeforeItsStreamOrderedAllocationIsAFault) {
  run(LagAndReuse(), [] {
    CUstream allocating = make_stream();
    CUstream other = make_stream();
    go_first(other);
    CUdeviceptr busy = allocate(64);
    CUdeviceptr first = allocate_async(64, allocating);
    CUDA_OK(cuMemFreeAsync(first, allocating));
    CUDA_OK(cuStreamSynchronize(allocating));
    keep_busy(allocating, busy);
    CUdeviceptr second = allocate_async(64, allocating);
    EXPECT_EQ(second, first);
    CUDA_OK(cuMemsetD8Async(second, 0, 64, other));
    CUDA_OK(cuStreamSynchronize(other));
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "api_misuse");
}

// ---- memory that the host writes without a call ------------------------------------------------

TEST_F(CudaReuse, APointerStoredInManagedMemoryAuthorizesTheKernel) {
  run(Plain(), [] {
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    CUdeviceptr data = allocate(64);
    CUdeviceptr out = allocate(64);
    CUdeviceptr table = allocate(64);
    write_int(data, 12);
    *reinterpret_cast<CUdeviceptr*>(managed) = data;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    CUDA_OK(launch(function, 1, 1, nullptr, {&managed, &out}));
    EXPECT_EQ(read_int(out), 12);
    CUDA_OK(cuMemcpyDtoD_v2(table, managed, sizeof data));
    CUDA_OK(cuMemsetD8_v2(out, 0, 64));
    CUDA_OK(launch(function, 1, 1, nullptr, {&table, &out}));
    EXPECT_EQ(read_int(out), 12);
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

// ---- the default stream -----------------------------------------------------------------------

/// One stream uses memory of another one's, which frees it behind an allocation in the default
/// stream: of memory that was freed before, if that is used again.
void free_after_an_allocation() {
  CUstream user = make_stream(CU_STREAM_DEFAULT);
  CUstream owner = make_stream(CU_STREAM_DEFAULT);
  CUdeviceptr address = allocate_async(64, owner);
  CUdeviceptr spare = allocate_async(64, owner);
  keep_busy(owner, address);  // It goes first among those that can continue.
  CUDA_OK(cuMemFreeAsync(spare, owner));
  CUDA_OK(cuStreamSynchronize(owner));
  keep_busy(user, address);
  allocate_async(64, nullptr);
  CUDA_OK(cuMemFreeAsync(address, owner));
  CUDA_OK(cuStreamSynchronize(owner));
  cuStreamSynchronize(user);
}

// An H200 has it so, though by cuda.h an allocation is an operation of its stream.
TEST_F(CudaReuse, NewMemoryOfTheDefaultStreamOrdersNoBlockingStreams) {
  stage.judge_order();
  run(lagging(), free_after_an_allocation);
  EXPECT_EQ(stage.fault(), "use_after_free");
  run(Plain(), free_after_an_allocation);
  EXPECT_EQ(stage.fault(), "data_race") << "also where it came out well";
}

TEST_F(CudaReuse, MemoryThatTheDefaultStreamUsesAgainOrdersBlockingStreams) {
  stage.judge_order();
  run(LagAndReuse(), free_after_an_allocation);
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
