// SPDX-License-Identifier: Apache-2.0
// Options, names and expressions with a meaning to a compiler or a shell: none of them can inject
// code, options or commands.
#include <fmt/format.h>

#include "harness/base/tests/child.h"
#include "harness/device_code/tests/nvrtc/nvrtc_stage.h"

namespace harness::testing {
namespace {

using nvrtc::Result;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kKernel = "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] += 1; }\n";

/// A folder with files of options, and a file that nothing may change.
class NvrtcHostile : public NvrtcBy {
 protected:
  void SetUp() override {
    NvrtcBy::SetUp();
    write_file(folder_ / "options", fmt::format("-o {}\n", folder_ / "output"));
    write_file(folder_ / "victim", "unchanged");
  }
  void TearDown() override {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_.path()))
      ++count;
    if (!IsSkipped()) EXPECT_EQ(count, 2u) << "a file was made";
    NvrtcBy::TearDown();
  }

  Tried compile(const Wanted& wanted) const { return testing::compile(nvrtc(), wanted); }
  Result result_of(const std::vector<std::string>& options) const {
    Wanted wanted{kKernel, {"--no-cache"}};
    for (const std::string& option : options) wanted.options.push_back(option.c_str());
    return compile(wanted).result;
  }
  std::string place(const std::string& name) const { return folder_ / name; }

 private:
  Folder folder_;
};

TEST_P(NvrtcHostile, OptionsThatNameOptionFilesAreInvalid) {
  const std::string file = "@" + place("options");
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{file},
                                             {"--pre-include=" + file},
                                             {"-include", file},
                                             {"-U", file},
                                             {"-U" + file},
                                             {"-D" + file},
                                             {"-D", file},
                                             {"-I" + file},
                                             {"--include-path", file},
                                             {"-std=" + file},
                                             {"-diag-suppress=" + file},
                                             {"--diag-error", file},
                                             {"-Xptxas=" + file},
                                             {"--pch-dir=" + file}})
    EXPECT_EQ(result_of(options), Result::ERROR_INVALID_OPTION) << options.back();
}

TEST_P(NvrtcHostile, OptionsOfOtherCompilersAreInvalid) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"-fplugin=" + place("plugin.so")},
                                             {"--fplugin=/x"},
                                             {"-Xclang"},
                                             {"-Xcompiler=-o"},
                                             {"--options-file=" + place("options")},
                                             {"-optf", place("options")},
                                             {"-o", place("output")},
                                             {"-o" + place("output")},
                                             {"-arch=sm_90;id"},
                                             {"-arch=compute_90 -o x"},
                                             {"-diag-suppress=1,-o"},
                                             {"--maxrregcount=1 -o x"},
                                             {"-D"},
                                             {"-I="},
                                             {"-D=3"},
                                             {"-D-o=3"},
                                             {"-DX(=3"},
                                             {"-D{}{0}{1}=3"},
                                             {"-UX=3"},
                                             {"-DX=1\n#include </etc/passwd>"},
                                             {"-DX=1\\"},
                                             {"-DX=1?\?/"},
                                             {"-UX\n#include </etc/passwd>"},
                                             {"-include=a.h\"\n#include </etc/passwd>"}})
    EXPECT_EQ(result_of(options), Result::ERROR_INVALID_OPTION) << options.back();
}

TEST_P(NvrtcHostile, OptionsNeverReachAShell) {
  const std::string make = "touch " + place("output");
  EXPECT_EQ(result_of({"-DX=$(" + make + ")"}), Result::SUCCESS);
  EXPECT_EQ(result_of({"-DX=`" + make + "`"}), Result::SUCCESS);
  EXPECT_EQ(result_of({"-DX=\";" + make + ";\""}), Result::SUCCESS);
  for (const std::string& folder : {"/`" + make + "`", "/$(" + make + ")", "/\";" + make + ";\"",
                                    "/';" + make + ";'", std::string("/a,-o")})
    EXPECT_EQ(result_of({"-I" + folder}), Result::ERROR_INVALID_OPTION) << folder;
  EXPECT_NE(result_of({"-include=$(" + make + ")"}), Result::SUCCESS);
  EXPECT_EQ(compile({kKernel, {}, {}, {}, ("/`" + make + "`/k.cu").c_str()}).result,
            Result::SUCCESS);
}

