// SPDX-License-Identifier: Apache-2.0
// Generated texts with unusual names, sizes and nesting depths.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <set>

#include "harness/device_code/ptx/image.h"
#include "harness/device_code/ptx/layout.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

using ::testing::HasSubstr;

/// A module with an entry that has these statements.
std::string module_of(const std::string& statements, const std::string& before = "",
                      const std::string& parameters = "") {
  return fmt::format(
      ".version 8.0\n.target sm_80\n.address_size 64\n{}.visible .entry kern({})\n{{\n.reg .pred "
      "%p<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n{}\nret;\n}}\n",
      before, parameters, statements);
}

/// Returns why a text is refused, or "" if it is accepted. Nothing is compiled.
std::string refusal_of(const std::string& text) {
  try {
    ptx::source_of(text);
  } catch (const ptx::Refused& refused) {
    return refused.words;
  }
  return {};
}

std::string repeated(const std::string& text, int count) {
  std::string made;
  for (int i = 0; i < count; ++i) made += text;
  return made;
}

// ---- depths -------------------------------------------------------------------------------------

TEST(PtxDepth, NestingOfOperandsValuesAndBlocksIsLimited) {
  constexpr int kDeep = 200'000;
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"{", "}"}, {"[", "]"}})
    EXPECT_THAT(refusal_of(module_of("mov.u32 %r1, " + repeated(open, kDeep) + "1" +
                                     repeated(close, kDeep) + ";")),
                HasSubstr("more than 256 brackets or blocks in each other"))
        << open;
  EXPECT_THAT(refusal_of(module_of(repeated("{", kDeep) + repeated("}", kDeep))),
              HasSubstr("more than 256"));
  for (const char* open : {"(", "{", "generic("})
    EXPECT_THAT(refusal_of(module_of("", ".global .u32 x = " + repeated(open, kDeep) + "1;\n")),
                HasSubstr("more than 256"))
        << open;
}

TEST(PtxDepth, RealisticNestingIsAccepted) {
  EXPECT_EQ(refusal_of(module_of(repeated("{", 100) + repeated("}", 100))), "");
  EXPECT_EQ(refusal_of(module_of("", ".global .u32 x[2][1] = {{1},{2}};\n")), "");
}

