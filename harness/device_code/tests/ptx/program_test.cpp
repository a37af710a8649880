// SPDX-License-Identifier: Apache-2.0
// Programs that load their kernels as PTX: their results and their errors.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>

#include "harness/device_code/tests/ptx/program_stage.h"

namespace harness::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

class PtxProgram : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  PtxProgram() : OnGpuToo("programs.ptx") {}
};

/// Some that our driver alone says, or has its own clock for.
class OwnPtxProgram : public ProgramStage<PtxStage> {
 protected:
  OwnPtxProgram() : ProgramStage("programs.ptx") {}
};

class HopperPtxProgram : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  HopperPtxProgram() : OnGpuToo("hopper.ptx") {}
};

TEST_P(PtxProgram, AddsTwoVectors) {
  std::vector<int> a(1000);
  std::iota(a.begin(), a.end(), 1);
  const CUdeviceptr x = copy_of(a);
  const CUdeviceptr y = copy_of(std::vector<int>(1000, 7));
  const CUdeviceptr z = copy_of(std::vector<int>(1000, 0));
  ASSERT_EQ(launch(kernel("add"), 8, 128, 0, x, y, z, 999), CUDA_SUCCESS);
  const std::vector<int> sums = values_at<int>(z, 1000);
  for (int i = 0; i < 999; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)], i + 8);
  EXPECT_EQ(sums[999], 0);
  release(x), release(y), release(z);
}

TEST_F(OwnPtxProgram, CyclesAdvanceAtTheDevicesClockRate) {
  const CUdeviceptr passed = copy_of(std::vector<std::uint64_t>(2));
  ASSERT_EQ(launch(kernel("clocks"), 1, 1, 0, passed), CUDA_SUCCESS);
  const std::vector<std::uint64_t> clocks = values_at<std::uint64_t>(passed, 2);
  int kilohertz = 0;
  AFTERLIFE_CU(cuDeviceGetAttribute)(&kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0);
  EXPECT_GT(clocks[1], 0u);
  EXPECT_EQ(clocks[0] * 1'000'000, clocks[1] * static_cast<std::uint64_t>(kilohertz));
  release(passed);
}

TEST_F(OwnPtxProgram, EventsMeasureTheLongestSleep) {
  CUevent start = nullptr;
  CUevent end = nullptr;
  AFTERLIFE_CU(cuEventCreate)(&start, CU_EVENT_DEFAULT);
  AFTERLIFE_CU(cuEventCreate)(&end, CU_EVENT_DEFAULT);
  AFTERLIFE_CU(cuEventRecord)(start, nullptr);
  ASSERT_EQ(launch(kernel("sleep_by_thread"), 2, 64, 0), CUDA_SUCCESS);
  AFTERLIFE_CU(cuEventRecord)(end, nullptr);
  AFTERLIFE_CU(cuEventSynchronize)(end);
  float milliseconds = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuEventElapsedTime_v2)(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 6.3F);  // 63 times 0.1 ms.
  EXPECT_LT(milliseconds, 6.4F);
}

TEST_P(PtxProgram, TakesParametersInABuffer) {
  const CUdeviceptr x = copy_of(std::vector<int>{1, 2});
  const CUdeviceptr z = copy_of(std::vector<int>{0, 0});
  struct {
    CUdeviceptr a, b, c;
    int n;
  } values{x, x, z, 2};
  std::size_t bytes = 28;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &values, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  ASSERT_EQ(
      AFTERLIFE_CU(cuLaunchKernel)(kernel("add"), 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, extra),
      CUDA_SUCCESS);
  EXPECT_THAT(values_at<int>(z, 2), ElementsAre(2, 4));
  release(x), release(z);
}

TEST_P(PtxProgram, ReducesInSharedMemoryBetweenBarriers) {
  std::vector<int> in(1024);
  std::iota(in.begin(), in.end(), 0);
  const CUdeviceptr source = copy_of(in);
  const CUdeviceptr sums = copy_of(std::vector<int>(4));
  ASSERT_EQ(launch(kernel("reduce"), 4, 256, 0, source, sums), CUDA_SUCCESS);
  EXPECT_THAT(values_at<int>(sums, 4), ElementsAre(32640, 98176, 163712, 229248));
  release(source), release(sums);
}

TEST_P(PtxProgram, CountsByAtomicsInDynamicSharedMemory) {
  std::vector<unsigned char> in(1024);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * i);
  std::vector<unsigned> want(256);
  for (const unsigned char one : in) ++want[one];
  const CUdeviceptr source = copy_of(in);
  const CUdeviceptr bins = copy_of(std::vector<unsigned>(256));
  ASSERT_EQ(launch(kernel("histogram"), 4, 256, 1024, source, bins), CUDA_SUCCESS);
  EXPECT_EQ(values_at<unsigned>(bins, 256), want);
  release(source), release(bins);
}

