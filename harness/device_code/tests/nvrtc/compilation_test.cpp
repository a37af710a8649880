// SPDX-License-Identifier: Apache-2.0
// Programs compiled by our libnvrtc.so.13, with each compiler of this machine.
#include "harness/base/tests/child.h"
#include "harness/device_code/tests/nvrtc/nvrtc_stage.h"

namespace harness::testing {
namespace {

using nvrtc::Result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kKernel = "__global__ void add_one(int* p) { *p += 1; }\n";

class NvrtcCompiles : public NvrtcBy {
 protected:
  Tried compile(const Wanted& wanted) const { return testing::compile(nvrtc(), wanted); }
};

TEST_P(NvrtcCompiles, AKernelToPtxOrForARealArchitectureToAnImage) {
  const Tried tried = compile({kKernel});
  ASSERT_EQ(tried.result, Result::SUCCESS) << tried.log;
  EXPECT_THAT(tried.log, IsEmpty());
  EXPECT_THAT(tried.ptx, HasSubstr(".target sm_75"));
  EXPECT_THAT(tried.ptx, HasSubstr(".entry _Z7add_onePi"));
  EXPECT_THAT(tried.cubin, IsEmpty()) << "compute_75 is virtual";
  const Tried real = compile({kKernel, {"--gpu-architecture=sm_80"}});
  EXPECT_THAT(real.ptx, HasSubstr(".target sm_80"));
  EXPECT_EQ(real.cubin, real.ptx);
}

TEST_P(NvrtcCompiles, TemplatesAndReturnsTheirLoweredNames) {
  const Tried tried =
      compile({"namespace k {\n"
               "template <class T, int N> __global__ void scale(T* p) { *p *= N; }\n"
               "__device__ int counter; __constant__ float table[4];\n}\n",
               {},
               {"k::scale<float, 4>", "&k::scale<int, 4>", "&k::counter", "k::table"}});
  ASSERT_EQ(tried.result, Result::SUCCESS) << tried.log;
  EXPECT_THAT(tried.names, ElementsAre("_ZN1k5scaleIfLi4EEEvPT_", "_ZN1k5scaleIiLi4EEEvPT_",
                                       "_ZN1k7counterE", "_ZN1k5tableE"));
  for (const std::string& name : tried.names) EXPECT_THAT(tried.ptx, HasSubstr(name));
  EXPECT_THAT(tried.ptx, Not(HasSubstr("afterlife_name")));
}

TEST_P(NvrtcCompiles, HeadersPassedWithTheProgram) {
  const Tried tried =
      compile({"#include \"a.h\"\n#include <sub/b.h>\n#include \"../c.h\"\n"
               "__global__ void k(int* p) { *p = A + B + C; }\n",
               {},
               {},
               {{"a.h", "#define A 1000\n"},
                {"sub/b.h", "#include \"../a.h\"\n#define B 200\n"},
                {"../c.h", "#define C 34\n"}}});
  ASSERT_EQ(tried.result, Result::SUCCESS) << tried.log;
  EXPECT_THAT(tried.ptx, HasSubstr("1234"));
  const Tried outside = compile({kKernel, {}, {}, {{"/etc/passwd", ""}}});
  EXPECT_EQ(outside.result, Result::ERROR_COMPILATION);
  EXPECT_THAT(outside.log, HasSubstr("/etc/passwd"));
}

TEST_P(NvrtcCompiles, ErrorsNameTheProgramAndTheLine) {
  const Tried tried = compile({"\n#warning careful\n__global__ void k(int* p) { *p = missing; }\n",
                               {},
                               {},
                               {},
                               "dir/kernel.cu"});
  EXPECT_EQ(tried.result, Result::ERROR_COMPILATION);
  EXPECT_THAT(tried.log, HasSubstr(is_clang() ? "dir/kernel.cu:3:" : "dir/kernel.cu(3): error"));
  EXPECT_THAT(tried.log, HasSubstr("missing"));
  EXPECT_THAT(tried.log, HasSubstr("careful"));
  EXPECT_THAT(tried.log, Not(HasSubstr("afterlife")));
  EXPECT_THAT(tried.ptx, IsEmpty());
  EXPECT_THAT(compile({"#include \"none.h\"\n"}).log, HasSubstr("default_program"));
}

TEST_P(NvrtcCompiles, AWarningIsInTheLogOfASuccess) {
  const std::string source = std::string("#warning careful\n") + kKernel;
  for (int time = 0; time < 2; ++time) {
    const Tried tried = compile({source});
    EXPECT_EQ(tried.result, Result::SUCCESS);
    EXPECT_THAT(tried.log, HasSubstr("careful")) << "compiled, or kept: " << time;
  }
  EXPECT_THAT(compile({source, {"-w"}}).log, Not(HasSubstr("careful")));
}

TEST_P(NvrtcCompiles, ANameExpressionThatNamesNothingIsAnError) {
  const Tried tried = compile({kKernel, {}, {"nothing_there"}});
  EXPECT_EQ(tried.result, Result::ERROR_COMPILATION);
  EXPECT_THAT(tried.log, HasSubstr("name expression"));
  EXPECT_THAT(tried.log, HasSubstr("nothing_there"));
}

TEST_P(NvrtcCompiles, OptionsTakeEffect) {
  const std::string macros =
      "#if !defined(A) || defined(B) || C != 7 || D != 1\n#error macros\n#endif\n";
  EXPECT_EQ(
      compile({macros + kKernel, {"-DA", "--define-macro=B", "-UB", "-D", "C=7", "-D D"}}).result,
      Result::SUCCESS);
  EXPECT_EQ(compile({"static_assert(__cplusplus == 202002L);\n", {"--std=c++20"}}).result,
            Result::SUCCESS);
  const char* product = "__global__ void k(float* p) { *p = p[1] * p[2] + p[3]; }\n";
  EXPECT_THAT(compile({product}).ptx, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(compile({product, {"-fmad=false"}}).ptx, Not(HasSubstr("fma.rn.f32")));
  EXPECT_THAT(compile({product, {"-use_fast_math"}}).ptx, HasSubstr("fma.rn.ftz"));
  const Tried both = compile({product, {"--fmad", "false", "-use_fast_math"}});
  EXPECT_THAT(both.ptx, HasSubstr(".ftz.f32"));
  EXPECT_THAT(both.ptx, Not(HasSubstr("fma.rn"))) << "what is said of one thing has the last word";
  EXPECT_THAT(compile({"#error alone\n"}).log, HasSubstr("alone"));
}

TEST_P(NvrtcCompiles, UnannotatedFunctionsAsDeviceFunctionsOnRequest) {
  const char* source =
      "int twice(int x) { return 2 * x; }\n__global__ void k(int* p) { *p = twice(*p); }\n";
  EXPECT_EQ(compile({source}).result, Result::ERROR_COMPILATION);
  const Tried tried = compile({source, {"-default-device"}});
  EXPECT_EQ(tried.result, Result::SUCCESS) << tried.log;
  EXPECT_THAT(compile({"oops\n", {"-default-device"}}).log, HasSubstr("oops"));
}

TEST_P(NvrtcCompiles, ToolkitHeadersWithDefaultDeviceFunctions) {
  if (is_clang()) GTEST_SKIP() << "the headers are our own";
  const Tried tried =
      compile({"#include <cooperative_groups.h>\n#include <cuda/std/complex>\n"
               "constexpr int twice(int x) { return 2 * x; }\n"
               "__global__ void k(int* p) { *p = twice(*p); }\n",
               {"--device-as-default-execution-space"}});
  EXPECT_EQ(tried.result, Result::SUCCESS) << tried.log;
}

TEST_P(NvrtcCompiles, SourceLinesIntoThePtx) {
  const Tried tried = compile({kKernel, {}, {}, {}, "named.cu"});
  EXPECT_THAT(tried.ptx, HasSubstr("named.cu\""));
  EXPECT_THAT(tried.ptx, HasSubstr(".loc"));
  EXPECT_THAT(tried.ptx, Not(HasSubstr("afterlife-nvrtc"))) << "our folder is no one's";
}

// ---- the cache ----------------------------------------------------------------------------------

class NvrtcKeeps : public NvrtcCompiles {
 protected:
  void SetUp() override {
    NvrtcCompiles::SetUp();
    setenv("AFTERLIFE_PTX_CACHE", (folder_ / "kept").c_str(), 1);
  }
  std::size_t kept() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_ / "kept"))
      ++count;
    return count;
  }
  Folder folder_;
};