TEST(PtxDepth, DeepInliningIsAccepted) {
  std::string lines = ".loc 1 1 1\n";
  for (int i = 2; i < 200'000; ++i)
    lines += fmt::format(".loc 1 {} 1, function_name $x, inlined_at 1 {} 1\n", i, i - 1);
  EXPECT_EQ(refusal_of(module_of(lines, ".file 1 \"a.cu\"\n")), "");
}

// ---- sizes --------------------------------------------------------------------------------------

TEST(PtxSize, AVariableLargerThanItsMemoryIsRefusedWithTheLimit) {
  for (const char* variable :
       {".shared .b8 s[18446744073709551615];", ".shared .b8 s[49153];",
        ".shared .b64 s[4294967296][4294967296];", ".local .b64 s[9223372036854775807];",
        ".local .b8 s[4294967296];", ".shared .align 3 .b8 s[4];", ".shared .align 0 .b8 s[4];",
        ".shared .align 18446744073709551615 .b8 s[4];", ".param .b8 s[18446744073709551615];",
        ".reg .b32 %x<18446744073709551615>;"})
    EXPECT_THAT(refusal_of(module_of(variable)), ::testing::ContainsRegex("^line [49]: "))
        << variable;
  for (const char* variable :
       {".const .b8 s[65537];", ".const .b64 s[2305843009213693952];", ".global .b8 s[1073741825];",
        ".global .b8 s[18446744073709551615];", ".global .v4 .f32 s[4611686018427387904];",
        ".shared .b8 a[4294967295];\n.shared .b8 b[4294967295];", ".global .align 7 .b8 s[4];"})
    EXPECT_NE(refusal_of(module_of("", std::string(variable) + "\n")), "") << variable;
  EXPECT_NE(refusal_of(module_of("mov.u32 %r1, s;", ".shared .b8 s[49153];\n")), "");
  EXPECT_NE(refusal_of(module_of("", "", ".param .b8 p[32765]")), "");
  EXPECT_NE(refusal_of(module_of("", "", ".param .b8 p[18446744073709551615]")), "");
  EXPECT_NE(refusal_of(".version 99999999999.9\n"), "");
}

TEST(PtxSize, AVariableAsLargeAsItsMemoryIsAccepted) {
  EXPECT_EQ(refusal_of(module_of(".shared .align 1024 .b8 s[49152];")), "");
  EXPECT_EQ(refusal_of(module_of("", ".const .b8 s[65536];\n.global .b8 g[1048576];\n")), "");
  EXPECT_EQ(refusal_of(module_of(".local .b8 s[524288];")), "") << "it stops the kernel";
  EXPECT_EQ(refusal_of(module_of("", "", ".param .b8 p[4096]")), "");
}

TEST(PtxSize, AnEmptyVectorStopsTheKernel) {
  EXPECT_THAT(ptx::source_of(module_of("mov.b32 {}, %r1;\nmov.b64 %rd1, {};\n")),
              HasSubstr("another number of parts"));
}

// ---- names --------------------------------------------------------------------------------------

TEST(PtxNames, DifferentNamesStayDifferent) {
  std::set<std::string> made;
  const char* names[] = {"a$b", "aDb", "a_b", "a$$b", "a.b", "a::b",
                         "%a",  "Ra",  "$a",  "pa",   "$pa", "a"};
  for (const char* name : names) made.insert(ptx::identifier(name));
  EXPECT_EQ(made.size(), std::size(names));
}

TEST(PtxNames, ARedefinitionIsRefused) {
  EXPECT_THAT(refusal_of(module_of("", ".visible .entry kern()\n{\nret;\n}\n")),
              HasSubstr("'kern' is defined twice"));
  EXPECT_THAT(refusal_of(module_of("L:\nL:")), HasSubstr("'L' is defined twice"));
  EXPECT_EQ(refusal_of(module_of("L:\n{\nL:\n}")), "");
}

class PtxNamed : public PtxStage {};

/// Names that mean something in C++, or to what we write, are those of an entry, a function, a
/// register, a label, a variable and a parameter at once.
TEST_F(PtxNamed, ReservedWordsOfCppCanNameAnything) {
  const char* words[] = {"default",    "union", "new",   "class",  "int",   "this",  "namespace",
                         "parameters", "t",     "stack", "carry",  "ptx",   "enter", "a0",
                         "a$b",        "aDb",   "f_a$b", "static", "goto",  "asm",   "bool",
                         "and",        "main",  "NULL",  "linux",  "value", "first"};
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const char* word : words)
    text += fmt::format(
        ".global .u32 g{0};\n.func (.param .b32 {0}) f{0}(.param .b32 x)\n{{\n.reg .b32 {0}1;\n"
        "ld.param.u32 {0}1, [x];\nadd.u32 {0}1, {0}1, 1;\nst.param.b32 [{0}], {0}1;\nret;\n}}\n"
        ".visible .entry {0}(.param .u64 p{0})\n{{\n.reg .b64 %{0};\n.reg .b32 {0}2;\n"
        "ld.param.u64 %{0}, [p{0}];\nbra {0}3;\n{0}3:\n"
        "{{\n.param .b32 {0}4;\n.param .b32 {0}5;\nst.param.b32 [{0}4], 6;\n"
        "call ({0}5), f{0}, ({0}4);\nld.param.b32 {0}2, [{0}5];\n}}\n"
        "st.global.u32 [%{0}], {0}2;\nret;\n}}\n",
        word);
  const CUmodule module = load_image(text.c_str());
  const CUdeviceptr result = copy_of(std::vector<int>{0});
  for (const char* word : words) {
    AFTERLIFE_CU(cuMemsetD32_v2)(result, 0, 1);
    EXPECT_EQ(launch(function(module, word), 1, 1, 0, result), CUDA_SUCCESS) << word;
    EXPECT_EQ(values_at<int>(result, 1).at(0), 7) << word;
  }
  release(result);
}

