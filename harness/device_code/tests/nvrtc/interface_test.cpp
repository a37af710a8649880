// SPDX-License-Identifier: Apache-2.0
// The functions of our libnvrtc.so.13, called as documented and incorrectly.
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#endif

#include <algorithm>
#include <type_traits>

#include "harness/base/process/process.h"
#include "harness/base/tests/child.h"
#include "harness/device_code/nvrtc/options.h"
#include "harness/device_code/tests/nvrtc/nvrtc_stage.h"

namespace harness::testing {
namespace {

using nvrtc::Options;
using nvrtc::Program;
using nvrtc::Result;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKernel = "__global__ void k(int* p) { *p += 1; }\n";

#if __has_include(<nvrtc.h>)
// ---- as NVIDIA's header has it ------------------------------------------------------------------

/// Types count as the same where the header's is its own type: handles and results.
template <class Ours, class Theirs>
constexpr bool is_same() {
  if (std::is_same_v<Ours, Theirs>) return true;
  if (std::is_enum_v<Ours>) return std::is_enum_v<Theirs>;
  if (std::is_same_v<Ours, Program*>) return std::is_pointer_v<Theirs>;
  if (std::is_same_v<Ours, Program**>) return std::is_pointer_v<Theirs>;
  return false;
}
template <class Ours, class Theirs>
constexpr bool kSameFunction = false;
template <class A, class... As, class B, class... Bs>
constexpr bool kSameFunction<A (*)(As...), B (*)(Bs...)> = [] {
  if constexpr (sizeof...(As) == sizeof...(Bs))
    return is_same<A, B>() && (is_same<As, Bs>() && ...);
  return false;
}();

#define NVRTC_FUNCTION(name, parameters, arguments) \
  static_assert(kSameFunction<decltype(nvrtc::Interface::name), decltype(&::name)>, #name);
#define NVRTC_RESULT(name, number) static_assert(number == NVRTC_##name);
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_FUNCTION
#undef NVRTC_RESULT
#endif

TEST_F(Nvrtc, ExportsOnlyTheFunctionsOfTheHeader) {
#define NVRTC_FUNCTION(name, parameters, arguments) EXPECT_NE(nvrtc().name, nullptr) << #name;
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_FUNCTION
  const auto words =
      reinterpret_cast<const char* (*)(Result)>(dlsym(library(), "nvrtcGetErrorString"));
  ASSERT_NE(words, nullptr);
#define NVRTC_RESULT(name, number) EXPECT_STREQ(words(Result::name), "NVRTC_" #name);
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_RESULT
  EXPECT_STREQ(words(static_cast<Result>(99)), "NVRTC_ERROR unknown");
}

TEST_F(Nvrtc, ReportsItsVersion) {
  int major = 0, minor = -1, count = 0;
  EXPECT_EQ(nvrtc().nvrtcVersion(&major, &minor), Result::SUCCESS);
  EXPECT_EQ(major * 1000 + minor * 10, 13000);
  EXPECT_EQ(nvrtc().nvrtcVersion(nullptr, &minor), Result::ERROR_INVALID_INPUT);
  ASSERT_EQ(nvrtc().nvrtcGetNumSupportedArchs(&count), Result::SUCCESS);
  std::vector<int> all(static_cast<std::size_t>(count));
  ASSERT_EQ(nvrtc().nvrtcGetSupportedArchs(all.data()), Result::SUCCESS);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.front(), 75);
  EXPECT_EQ(nvrtc().nvrtcGetNumSupportedArchs(nullptr), Result::ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtc().nvrtcGetSupportedArchs(nullptr), Result::ERROR_INVALID_INPUT);
}

TEST_F(Nvrtc, RefusesAnInvalidProgram) {
  const nvrtc::Interface& n = nvrtc();
  Program* made = nullptr;
  const char* texts[] = {nullptr};
  EXPECT_EQ(n.nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr),
            Result::ERROR_INVALID_PROGRAM);
  EXPECT_EQ(n.nvrtcCreateProgram(&made, nullptr, "", 0, nullptr, nullptr),
            Result::ERROR_INVALID_INPUT);
  EXPECT_EQ(n.nvrtcCreateProgram(&made, "", "", -1, nullptr, nullptr), Result::ERROR_INVALID_INPUT);
  EXPECT_EQ(n.nvrtcCreateProgram(&made, "", "", 1, nullptr, texts), Result::ERROR_INVALID_INPUT);
  EXPECT_EQ(n.nvrtcCreateProgram(&made, "", "", 1, texts, texts), Result::ERROR_INVALID_INPUT);
  ASSERT_EQ(n.nvrtcCreateProgram(&made, kKernel, "", 0, nullptr, nullptr), Result::SUCCESS);
  Program* const gone = made;
  EXPECT_EQ(n.nvrtcDestroyProgram(&made), Result::SUCCESS);
  std::size_t bytes = 0;
  char text[8] = {};
  const char* name = nullptr;
  const auto stop = [](void*, void*) { return 1; };
  for (Program* none : {static_cast<Program*>(nullptr), gone}) {
    Program* handle = none;
    const Result results[] = {
        n.nvrtcDestroyProgram(&handle),
        n.nvrtcCompileProgram(none, 0, nullptr),
        n.nvrtcGetPTXSize(none, &bytes),
        n.nvrtcGetPTX(none, text),
        n.nvrtcGetCUBINSize(none, &bytes),
        n.nvrtcGetCUBIN(none, text),
        n.nvrtcGetLTOIRSize(none, &bytes),
        n.nvrtcGetLTOIR(none, text),
        n.nvrtcGetOptiXIRSize(none, &bytes),
        n.nvrtcGetOptiXIR(none, text),
        n.nvrtcGetProgramLogSize(none, &bytes),
        n.nvrtcGetProgramLog(none, text),
        n.nvrtcAddNameExpression(none, "k"),
        n.nvrtcGetLoweredName(none, "k", &name),
        n.nvrtcGetPCHCreateStatus(none),
        n.nvrtcGetPCHHeapSizeRequired(none, &bytes),
        n.nvrtcSetFlowCallback(none, stop, nullptr),
    };
    for (std::size_t i = 0; i < std::size(results); ++i)
      EXPECT_EQ(results[i], Result::ERROR_INVALID_PROGRAM) << i;
  }
  EXPECT_EQ(n.nvrtcDestroyProgram(nullptr), Result::ERROR_INVALID_PROGRAM);
}

TEST_F(Nvrtc, RefusesNullAndCallsInTheWrongOrder) {
  const nvrtc::Interface& n = nvrtc();
  Program* made = nullptr;
  ASSERT_EQ(n.nvrtcCreateProgram(&made, kKernel, nullptr, 0, nullptr, nullptr), Result::SUCCESS);
  const char* name = nullptr;
  std::size_t bytes = 7;
  for (const Result result :
       {n.nvrtcCompileProgram(made, -1, nullptr), n.nvrtcGetPTXSize(made, nullptr),
        n.nvrtcGetPTX(made, nullptr), n.nvrtcGetCUBINSize(made, nullptr),
        n.nvrtcGetCUBIN(made, nullptr), n.nvrtcGetLTOIRSize(made, nullptr),
        n.nvrtcGetLTOIR(made, nullptr), n.nvrtcGetOptiXIRSize(made, nullptr),
        n.nvrtcGetOptiXIR(made, nullptr), n.nvrtcGetProgramLogSize(made, nullptr),
        n.nvrtcGetProgramLog(made, nullptr), n.nvrtcAddNameExpression(made, nullptr),
        n.nvrtcGetLoweredName(made, nullptr, &name), n.nvrtcGetLoweredName(made, "k", nullptr),
        n.nvrtcGetPCHHeapSize(nullptr), n.nvrtcGetPCHHeapSizeRequired(made, nullptr),
        n.nvrtcSetFlowCallback(made, nullptr, nullptr)})
    EXPECT_EQ(result, Result::ERROR_INVALID_INPUT);
  EXPECT_EQ(n.nvrtcCompileProgram(made, 1, nullptr), Result::ERROR_INVALID_OPTION);
  EXPECT_EQ(n.nvrtcAddNameExpression(made, "k"), Result::SUCCESS);
  EXPECT_EQ(n.nvrtcGetLoweredName(made, "k", &name),
            Result::ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  EXPECT_EQ(n.nvrtcGetPTXSize(made, &bytes), Result::SUCCESS);
  EXPECT_EQ(bytes, 1u) << "the zero behind no text";
  for (auto* size : {n.nvrtcGetCUBINSize, n.nvrtcGetLTOIRSize, n.nvrtcGetOptiXIRSize}) {
    EXPECT_EQ(size(made, &bytes), Result::SUCCESS);
    EXPECT_EQ(bytes, 0u);
  }
  ASSERT_EQ(n.nvrtcCompileProgram(made, 0, nullptr), Result::SUCCESS);
  EXPECT_EQ(n.nvrtcAddNameExpression(made, "k"),
            Result::ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  EXPECT_EQ(n.nvrtcGetLoweredName(made, "another", &name), Result::ERROR_NAME_EXPRESSION_NOT_VALID);
  EXPECT_EQ(n.nvrtcGetLoweredName(made, "k", &name), Result::SUCCESS);
  EXPECT_STREQ(name, "_Z1kPi");
  n.nvrtcDestroyProgram(&made);
}

TEST_F(Nvrtc, CallsTheFlowCallback) {
  const nvrtc::Interface& n = nvrtc();
  Program* made = nullptr;
  ASSERT_EQ(n.nvrtcCreateProgram(&made, kKernel, "", 0, nullptr, nullptr), Result::SUCCESS);
  int answer = 0;
  const auto stops = [](void* wanted, void* reserved) {
    return reserved == nullptr ? *static_cast<int*>(wanted) : 0;
  };
  ASSERT_EQ(n.nvrtcSetFlowCallback(made, stops, &answer), Result::SUCCESS);
  EXPECT_EQ(n.nvrtcCompileProgram(made, 0, nullptr), Result::SUCCESS);
  answer = 1;
  EXPECT_EQ(n.nvrtcCompileProgram(made, 0, nullptr), Result::ERROR_CANCELLED);
  n.nvrtcDestroyProgram(&made);
}

TEST_F(Nvrtc, MakesNoPrecompiledHeaders) {
  const nvrtc::Interface& n = nvrtc();
  std::size_t bytes = 0;
  EXPECT_EQ(n.nvrtcSetPCHHeapSize(5000), Result::SUCCESS);
  EXPECT_EQ(n.nvrtcGetPCHHeapSize(&bytes), Result::SUCCESS);
  EXPECT_EQ(bytes, 8192u) << "rounded up to pages";
  Program* made = nullptr;
  n.nvrtcCreateProgram(&made, kKernel, "", 0, nullptr, nullptr);
  EXPECT_EQ(n.nvrtcGetPCHCreateStatus(made), Result::ERROR_NO_PCH_CREATE_ATTEMPTED);
  const char* options[] = {"--create-pch=headers.pch"};
  EXPECT_EQ(n.nvrtcCompileProgram(made, 1, options), Result::SUCCESS);
  EXPECT_EQ(n.nvrtcGetPCHCreateStatus(made), Result::ERROR_PCH_CREATE);
  n.nvrtcDestroyProgram(&made);
}

// ---- options ------------------------------------------------------------------------------------

TEST_F(Nvrtc, RefusesAWrongOptionWithTheReason) {
  const std::pair<std::vector<const char*>, const char*> wrong[] = {
      {{"--no-such-option"}, "no such option: --no-such-option"},
      {{"file.cu"}, "no such option: file.cu"},
      {{"--gpu-architecture=sm_12"}, "'sm_12'"},
      {{"-arch", "compute_80x"}, "'compute_80x'"},
      {{"-arch"}, "takes an argument"},
      {{"-arch=80"}, "'80'"},
      {{"--std=c++98"}, "not 'c++98'"},
      {{"--fmad=maybe"}, "takes true or false, not 'maybe'"},
      {{"--maxrregcount=many"}, "takes a number, not 'many'"},
      {{"-w=true"}, "takes no argument"},
      {{"-dlto"}, "not supported"},
      {{"--optix-ir"}, "not supported"},
      {{nullptr}, "null"},
  };
  for (const auto& [options, words] : wrong) {
    const Tried tried = compile(nvrtc(), {kKernel, options});
    EXPECT_EQ(tried.result, Result::ERROR_INVALID_OPTION) << words;
    EXPECT_THAT(tried.log, HasSubstr(words));
  }
}

TEST(NvrtcOptions, AreParsedInEachDocumentedForm) {
  const auto read = [](std::vector<const char*> given) { return nvrtc::parse_options(given); };
  for (const Options& options :
       {read({"--gpu-architecture=sm_90a"}), read({"--gpu-architecture", "sm_90a"}),
        read({"-arch=sm_90a"}), read({"-arch", "sm_90a"})}) {
    EXPECT_EQ(options.architecture, "sm_90a");
    EXPECT_EQ(options.generation(), "90a");
    EXPECT_TRUE(options.is_real());
  }
  for (const Options& options : {read({"-DX=1"}), read({"-D=X=1"}), read({"-D X=1"}),
                                 read({"-D", "X=1"}), read({"--define-macro=X=1"})}) {
    EXPECT_TRUE(options.shared.empty()) << "no text of a program's is a compiler's word";
    EXPECT_EQ(options.macros, "#define X 1\n");
  }
  const Options all = read({"-I/a", "--include-path=/b", "-include", "c.h", "-rdc=true",
                            "--fmad=false", "-use_fast_math", "-no-source-include", "-no-cache"});
  EXPECT_THAT(all.includes, ElementsAre("/a", "/b"));
  EXPECT_EQ(all.pre_includes, "#include \"c.h\"\n");
  EXPECT_TRUE(all.is_relocatable && !all.contracts && all.is_fast_math);
  EXPECT_TRUE(!all.searches_beside_source && !all.uses_cache);
  EXPECT_EQ(read({"--brief-diagnostics=false"}).shared[0].for_clang, "");
  EXPECT_TRUE(read({"--device-stack-protector"}).shared.empty());
  EXPECT_EQ(read({"--time=x"}).notes.size(), 1u);
}

TEST(NvrtcOptions, AndFunctionsAreAllInTheReference) {
  const std::string reference = read_file("harness/docs/reference/nvrtc.md");
#define OPTION(name, brief, argument, use, for_clang) \
  EXPECT_THAT(reference, HasSubstr("`" name "`"));
#include "harness/device_code/nvrtc/options.def"
#undef OPTION
  const std::string functions = read_file("harness/device_code/nvrtc/functions.tsv");
#define NVRTC_FUNCTION(name, parameters, arguments) \
  EXPECT_THAT(functions, HasSubstr("\n" #name "\t"));
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_FUNCTION
  EXPECT_THAT(functions, HasSubstr("\nnvrtcGetErrorString\t"));
}

// ---- the world ----------------------------------------------------------------------------------

TEST_F(Nvrtc, ReportsAMissingCompiler) {
  EXPECT_EXIT(
      {
        setenv("AFTERLIFE_CUDA_COMPILER", "/no/such/compiler", 1);
        const Tried tried = compile(nvrtc(), {kKernel});
        const bool is_reported = tried.result == Result::ERROR_BUILTIN_OPERATION_FAILURE &&
                                 tried.log.find("/no/such/compiler") != std::string::npos;
        std::_Exit(is_reported ? 7 : 8);
      },
      ExitedWithCode(7),
      "^afterlife: nvrtc: error: AFTERLIFE_CUDA_COMPILER names no program: /no/such/compiler\n$");
}

TEST_F(Nvrtc, DependsOnlyOnTheCLibraryUntilItsFirstCall) {
  const std::atomic<bool> go_on{false};
  const ProcessEnd end =
      run_process({"/bin/cat", "/proc/self/maps"},
                  {60, {"LD_PRELOAD=" + nvrtc_file().string()}, kErrKept}, go_on);
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("libnvrtc.so.13"));
  EXPECT_THAT(end.out, Not(HasSubstr("libstdc++")));
  EXPECT_THAT(end.out, Not(HasSubstr("libafterlife_nvrtc")));
}

}  // namespace
}  // namespace harness::testing