TEST_P(NvrtcKeeps, AResultUntilAFileThatItReadChanges) {
  const std::string header = folder_ / "value.h";
  const std::string include = "-I" + folder_.path().string();
  const Wanted wanted{
      "#include <value.h>\n__global__ void k(int* p) { *p = VALUE; }\n", {include.c_str()}, {"k"}};
  write_file(header, "#define VALUE 4711\n");
  const Tried first = compile(wanted);
  ASSERT_EQ(first.result, Result::SUCCESS) << first.log;
  EXPECT_THAT(first.ptx, HasSubstr("4711"));
  EXPECT_EQ(kept(), 1u);
  const Tried again = compile(wanted);
  EXPECT_EQ(again.ptx, first.ptx);
  EXPECT_EQ(again.names, first.names);
  EXPECT_EQ(kept(), 1u);
  write_file(header, "#define VALUE 12345\n");
  EXPECT_THAT(compile(wanted).ptx, HasSubstr("12345"));
  EXPECT_EQ(kept(), 1u);
}

TEST_P(NvrtcKeeps, NothingWithoutACacheAndNoFailedCompilation) {
  EXPECT_EQ(compile({kKernel, {"--no-cache"}}).result, Result::SUCCESS);
  EXPECT_EQ(compile({"broken\n"}).result, Result::ERROR_COMPILATION);
  EXPECT_EQ(kept(), 0u);
}

TEST_P(NvrtcKeeps, AResultUnlessItsFileIsDamaged) {
  const Tried first = compile({kKernel});
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "kept"))
    write_file(file.path(), "no result");
  EXPECT_EQ(compile({kKernel}).ptx, first.ptx);
}

constexpr const char* kCompilers[] = {"nvcc", "clang++-19"};
INSTANTIATE_TEST_SUITE_P(By, NvrtcCompiles, ::testing::ValuesIn(kCompilers), compiler_name);
INSTANTIATE_TEST_SUITE_P(By, NvrtcKeeps, ::testing::ValuesIn(kCompilers), compiler_name);

}  // namespace
}  // namespace harness::testing
