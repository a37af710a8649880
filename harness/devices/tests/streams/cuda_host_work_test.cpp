// SPDX-License-Identifier: Apache-2.0
// Host work: a kernel whose body is a function of the program. Like a kernel, it may run late, it
// uses its declared memory, and it keeps its data until it has run.
#include <gmock/gmock.h>

#include <utility>

#include "harness/devices/tests/streams/race_stage.h"
#include "harness/driver/cuda/cuda.h"

namespace harness::testing {
namespace {

/// The data of the work, with the number of calls.
struct Body {
  CUdeviceptr target = 0;
  int called = 0;
  int released = 0;
  int status = 0;
  CUresult inside = CUDA_SUCCESS;
};

int add(void* data) {
  Body& body = *static_cast<Body*>(data);
  ++body.called;
  if (body.target != 0) ++*reinterpret_cast<int*>(body.target);
  return body.status;
}

int call_cuda(void* data) {
  Body& body = *static_cast<Body*>(data);
  ++body.called;
  body.inside = cuCtxSynchronize();
  return 0;
}

void let_go(void* data) { ++static_cast<Body*>(data)->released; }

AfterlifeLaunchHostWork find_launch() {
  void* function = nullptr;
  EXPECT_EQ(cuGetProcAddress(AFTERLIFE_LAUNCH_HOST_WORK, &function, 13000, 0, nullptr),
            CUDA_SUCCESS);
  return reinterpret_cast<AfterlifeLaunchHostWork>(function);
}

CUresult launch_work(CUstream stream, Body& body, const std::vector<AfterlifeRange>& ranges,
                     AfterlifeHostWork function = add) {
  return static_cast<CUresult>(
      find_launch()(stream, "aten::add_", function, &body, let_go, ranges.data(), ranges.size()));
}

AfterlifeRange range(CUdeviceptr address, int use, std::uint64_t bytes = 4) {
  return {address, bytes, 1, 0, use};
}

class CudaHostWork : public RaceStage {
 protected:
  Body body;
};

// ---- as a kernel --------------------------------------------------------------------------------

TEST_F(CudaHostWork, AFunctionRunsInStreamOrder) {
  run([this] {
    CUstream stream = make_stream();
    body.target = allocate(4);
    CUDA_OK(cuMemsetD32Async(body.target, 41, 1, stream));
    CUDA_OK(launch_work(stream, body, {range(body.target, AFTERLIFE_READS | AFTERLIFE_WRITES)}));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(body.target), 42);
  });
  expect_none();
  EXPECT_EQ(body.called, 1);
  EXPECT_EQ(body.released, 1);
}

TEST_F(CudaHostWork, AFunctionMayStayQueuedUntilAWait) {
  Always late = lagging();
  EXPECT_EQ(stage.run(late,
                      [this] {
                        CUstream stream = make_stream();
                        CUDA_OK(launch_work(stream, body, {}));
                        EXPECT_EQ(body.called, 0);
                        EXPECT_EQ(body.released, 0);
                        CUDA_OK(cuStreamSynchronize(stream));
                        EXPECT_EQ(body.called, 1);
                        EXPECT_EQ(body.released, 1);
                      }),
            Ending::finished);
  expect_none();
}

TEST_F(CudaHostWork, LateWorkReadsLaterWrites) {
  Always late = lagging();
  EXPECT_EQ(stage.run(late,
                      [this] {
                        CUstream stream = make_stream();
                        body.target = allocate(4);
                        CUDA_OK(cuMemsetD32Async(body.target, 1, 1, stream));
                        CUDA_OK(cuStreamSynchronize(stream));
                        CUDA_OK(launch_work(stream, body, {range(body.target, AFTERLIFE_WRITES)}));
                        EXPECT_EQ(*reinterpret_cast<int*>(body.target), 1);
                        CUDA_OK(cuMemsetD32Async(body.target, 7, 1, stream));
                        CUDA_OK(cuStreamSynchronize(stream));
                        EXPECT_EQ(read_int(body.target), 7);
                      }),
            Ending::finished);
  expect_none();
}

TEST_F(CudaHostWork, CallingCudaInAFunctionIsAFault) {
  run([this] { CUDA_OK(launch_work(make_stream(), body, {}, call_cuda)); });
  EXPECT_EQ(body.inside, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaHostWork, AFailureIsReturnedByLaterCalls) {
  stage.run_outside(stage.answers, [this] {
    CUDA_OK(cuInit(0));
    CUcontext context = nullptr;
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxSetCurrent(context));
    CUstream stream = make_stream();
    body.status = CUDA_ERROR_ASSERT;
    EXPECT_EQ(launch_work(stream, body, {}), CUDA_ERROR_ASSERT);
    Body after;
    EXPECT_EQ(launch_work(stream, after, {}), CUDA_ERROR_ASSERT);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ASSERT);
    EXPECT_EQ(after.called, 0);
    EXPECT_EQ(after.released, 1);
  });
  EXPECT_EQ(body.released, 1);
}