TEST_P(NvrtcHostile, MacrosOfAnyNumberAndLengthAreAccepted) {
  const std::string digits = "-DLONG=" + std::string(200'000, '1');
  std::vector<std::string> options{digits};
  for (int i = 0; i < 5000; ++i) options.push_back(fmt::format("-DX{}=f(x)", i));
  EXPECT_EQ(result_of(options), Result::SUCCESS);
}

TEST_P(NvrtcHostile, HeadersStayInsideTheirFolder) {
  const std::string outside = "../../../../../../../../.." + place("header");
  const std::string absolute = place("victim");
  const std::string longest(300, 'a');
  for (const char* name : {outside.c_str(), absolute.c_str(), longest.c_str(), "", ".", "..", "a/",
                           "a/../../../../../../../../../../x", "../../7", "../8", "a\nb"}) {
    const Tried tried = compile({kKernel, {}, {}, {{name, "x"}}});
    EXPECT_EQ(tried.result, Result::ERROR_COMPILATION) << name;
    EXPECT_THAT(tried.log, HasSubstr("a header cannot have this name")) << name;
  }
  EXPECT_EQ(compile({kKernel, {}, {}, {{"a", "x"}, {"a/b", "y"}}}).result,
            Result::ERROR_COMPILATION);
  for (const char* name : {"@options", "-o", "$(x)", "afterlife_program.cu", "functions.cuh",
                           "../cuda/harness/device_code/nvrtc/device/functions.cuh"})
    EXPECT_EQ(compile({kKernel, {}, {}, {{name, "#error read\n"}}}).result, Result::SUCCESS)
        << name;
}

TEST_P(NvrtcHostile, AHeaderOfAnyNameCanBePreIncluded) {
  const std::string source = "#if VALUE != 7\n#error missing\n#endif\n" + std::string(kKernel);
  for (const char* name : {"-o", "$(x).h", "a b.h"})
    EXPECT_EQ(compile({source, {"-include", name}, {}, {{name, "#define VALUE 7\n"}}}).result,
              Result::SUCCESS)
        << name;
}

TEST_P(NvrtcHostile, AProgramNameIsEscapedToOneLine) {
  const std::string longest(100'000, 'x');
  for (const char* name :
       {"a\"b\\c", "a\n#error injected\nb", "a\r#error b", "a?\?/", "-o", "@options", "/etc/passwd",
        "a\x1b[31m\"; b", "\xff\xfe.cu", longest.c_str(), "a\"\n.global .u32 x;"}) {
    const Tried tried = compile({kKernel, {"-std=c++11"}, {}, {}, name});
    EXPECT_EQ(tried.result, Result::SUCCESS) << name << tried.log;
    EXPECT_THAT(tried.ptx, Not(HasSubstr("\n.global"))) << name;
    const Tried wrong = compile({"broken", {"-std=c++11"}, {}, {}, name});
    EXPECT_THAT(wrong.log, Not(HasSubstr("\x1b"))) << name;
    EXPECT_THAT(wrong.log, Not(HasSubstr("injected\nb"))) << name;
  }
}

TEST_P(NvrtcHostile, ANameExpressionCannotAddCode) {
  const std::string longest(100'000, 'k');
  for (const char* expression :
       {"k); } __global__ void evil() {} void f() { (void)(0", "k\n#include </etc/passwd>", "\"",
        "", " ", "&k, ({ asm(\"trap;\"); 0; })", "k // ", "k /*", "k)", "(k", "k[", "'\n'",
        "k\\"}) {
    const Tried tried = compile({kKernel, {}, {expression}});
    EXPECT_EQ(tried.result, Result::ERROR_COMPILATION) << expression;
    EXPECT_THAT(tried.log, HasSubstr("no expression")) << expression;
    EXPECT_THAT(tried.names.at(0), IsEmpty()) << expression;
  }
  EXPECT_EQ(compile({kKernel, {}, {longest.c_str()}}).result, Result::ERROR_COMPILATION);
  const Tried several =
      compile({"template <char C> __global__ void of() {}\n" + std::string(kKernel),
               {},
               {"k", "&k", "of<')'>", "of<(char)'\\''>"}});
  EXPECT_EQ(several.result, Result::SUCCESS) << several.log;
  EXPECT_EQ(several.names.at(2), "_Z2ofILc41EEvv");
}

constexpr const char* kCompilers[] = {"nvcc", "clang++-19"};
INSTANTIATE_TEST_SUITE_P(By, NvrtcHostile, ::testing::ValuesIn(kCompilers), compiler_name);

}  // namespace
}  // namespace harness::testing
