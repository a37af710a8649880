// SPDX-License-Identifier: Apache-2.0
// Uses of graph memory outside its lifetime.
#include "harness/devices/tests/graphs/graph_memory_stage.h"

namespace harness::testing {
namespace {

class GraphMemoryUse : public OnSim {};

TEST_F(GraphMemoryUse, AUseBeforeTheLaunchIsAFault) {
  stage.run([] {
    auto [graph, address, alloc] = make_allocating();
    EXPECT_EQ(cuMemsetD32_v2(address, 1, 1), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(GraphMemoryUse, AUseAfterTheFreeIsAFaultThatNamesTheFree) {
  stage.run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
    int count = 1;
    launch(function, 1, 1, nullptr, {&address, &count});
  });
  ASSERT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(stage.faults.front().birth_site.view(), "cuGraphLaunch");
  EXPECT_EQ(stage.faults.front().death_site.view(), "cuMemFreeAsync");
}

TEST_F(GraphMemoryUse, AUseByANodeUnorderedWithTheFreeIsAFault) {
  stage.run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphNode set = add_set(graph, address, 1, {alloc});
    add_free(graph, address, {set});
    add_set(graph, address, 2, {alloc});
    launch_and_wait(instantiate(graph));
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(GraphMemoryUse, AUseOutsideTheGraphThatFreesItIsAFault) {
  stage.run([] {
    auto [graph, address, alloc] = make_allocating();
    add_free(graph, address, {alloc});
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(GraphMemoryUse, ASecondFreeInAStreamIsAFault) {
  stage.run([] {
    auto [graph, address, alloc] = make_allocating();
    launch_and_wait(instantiate(graph));
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "double_free");
}

TEST_F(GraphMemoryUse, ALaunchBehindAQueuedFreeIsANewLifetime) {
  Always late = lagging();
  EXPECT_EQ(stage.run(late,
                      [] {
                        CUdeviceptr address = 0;
                        CUgraph graph = make_graph();
                        add_alloc(graph, address);
                        CUgraphExec exec = instantiate(graph);
                        CUstream stream = make_stream();
                        for (int i = 0; i < 3; ++i) {
                          CUDA_OK(cuGraphLaunch(exec, stream));
                          CUDA_OK(cuMemFreeAsync(address, stream));
                        }
                        CUDA_OK(cuGraphLaunch(exec, stream));
                        CUDA_OK(cuStreamSynchronize(stream));
                        CUDA_OK(cuMemFree_v2(address));
                      }),
            Ending::finished);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(GraphMemoryUse, ASecondFreeByAnotherGraphIsAFault) {
  stage.run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraph freeing = make_graph();
    add_free(freeing, address);
    CUgraphExec exec = instantiate(freeing);
    launch_and_wait(instantiate(graph));
    launch_and_wait(exec);
    launch_and_wait(exec);
  });
  EXPECT_EQ(stage.fault(), "double_free");
}

TEST_F(GraphMemoryUse, AFreeThatFollowsALaunchWaitsForIt) {
  Always late = lagging();
  stage.run(late, [] {
    auto [graph, address, alloc] = make_allocating();
    add_set(graph, address, 1, {alloc});
    CUgraphExec exec = instantiate(graph);
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    CUDA_OK(cuMemFree_v2(address));
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(GraphMemoryUse, ALaunchWaitsForTheFreeOfWhatItAllocates) {
  Always late = lagging();
  stage.run(late, [] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphExec exec = instantiate(graph);
    CUstream stream = make_stream();
    CUstream freeing = make_stream();
    launch_and_wait(exec, stream);
    CUDA_OK(cuMemFreeAsync(address, freeing));
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(cuStreamQuery(freeing), CUDA_SUCCESS);
    CUDA_OK(cuMemsetD32Async(address, 1, 1, stream));
    CUDA_OK(cuStreamSynchronize(stream));
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(GraphMemoryUse, MemoryLeftByALaunchIsFreedAfterItsAllocation) {
  Always late = lagging();
  stage.run(late, [] {
    CUgraph graph = make_graph();
    CUdeviceptr address = 0;
    add_alloc(graph, address, {add_set(graph, allocate(64), 1)});
    CUgraphExec exec = instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    CUDA_OK(cuGraphLaunch(exec, make_stream()));
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuMemsetD32Async(address, 1, 1, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    CUDA_OK(cuMemFree_v2(address));
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(GraphMemoryUse, AnAddressIsReusedOnlyWhenNoGraphOwnsIt) {
  Always reuse(Site::reuse, 1);
  stage.run(reuse, [] {
    CUdeviceptr first = 0;
    CUgraph graph = make_graph();
    CUgraphNode alloc = add_alloc(graph, first);
    add_free(graph, first, {alloc});
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    CUDA_OK(cuGraphDestroy(graph));
    CUdeviceptr second = 0;
    add_alloc(make_graph(), second);
    EXPECT_NE(second, first) << "the executable still has it";
    CUDA_OK(cuGraphExecDestroy(exec));
    CUdeviceptr third = 0;
    add_alloc(make_graph(), third);
    EXPECT_EQ(third, first);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