TEST_F(CudaHostWork, AFailedLaunchReleasesTheDataImmediately) {
  run([this] {
    CUstream stream = make_stream();
    const CUdeviceptr address = allocate(64);
    EXPECT_EQ(launch_work(stream, body, {}, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch_work(stream, body, {range(address, AFTERLIFE_READS, 65)}),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(find_launch()(stream, nullptr, add, &body, let_go, nullptr, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(find_launch()(stream, "aten::add_", add, &body, let_go, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(body.called, 0);
  EXPECT_EQ(body.released, 4);
}

// ---- lives --------------------------------------------------------------------------------------

/// Leaves queued what is launched next, and does the rest at once.
class NextIsLate : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::lag && std::exchange(next, false) ? 1 : 0;
  }
  bool next = false;
};

TEST_F(CudaHostWork, ARangeFreedBeforehandIsAFaultAndSkipsTheFunction) {
  NextIsLate late;
  stage.run(late, [this, &late] {
    CUstream user = make_stream();
    CUstream owner = make_stream();
    const CUdeviceptr address = allocate_async(64, owner);
    after(user, owner);
    late.next = true;
    CUDA_OK(launch_work(user, body, {range(address, AFTERLIFE_READS | AFTERLIFE_MAY)}));
    CUDA_OK(cuMemFreeAsync(address, owner));
    CUDA_OK(cuStreamSynchronize(owner));
    CUDA_OK(cuStreamSynchronize(user));
  });
  ASSERT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(body.called, 0);
  EXPECT_EQ(stage.faults.front().use_site.view(), "aten::add_");
}

TEST_F(CudaHostWork, ARangeFreedAfterwardsIsNotAFault) {
  Always late = lagging();
  EXPECT_EQ(stage.run(late,
                      [this] {
                        CUstream user = make_stream();
                        CUstream owner = make_stream();
                        const CUdeviceptr address = allocate_async(64, owner);
                        after(user, owner);
                        CUDA_OK(launch_work(user, body, {range(address, AFTERLIFE_READS)}));
                        after(owner, user);
                        CUDA_OK(cuMemFreeAsync(address, owner));
                        CUDA_OK(cuStreamSynchronize(owner));
                      }),
            Ending::finished);
  expect_none();
  EXPECT_EQ(body.called, 1);
}

// ---- order --------------------------------------------------------------------------------------

/// Sets the bytes [0, 64) in one stream, and has work use them in another.
void use_in_two(Body& body, AfterlifeRange used, bool ordered) {
  CUstream first = make_stream();
  CUstream second = make_stream();
  const CUdeviceptr address = allocate(256);
  used.address += address;
  set(first, address);
  if (ordered) after(second, first);
  CUDA_OK(launch_work(second, body, {used}));
}

TEST_F(CudaHostWork, AnUnorderedUseIsAFault) {
  run([this] { use_in_two(body, range(0, AFTERLIFE_READS), false); });
  expect_order();
}

TEST_F(CudaHostWork, AUseOrderedByAnEventIsNotAFault) {
  run([this] { use_in_two(body, range(0, AFTERLIFE_READS), true); });
  expect_none();
}

TEST_F(CudaHostWork, BytesOutsideTheRowsAreNotUsed) {
  run([this] {
    use_in_two(body, range(64, AFTERLIFE_WRITES, 64), false);
    use_in_two(body, {64, 16, 2, 64, AFTERLIFE_WRITES}, false);
  });
  expect_none();
}

TEST_F(CudaHostWork, ALaterRowIsUsed) {
  run([this] {
    CUstream first = make_stream();
    const CUdeviceptr address = allocate(256);
    set(first, address + 128);
    CUDA_OK(launch_work(make_stream(), body, {{address, 16, 3, 64, AFTERLIFE_READS}}));
  });
  expect_order();
}

TEST_F(CudaHostWork, APossibleUseIsNotCheckedForRaces) {
  run([this] { use_in_two(body, range(0, AFTERLIFE_WRITES | AFTERLIFE_MAY), false); });
  expect_none();
}

TEST_F(CudaHostWork, TwoReadsNeedNoOrder) {
  run([this] {
    const CUdeviceptr address = allocate(64);
    CUDA_OK(launch_work(make_stream(), body, {range(address, AFTERLIFE_READS)}));
    CUDA_OK(launch_work(make_stream(), body, {range(address, AFTERLIFE_READS)}));
  });
  expect_none();
}

// ---- graphs -------------------------------------------------------------------------------------

CUgraph capture(Body& body) {
  CUstream stream = make_stream();
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(launch_work(stream, body, {range(body.target, AFTERLIFE_WRITES)}), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  return graph;
}

TEST_F(CudaHostWork, ANodeRunsAtEachLaunchAndKeepsItsData) {
  run([this] {
    body.target = allocate(4);
    write_int(body.target, 0);
    CUDA_OK(cuCtxSynchronize());
    CUgraph graph = capture(body);
    EXPECT_EQ(node_count(graph), 1);
    EXPECT_EQ(body.called, 0);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(body.released, 0);
    CUstream stream = make_stream();
    for (int i = 0; i < 3; ++i) launch_and_wait(exec, stream);
    EXPECT_EQ(read_int(body.target), 3);
    EXPECT_EQ(body.released, 0);
    CUDA_OK(cuGraphExecDestroy(exec));
    EXPECT_EQ(body.released, 1);
  });
  expect_none();
  EXPECT_EQ(body.called, 3);
}

TEST_F(CudaHostWork, DestroyingACapturedGraphReleasesTheData) {
  run([this] {
    body.target = allocate(4);
    CUDA_OK(cuGraphDestroy(capture(body)));
    EXPECT_EQ(body.released, 1);
  });
  expect_none();
  EXPECT_EQ(body.called, 0);
}

TEST_F(CudaHostWork, ANodeThatUsesFreedMemoryIsAFault) {
  stage.run([this] {
    body.target = allocate(4);
    CUgraphExec exec = instantiate(capture(body));
    CUDA_OK(cuMemFree(body.target));
    launch_and_wait(exec, make_stream());
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(body.called, 0);
}

}  // namespace
}  // namespace harness::testing