TEST_F(PtxNamed, AFunctionMayHaveTheNameOfAGeneratedVariable) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const char* words[] = {"default", "parameters", "t", "union", "a0", "enter_kern"};
  for (const char* word : words) text += fmt::format(".func {}()\n{{\nret;\n}}\n", word);
  text += ".visible .entry kern()\n{\n";
  for (const char* word : words) text += fmt::format("call {};\n", word);
  const CUmodule module = load_image((text + "ret;\n}\n").c_str());
  EXPECT_EQ(launch(function(module, "kern"), 1, 1, 0), CUDA_SUCCESS);
}

TEST_F(PtxNamed, AModuleLargerThanTheDeviceIsRefused) {
  CUmodule module = nullptr;
  const auto load = [&](const std::string& before) {
    return AFTERLIFE_CU(cuModuleLoadData)(&module, module_of("", before).c_str());
  };
  EXPECT_EQ(load(".global .b8 s[1099511627776] = {1};\n"), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(load(".const .b8 s[65537];\n"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load(".global .u32 x = " + repeated("(", 20'000) + "1;\n"), CUDA_ERROR_INVALID_PTX);
}

/// The kernel's own memory follows the module's, even if it uses none of that.
TEST_F(PtxNamed, AKernelsSharedMemoryFollowsItsModules) {
  const CUmodule module =
      load_image(module_of("ld.param.u64 %rd1, [p];\n.shared .align 4 .b8 own[64];\n"
                           "mov.u32 %r1, own;\nst.shared.u32 [%r1+60], 7;\n"
                           "ld.shared.u32 %r2, [%r1+60];\nst.global.u32 [%rd1], %r2;",
                           ".shared .align 4 .b8 all[64];\n", ".param .u64 p")
                     .c_str());
  const CUdeviceptr result = copy_of(std::vector<int>{0});
  EXPECT_EQ(launch(function(module, "kern"), 1, 1, 0, result), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  EXPECT_EQ(values_at<int>(result, 1).at(0), 7);
  release(result);
}

// ---- mutations ----------------------------------------------------------------------------------

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t most) { return random() % std::max<std::size_t>(most, 1); };
  constexpr const char* kPieces[] = {"(",
                                     ")",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ";",
                                     "-1",
                                     "<4>",
                                     ".",
                                     "::",
                                     "%r1",
                                     ".b128",
                                     "@!",
                                     "\"",
                                     "=",
                                     "{}",
                                     ".param .b8 z[4];",
                                     "18446744073709551615",
                                     ".shared",
                                     ".v4",
                                     ".align 64",
                                     "L:",
                                     "0f3F800000",
                                     "\xff"};
  for (std::size_t i = 0; i <= below(6); ++i) {
    const std::size_t at = below(text.size());
    const std::size_t bytes = std::min(below(30), text.size() - at);
    switch (below(4)) {
      case 0:
        text.erase(at, bytes);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(80)));
        break;
      default:
        text.replace(at, bytes, kPieces[below(std::size(kPieces))]);
    }
  }
  return text;
}

TEST(PtxMutation, NoMutatedTextCrashesTheTranslation) {
  constexpr int kTexts = 60;
  for (const char* name : {"ampere", "barriers", "fragments", "heap", "hopper", "matrices",
                           "mbarriers", "programs", "sites", "textures", "warps"}) {
    std::ifstream in(fmt::format("harness/device_code/tests/ptx/{}.ptx", name));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    ASSERT_FALSE(text.empty()) << name;
    for (int seed = 0; seed < kTexts; ++seed) {
      const pid_t child = fork();
      if (child == 0) {
        std::mt19937 random(static_cast<unsigned>(seed));
        refusal_of(mutated(text, random));
        _exit(0);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0) << name << ", mutation " << seed;
    }
  }
}

}  // namespace
}  // namespace harness::testing
