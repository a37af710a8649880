// SPDX-License-Identifier: Apache-2.0
// Behaviour that the documentation allows but does not require: a program must be correct with and
// without it. On the simulated driver, where a choice decides.
#include "harness/driver/cuda/leeway.h"

#include <array>

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaLeeway : public UnderStrategy {
 protected:
  /// All work is late, and the driver does no more than it must.
  template <class Body>
  void run_at_least(Body body) {
    run(lagging(), [&] {
      give_leeway(stage.world);
      body();
    });
  }
};

void* pin(std::size_t bytes) {
  void* pinned = nullptr;
  EXPECT_EQ(cuMemAllocHost_v2(&pinned, bytes), CUDA_SUCCESS);
  return pinned;
}

// ---- waits of a free --------------------------------------------------------------------------

// cuda.h, on cuMemFree: "For all other pointers, this API may perform implicit synchronization."
TEST_F(CudaLeeway, AFreeMayNotWaitForWorkInFlight) {
  run_at_least([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    keep_busy(stream, address);
    CUDA_OK(cuMemFree_v2(address));
    cuStreamSynchronize(stream);
    ADD_FAILURE() << "went on after touching dead memory";
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaLeeway, AFreeOfPinnedMemoryMayNotWaitForACopy) {
  run_at_least([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    void* value = pin(sizeof(int));
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, value, sizeof(int), stream));
    CUDA_OK(cuMemFreeHost(value));
    cuStreamSynchronize(stream);
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

/// From some point on, the driver does only what is documented.
struct OnceArmed : Strategy {
  explicit OnceArmed(const bool& is_armed) : armed(is_armed) {}
  std::uint32_t answer(const Question& question) override {
    return armed && question.site == Site::lag;
  }
  const bool& armed;
};

TEST_F(CudaLeeway, AFreeWithoutAWaitIsUnordered) {
  stage.judge_order();
  run(Plain(), [&] {
    CUdeviceptr address = allocate(64);
    keep_busy(make_stream(), address);  // Done at once, as it happens.
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_finished();
  bool armed = false;
  run(OnceArmed(armed), [&] {
    CUdeviceptr address = allocate(64);
    keep_busy(make_stream(), address);
    give_leeway(stage.world);
    armed = true;
    CUDA_OK(cuMemFree_v2(address));
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaLeeway, UnregisteringWithoutAWaitIsUnordered) {
  stage.judge_order();
  alignas(4096) static std::array<int, 1024> page;
  bool armed = false;
  run(OnceArmed(armed), [&] {
    CUdeviceptr address = 0;
    CUDA_OK(cuMemHostRegister_v2(page.data(), sizeof page, 0));
    CUDA_OK(cuMemHostGetDevicePointer_v2(&address, page.data(), 0));
    keep_busy(nullptr, address);  // Done at once, as it happens.
    give_leeway(stage.world);
    armed = true;
    CUDA_OK(cuMemHostUnregister(page.data()));
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaLeeway, AModuleMayBeUnloadedBeforeItsLaunchRuns) {
  run_at_least([] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    CUstream stream = make_stream();
    int count = 1;
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 2) << "it runs all the same";
  });
  expect_finished();
}

TEST_F(CudaLeeway, VariablesOfAnUnloadedModuleLastUntilTheLaunchEnds) {
  static std::uint64_t variable = 0;
  static const KernelVariable table{"table", 64, nullptr};
  KernelImage image = afterlife_kernels_conformance;
  image.variable_count = 1;
  image.variables = &table;
  image.variable_addresses = &variable;
  run_at_least([&image] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&image, "add_one", &module);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuModuleGetGlobal_v2(&address, &bytes, module, "table"));
    int count = 1;
    CUstream stream = make_stream();
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, address), CUDA_ERROR_NOT_FOUND);
  });
  expect_finished();
}

TEST_F(CudaLeeway, AModuleMayBeUnloadedBeforeAGraphsKernelRuns) {
  run_at_least([] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    CUgraph graph = make_graph();
    add_kernel(graph, function, address);
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(instantiate(graph), stream));
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 2) << "it runs all the same";
  });
  expect_finished();
}

TEST_F(CudaLeeway, AFreeAsksNoQuestionOnceTheHostHasWaited) {
  run_at_least([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    keep_busy(stream, address);
    CUDA_OK(cuStreamSynchronize(stream));
    CUDA_OK(cuMemFree_v2(address));
    CUDA_OK(cuMemFree_v2(allocate(64)));
  });
  expect_finished();
  EXPECT_EQ(stage.tape.size(), 1U) << "the lag of the kernel";
}

TEST_F(CudaLeeway, WithoutLeewayTheDriverActsLikeCurrentOnes) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    keep_busy(make_stream(), address);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_finished();
}

/// A question of the driver's leeway does not change the names of its call's other questions.
TEST_F(CudaLeeway, ALeewayQuestionHasItsOwnName) {
  run_at_least([] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    CUstream stream = make_stream();
    keep_busy(stream, other);
    CUDA_OK(cuMemFree_v2(address));
    keep_busy(make_stream(), allocate(64));
    CUDA_OK(cuStreamSynchronize(stream));
  });
  expect_finished();
  ASSERT_EQ(stage.tape.size(), 3U);
  EXPECT_EQ(stage.tape[0].activation, stage.tape[2].activation);
  EXPECT_EQ(stage.tape[2].nth, 1U) << "the second piece of work, as if nothing had been asked";
  EXPECT_NE(stage.tape[1].activation, stage.tape[0].activation);
}

}  // namespace
}  // namespace harness::testing