TEST_P(PtxProgram, EachModuleHasItsOwnVariables) {
  const CUdeviceptr out = copy_of(std::vector<int>(3));
  CUdeviceptr counter = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuModuleGetGlobal_v2)(&counter, &bytes, module_, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4u);
  ASSERT_EQ(launch(kernel("variables"), 1, 1, 0, out), CUDA_SUCCESS);
  EXPECT_THAT(values_at<int>(out, 3), ElementsAre(5, 5, 10));
  EXPECT_THAT(values_at<int>(counter, 1), ElementsAre(40)) << "5, then 6, then 40";
  CUmodule other = load(file("programs.ptx"));
  CUdeviceptr another = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuModuleGetGlobal_v2)(&another, nullptr, other, "counter"), CUDA_SUCCESS);
  EXPECT_NE(another, counter);
  EXPECT_THAT(values_at<int>(another, 1), ElementsAre(5));
  EXPECT_EQ(AFTERLIFE_CU(cuModuleGetGlobal_v2)(&another, nullptr, other, "no"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(AFTERLIFE_CU(cuModuleUnload)(other), CUDA_SUCCESS);
  release(out);
}

TEST_P(PtxProgram, TheHostSeesManagedVariables) {
  CUlibrary managed = nullptr;
  ASSERT_EQ(AFTERLIFE_CU(cuLibraryLoadData)(&managed, file("managed.ptx").c_str(), nullptr, nullptr,
                                            0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const auto find = AFTERLIFE_CU(cuLibraryGetManaged);
  ASSERT_EQ(find(&address, &bytes, managed, "managed"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4u);
  auto* const value = reinterpret_cast<int*>(address);
  EXPECT_EQ(*value, 5);
  *value = 7;
  CUkernel add_own = nullptr;
  ASSERT_EQ(AFTERLIFE_CU(cuLibraryGetKernel)(&add_own, managed, "add_own"), CUDA_SUCCESS);
  ASSERT_EQ(launch(reinterpret_cast<CUfunction>(add_own), 1, 1, 0), CUDA_SUCCESS);
  ASSERT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  EXPECT_EQ(*value, 10);
  EXPECT_EQ(find(&address, &bytes, managed, "own"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(find(&address, &bytes, managed, "no"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(find(&address, &bytes, managed, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(AFTERLIFE_CU(cuLibraryUnload)(managed), CUDA_SUCCESS);
}

TEST_P(PtxProgram, CallsFunctionsByNameAndByPointer) {
  const CUdeviceptr out = copy_of(std::vector<int>(6));
  struct {
    int unused, which;
  } which{0, 1};
  ASSERT_EQ(launch(kernel("functions"), 1, 1, 0, out, which), CUDA_SUCCESS);
  EXPECT_THAT(values_at<int>(out, 6), ElementsAre(42, 81, 123, 1, 200, 1));
  release(out);
}

TEST_P(PtxProgram, AThreadMayExitInsideAFunction) {
  const CUdeviceptr out = copy_of(std::vector<int>(70));
  ASSERT_EQ(launch(kernel("leaving"), 1, 70, 0, out), CUDA_SUCCESS);
  const std::vector<int> got = values_at<int>(out, 70);
  for (std::size_t i = 0; i < 70; ++i) EXPECT_EQ(got[i], i % 2 == 0 ? 2 : 1) << i;
  release(out);
}

TEST_P(PtxProgram, LoadsLibrariesAndFiles) {
  CUlibrary loaded = nullptr;
  ASSERT_EQ(
      AFTERLIFE_CU(cuLibraryLoadFromFile)(&loaded, "harness/device_code/tests/ptx/programs.ptx",
                                          nullptr, nullptr, 0, nullptr, nullptr, 0),
      CUDA_SUCCESS);
  CUkernel found = nullptr;
  ASSERT_EQ(AFTERLIFE_CU(cuLibraryGetKernel)(&found, loaded, "beyond"), CUDA_SUCCESS);
  int value = 0;
  const auto attribute = [&](CUfunction_attribute which) {
    EXPECT_EQ(AFTERLIFE_CU(cuKernelGetAttribute)(&value, which, found, 0), CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 64);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION), 80);
  CUdeviceptr scale = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(AFTERLIFE_CU(cuLibraryGetGlobal)(&scale, &bytes, loaded, "scale"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(AFTERLIFE_CU(cuLibraryUnload)(loaded), CUDA_SUCCESS);
  CUmodule module = nullptr;
  ASSERT_EQ(AFTERLIFE_CU(cuModuleLoad)(&module, "harness/device_code/tests/ptx/warps.ptx"),
            CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuModuleLoad)(&module, "no such file"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_P(PtxProgram, LanesOfAWarpShuffleValues) {
  CUmodule module = load(file("warps.ptx"));
  const CUdeviceptr out = copy_of(std::vector<unsigned>(32 * 8));
  ASSERT_EQ(launch(function(module, "lanes"), 1, 32, 0, out), CUDA_SUCCESS);
  const std::vector<unsigned> got = values_at<unsigned>(out, 32 * 8);
  for (unsigned t = 0; t < 32; ++t) {
    const std::vector<unsigned> mine(got.begin() + 8 * t, got.begin() + 8 * t + 8);
    EXPECT_THAT(mine, ElementsAre(t ^ 1, t < 30 ? t + 2 : 1000, 0xaaaaaaaa, 496u,
                                  t % 2 != 0 ? 0xaaaaaaaa : 0x55555555, 1u, t == 0 ? 1u : 0u, 1u));
  }
  release(out);
}

TEST_P(PtxProgram, LanesReadTheirActiveMask) {
  CUmodule module = load(file("warps.ptx"));
  const CUdeviceptr out = copy_of(std::vector<unsigned>(3 * 48));
  ASSERT_EQ(launch(function(module, "together"), 1, 48, 0, out), CUDA_SUCCESS);
  const std::vector<unsigned> got = values_at<unsigned>(out, 3 * 48);
  for (unsigned t = 0; t < 40; ++t) {
    const unsigned all = t < 32 ? ~0u : 0xffffu;
    const std::vector<unsigned> mine(got.begin() + 3 * t, got.begin() + 3 * t + 3);
    EXPECT_THAT(mine,
                ElementsAre(t % 32 == 0 ? t : t - 1, all & (t % 2 != 0 ? 0xaaaaaaaa : 0x55555555),
                            t < 32 ? ~0u : 0xffu))
        << t;
  }
  release(out);
}

TEST_P(PtxProgram, EachAtomicTakesEffect) {
  CUmodule module = load(file("warps.ptx"));
  const CUdeviceptr words = copy_of(std::vector<unsigned>{5, 5, 64, 63, 0, 0, 0, 0, 3, 0, 0, 0});
  const CUdeviceptr halves = copy_of(std::vector<unsigned>{0});
  ASSERT_EQ(launch(function(module, "atomics"), 1, 32, 0, words, halves), CUDA_SUCCESS);
  // 32 times 0.5; up to 4 and down from it, round and round; 1.0 twice in each pair.
  EXPECT_THAT(values_at<unsigned>(words, 12),
              ElementsAre(0u, 31u, 95u, 0u, 0u, 0x41800000u, 2u, 3u, 77u, 0u, 496u, 0u));
  EXPECT_THAT(values_at<unsigned>(halves, 1), ElementsAre(0x50005000u));
  release(words), release(halves);
}

INSTANTIATE_ON_GPU_TOO(PtxProgram);

TEST_P(HopperPtxProgram, HintsHaveNoEffect) {
  const CUdeviceptr line = copy_of(std::vector<unsigned>(32));
  ASSERT_EQ(launch(kernel("hints"), 1, 128, 0, line), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  release(line);
}

INSTANTIATE_ON_GPU_TOO(HopperPtxProgram);

// ---- ends
// ----------------------------------------------------------------------------------------

TEST_F(OwnPtxProgram, AUseAfterFreeByAKernelIsReported) {
  const CUdeviceptr alive = copy_of(std::vector<int>{1});
  const CUdeviceptr freed = copy_of(std::vector<int>{1});
  release(freed);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS,
             "use_after_free device memory .*used:add 4 bytes at offset 0", "add", alive, freed,
             alive, 1);
  release(alive);
}

TEST_F(OwnPtxProgram, ATrapOrAFailedAssertionIsReported) {
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "crash trap used:stop", "stop");
  expect_end(CUDA_ERROR_ASSERT,
             "wow:12: wow: block: .0,0,0., thread: .0,0,0. Assertion `wow` failed", "claim");
}

TEST_P(HopperPtxProgram, AnUntranslatedInstructionMattersOnlyIfExecuted) {
  if (backend() == Backend::gpu) GTEST_SKIP() << "a GPU has all of these";
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "line 1[0-9]: wgmma.fence.sync.aligned is not translated",
             "unknown", 1);
  expect_end(CUDA_SUCCESS, "", "unknown", 0);
}

TEST_F(OwnPtxProgram, AnInvalidAccessIsReported) {
  const CUdeviceptr out = copy_of(std::vector<int>(4));
  expect_end(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address", "misaligned", out);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "wild_access .*used:beyond", "beyond", 64);
  expect_end(CUDA_SUCCESS, "", "beyond", 60);
  release(out);
}

TEST_F(OwnPtxProgram, PrintsAsTheDeviceDoes) {
  EXPECT_EXIT(
      {
        dup2(2, 1);
        launch(kernel("say"), 1, 1, 0, -42, 2.5);
        AFTERLIFE_CU(cuCtxSynchronize)();
        std::_Exit(7);
      },
      ExitedWithCode(7), "-42  2.50 wow.%.*-42  2.50 wow.%");
}

// ---- modules
// -------------------------------------------------------------------------------------

TEST_F(OwnPtxProgram, AModuleThatCannotBeTranslatedIsRefusedWithTheReason) {
  const auto status = [&](const std::string& image) {
    CUmodule module = nullptr;
    return AFTERLIFE_CU(cuModuleLoadData)(&module, image.c_str());
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(status(".version 8.3\n.target sm_80\n.address_size 64\n.entry k() { oops oops; }\n"),
            CUDA_SUCCESS)
      << "an instruction that no one knows is told when it is executed";
  EXPECT_EQ(status(".version 8.3\n.target sm_80\n.address_size 64\n.entry k( {"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(status("\x7f"
                   "ELF no PTX"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  const std::string message = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(message, HasSubstr("a module in PTX is refused: line 4: "));
  EXPECT_THAT(message, HasSubstr("needs PTX"));
}

/// The error log of a load: its text, and how much of it there is.
struct JitLog {
  char text[256] = "as it was";
  CUjit_option options[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[2] = {text, reinterpret_cast<void*>(sizeof text)};

  std::size_t length() const { return reinterpret_cast<std::size_t>(values[1]); }
};

TEST_F(OwnPtxProgram, TheErrorLogOfALoadHasTheReasonOrIsEmpty) {
  const std::string good = ".version 8.3\n.target sm_80\n.address_size 64\n";
  const std::string bad = good + ".entry k( {";
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  JitLog loaded;
  EXPECT_EQ(
      AFTERLIFE_CU(cuModuleLoadDataEx)(&module, good.c_str(), 2, loaded.options, loaded.values),
      CUDA_SUCCESS);
  EXPECT_STREQ(loaded.text, "");
  EXPECT_EQ(loaded.length(), 0u);
  JitLog refused;
  JitLog refused_library;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(
      AFTERLIFE_CU(cuModuleLoadDataEx)(&module, bad.c_str(), 2, refused.options, refused.values),
      CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(AFTERLIFE_CU(cuLibraryLoadData)(&library, bad.c_str(), refused_library.options,
                                            refused_library.values, 2, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_PTX);
  ::testing::internal::GetCapturedStderr();
  for (const JitLog& log : {refused, refused_library}) {
    EXPECT_THAT(log.text, HasSubstr("a module in PTX is refused: line 4: "));
    EXPECT_EQ(log.length(), std::strlen(log.text));
  }
}

TEST_F(OwnPtxProgram, ReportsAMissingCompiler) {
  EXPECT_EXIT(
      {
        setenv("AFTERLIFE_CLANG", "/no/such/compiler", 1);
        CUmodule module = nullptr;
        const CUresult status =
            AFTERLIFE_CU(cuModuleLoadData)(&module, ".version 8.3\n.target sm_80\n");
        std::_Exit(status == CUDA_ERROR_JIT_COMPILER_NOT_FOUND ? 7 : 8);
      },
      ExitedWithCode(7), "AFTERLIFE_CLANG names no program: /no/such/compiler");
}

/// How many files a folder has.
std::size_t file_count(const std::string& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

TEST_F(OwnPtxProgram, TwoProcessesCompileTheSameModuleConcurrently) {
  const std::string folder = (own_libcuda().parent_path() / "ptx_shared").string();
  std::filesystem::remove_all(folder);
  setenv("AFTERLIFE_PTX_CACHE", folder.c_str(), 1);
  pid_t children[4];
  for (pid_t& child : children) {
    child = fork();
    if (child != 0) continue;
    CUmodule module = nullptr;
    const std::string text = file("warps.ptx");
    _exit(AFTERLIFE_CU(cuModuleLoadData)(&module, text.c_str()) == CUDA_SUCCESS ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(file_count(folder), 1u) << "one shared object, and no draft";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace harness::testing
