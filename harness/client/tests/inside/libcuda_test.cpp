// SPDX-License-Identifier: Apache-2.0
// Our libcuda.so.1, as a program sees it that knows nothing of us; and the GPU device on top of it.
#include <dlfcn.h>

#include <cstring>
#include <thread>

#include "harness/client/tests/inside/libcuda_stage.h"

namespace harness::testing {
namespace {

/// The forms of a kernel that the build put beside each other in this program.
struct BuiltImage {
  const KernelImage* kernels;
  const unsigned char* fatbin;
  std::uint64_t fatbin_bytes;
};
extern "C" {
__attribute__((weak, visibility("hidden"))) extern const BuiltImage __start_afterlife_images[];
__attribute__((weak, visibility("hidden"))) extern const BuiltImage __stop_afterlife_images[];
}

TEST_F(Libcuda, ExportsEveryEntryPointAndNothingElse) {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  EXPECT_NE(dlsym(library, #name), nullptr) << #name;
#include "harness/driver/cuda/cuda.def"
#define CUDA_PTSZ(name, since, stream, parameters, arguments) \
  EXPECT_NE(dlsym(library, #name "_ptsz"), nullptr) << #name "_ptsz";
#include "harness/driver/cuda/cuda.def"
  EXPECT_NE(dlsym(library, "cuGetProcAddress_v2"), nullptr);
  for (const char* ours :
       {"_ZN7harness13serve_processEPFPNS_6DeviceEvEPFPvPKcE", "__prov_load4_noabort"}) {
    void* found = dlsym(library, ours);
    Dl_info where{};
    if (found != nullptr && dladdr(found, &where) != 0)
      EXPECT_STRNE(where.dli_fname, own_libcuda().c_str()) << ours;
  }
}

TEST_F(Libcuda, ServesAProgramThatHasNoWorld) {
  ASSERT_EQ(World::current(), nullptr);
  CUdeviceptr address = 0;
  ASSERT_EQ(get("cuMemAlloc_v2", &DriverTable::cuMemAlloc_v2)(&address, 64), CUDA_SUCCESS);
  ASSERT_EQ(get("cuMemsetD32_v2", &DriverTable::cuMemsetD32_v2)(address, 5, 4), CUDA_SUCCESS);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(get("cuModuleLoadData", &DriverTable::cuModuleLoadData)(&module,
                                                                    &afterlife_kernels_conformance),
            CUDA_SUCCESS);
  ASSERT_EQ(
      get("cuModuleGetFunction", &DriverTable::cuModuleGetFunction)(&function, module, "add_one"),
      CUDA_SUCCESS);
  int count = 1;
  void* parameters[] = {&address, &count};
  ASSERT_EQ(get("cuLaunchKernel", &DriverTable::cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0,
                                                                nullptr, parameters, nullptr),
            CUDA_SUCCESS);
  int values[2] = {};
  ASSERT_EQ(get("cuMemcpyDtoH_v2", &DriverTable::cuMemcpyDtoH_v2)(values, address, sizeof values),
            CUDA_SUCCESS);
  EXPECT_EQ(values[0], 6);
  EXPECT_EQ(values[1], 5);
  EXPECT_EQ(get("cuMemFree_v2", &DriverTable::cuMemFree_v2)(address), CUDA_SUCCESS);
}

TEST_F(Libcuda, EachThreadHasItsOwnCurrentContext) {
  const auto get_current = get("cuCtxGetCurrent", &DriverTable::cuCtxGetCurrent);
  CUcontext here = nullptr;
  CUcontext there = nullptr;
  ASSERT_EQ(get_current(&here), CUDA_SUCCESS);
  EXPECT_NE(here, nullptr);
  std::thread other([&] { get_current(&there); });
  other.join();
  EXPECT_EQ(there, nullptr);
}

TEST_F(Libcuda, ThreadsMayCallAtTheSameTime) {
  const auto set_current = get("cuCtxSetCurrent", &DriverTable::cuCtxSetCurrent);
  const auto allocate_memory = get("cuMemAllocAsync", &DriverTable::cuMemAllocAsync);
  const auto free_memory = get("cuMemFreeAsync", &DriverTable::cuMemFreeAsync);
  CUcontext context = nullptr;
  ASSERT_EQ(get("cuCtxGetCurrent", &DriverTable::cuCtxGetCurrent)(&context), CUDA_SUCCESS);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([=] {
      EXPECT_EQ(set_current(context), CUDA_SUCCESS);
      for (int round = 0; round < 500; ++round) {
        CUdeviceptr address = 0;
        EXPECT_EQ(allocate_memory(&address, 64, nullptr), CUDA_SUCCESS);
        EXPECT_EQ(free_memory(address, nullptr), CUDA_SUCCESS);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

/// Returns what nm says that a library defines for others.
std::vector<std::string> exported_names(const std::string& file) {
  std::vector<std::string> names;
  FILE* const pipe = popen(("nm -D --defined-only --format=posix " + file).c_str(), "r");
  for (char line[256]; std::fgets(line, sizeof line, pipe) != nullptr;)
    names.emplace_back(line, std::strcspn(line, " "));
  pclose(pipe);
  return names;
}

TEST_F(Libcuda, ExportsWhatTheStubLibraryExports) {
  const std::string stub = AFTERLIFE_STUB_LIBCUDA;
  if (!std::filesystem::exists(stub)) GTEST_SKIP() << "the toolkit has no stub library";
  const std::vector<std::string> names = exported_names(stub);
  ASSERT_GT(names.size(), 600U);
  for (const std::string& name : names) {
    Dl_info where{};
    void* const found = dlsym(library, name.c_str());
    ASSERT_NE(found, nullptr) << name;
    ASSERT_NE(dladdr(found, &where), 0);
    EXPECT_STREQ(where.dli_fname, own_libcuda().c_str()) << name;
  }
}

TEST_F(Libcuda, AnswersWhatIsNotSimulatedAndSaysSoAtTheEnd) {
  EXPECT_EXIT(
      {
        const auto by_name = reinterpret_cast<int (*)()>(dlsym(library, "cuTexRefGetArray"));
        const auto find =
            reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(library, "cuGetProcAddress_v2"));
        void* looked_up = nullptr;
        find("cuCtxGetExecAffinity", &looked_up, 13000, 0, nullptr);
        const bool all = by_name() == CUDA_ERROR_NOT_SUPPORTED &&
                         by_name() == CUDA_ERROR_NOT_SUPPORTED && looked_up != nullptr &&
                         reinterpret_cast<int (*)()>(looked_up)() == CUDA_ERROR_NOT_SUPPORTED;
        std::exit(all ? 7 : 8);
      },
      ::testing::ExitedWithCode(7),
      "not simulated, returned CUDA_ERROR_NOT_SUPPORTED: "
      "cuCtxGetExecAffinity \\(1\\), cuTexRefGetArray \\(2\\)\n$");
}

TEST_F(Libcuda, OlderNamesDoWhatNewerOnesDo) {
  const auto find =
      reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(library, "cuGetProcAddress_v2"));
  void* older = nullptr;
  void* newer = nullptr;
  ASSERT_EQ(find("cuDeviceGetUuid", &older, 10000, 0, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(find("cuDeviceGetUuid", &newer, 13000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(older, dlsym(library, "cuDeviceGetUuid"));
  EXPECT_EQ(newer, dlsym(library, "cuDeviceGetUuid_v2"));
  EXPECT_NE(older, newer);
  CUuuid first{};
  CUuuid second{};
  ASSERT_EQ(reinterpret_cast<decltype(&cuDeviceGetUuid_v2)>(older)(&first, 0), CUDA_SUCCESS);
  ASSERT_EQ(reinterpret_cast<decltype(&cuDeviceGetUuid_v2)>(newer)(&second, 0), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
  void* context = nullptr;
  ASSERT_EQ(find("cuCtxCreate", &context, 11000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(context, dlsym(library, "cuCtxCreate_v2"));
}

TEST_F(Libcuda, HandlesArePositiveNumbers) {
  CUcontext context = nullptr;
  ASSERT_EQ(get("cuCtxGetCurrent", &DriverTable::cuCtxGetCurrent)(&context), CUDA_SUCCESS);
  EXPECT_GT(reinterpret_cast<std::intptr_t>(context), 0);
}

TEST_F(Libcuda, GivesStorageOutAgain) {
  const auto allocate_memory = get("cuMemAlloc_v2", &DriverTable::cuMemAlloc_v2);
  const auto free_memory = get("cuMemFree_v2", &DriverTable::cuMemFree_v2);
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  for (int round = 0; round < 600; ++round) {  // 37.5 GiB: more than the device has twice over.
    CUdeviceptr address = 0;
    ASSERT_EQ(allocate_memory(&address, kBytes), CUDA_SUCCESS) << round;
    ASSERT_EQ(free_memory(address), CUDA_SUCCESS) << round;
  }
}

TEST_F(Libcuda, GivesStorageOfStreamOrderedMemoryOutAgain) {
  const auto allocate_memory = get("cuMemAllocAsync", &DriverTable::cuMemAllocAsync);
  const auto free_memory = get("cuMemFreeAsync", &DriverTable::cuMemFreeAsync);
  const auto set_memory = get("cuMemsetD8Async", &DriverTable::cuMemsetD8Async);
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  ::testing::internal::CaptureStderr();
  for (int round = 0; round < 600; ++round) {
    CUdeviceptr address = 0;
    ASSERT_EQ(allocate_memory(&address, kBytes, nullptr), CUDA_SUCCESS) << round;
    ASSERT_EQ(set_memory(address, 1, 64, nullptr), CUDA_SUCCESS) << round;
    ASSERT_EQ(free_memory(address, nullptr), CUDA_SUCCESS) << round;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Libcuda, TellsFaultsAtOnce) {
  const auto free_memory = get("cuMemFree_v2", &DriverTable::cuMemFree_v2);
  CUdeviceptr address = 0;
  ASSERT_EQ(get("cuMemAlloc_v2", &DriverTable::cuMemAlloc_v2)(&address, 64), CUDA_SUCCESS);
  ASSERT_EQ(free_memory(address), CUDA_SUCCESS);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(free_memory(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("afterlife: double_free"),
            std::string::npos);
}

TEST_F(Libcuda, CallsHostFunctionsWhereverTheProgramIs) {
  int called = 0;
  const auto call = [](void* data) { ++*static_cast<int*>(data); };
  EXPECT_EQ(get("cuLaunchHostFunc", &DriverTable::cuLaunchHostFunc)(nullptr, call, &called),
            CUDA_SUCCESS);
  EXPECT_EQ(get("cuStreamSynchronize", &DriverTable::cuStreamSynchronize)(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(called, 1);
}

// By the C interface itself, with nothing of ours between.
TEST_F(Libcuda, ThrowsAtNobody) {
  const auto copy = get("cuMemcpyAsync", &DriverTable::cuMemcpyAsync);
  char here[64] = {};
  const auto address = reinterpret_cast<CUdeviceptr>(&here);
  for (const std::size_t bytes : {~std::size_t{0}, std::size_t{1} << 63, std::size_t{1} << 40})
    EXPECT_NO_THROW(EXPECT_EQ(copy(address, address, bytes, nullptr), CUDA_ERROR_INVALID_VALUE))
        << bytes;
}

TEST_F(Libcuda, KnowsItsKernelsByTheirFatbin) {
  const auto load = get("cuModuleLoadData", &DriverTable::cuModuleLoadData);
  int fatbins = 0;
  int known = 0;
  for (const BuiltImage* built = __start_afterlife_images; built != __stop_afterlife_images;
       ++built) {
    if (built->fatbin_bytes == 0) continue;
    ++fatbins;
    CUmodule module = nullptr;
    if (load(&module, built->fatbin) == CUDA_SUCCESS)
      ++known;  // Those of these tests are not in it.
  }
  if (fatbins == 0) GTEST_SKIP() << "built without nvcc: no fatbins";
  EXPECT_GT(known, 0);
  EXPECT_LT(known, fatbins);
}

TEST_F(Libcuda, RefusesKernelsOfWhichItHasNoCopy) {
  const auto load = get("cuModuleLoadData", &DriverTable::cuModuleLoadData);
  KernelImage stranger{kKernelImageMagic, "nowhere/kernel.cu", nullptr, 0};
  CUmodule module = nullptr;
  EXPECT_EQ(load(&module, &stranger), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(&module, "no image at all"), CUDA_ERROR_INVALID_IMAGE);
}

// ---- the GPU device on top of it ----------------------------------------------------------------

TEST(GpuDevice, WithoutADriverThereIsOneClearLine) {
  setenv("AFTERLIFE_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
  try {
    const std::unique_ptr<Device> device(devices::gpu.make());
    ADD_FAILURE() << "made a device out of nothing";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(
        error.what(),
        "no CUDA driver: /nonexistent/libcuda.so.1 not found; install an NVIDIA driver or use "
        "--device sim");
  }
  setenv("AFTERLIFE_LIBCUDA", "libm.so.6", 1);
  try {
    const std::unique_ptr<Device> device(devices::gpu.make());
    ADD_FAILURE() << "made a device out of libm";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("too old"), std::string::npos) << error.what();
  }
  unsetenv("AFTERLIFE_LIBCUDA");
}

TEST(GpuDevice, LeavesNothingOfARunBehind) {
  std::unique_ptr<CudaStage> stage;
  try {
    stage = std::make_unique<CudaStage>(make_device(Backend::libcuda));
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  std::size_t before = 0;
  std::size_t after = 0;
  const auto measure = [](std::size_t& free) {
    std::size_t total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  };
  stage->run([&] { measure(before); });
  for (int i = 0; i < 3; ++i)
    stage->run([] {
      allocate(1 << 20);
      allocate_async(1 << 20);
      void* pinned = nullptr;
      cuMemAllocHost_v2(&pinned, 1 << 20);
      make_stream();
      make_event();
      CUcontext other = nullptr;
      cuCtxCreate_v4(&other, nullptr, 0, 0);
      allocate(1 << 20);
    });
  stage->run([&] { measure(after); });
  EXPECT_EQ(before, after);
}

TEST(GpuDevice, KnowsALifeFromTheLedgerAndTheHistory) {
  std::unique_ptr<CudaStage> stage;
  try {
    stage = std::make_unique<CudaStage>(make_device(Backend::libcuda));
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  stage->run([] { cuMemFree_v2(allocate(64)); });
  int births = 0;
  int deaths = 0;
  for (const Event& event : stage->world.history.events()) {
    births += event.kind == EventKind::birth && event.what == Label("device memory") ? 1 : 0;
    deaths += event.kind == EventKind::death && event.what == Label("device memory") ? 1 : 0;
  }
  EXPECT_EQ(births, 1);
  EXPECT_EQ(deaths, 1);
}

}  // namespace
}  // namespace harness::testing
