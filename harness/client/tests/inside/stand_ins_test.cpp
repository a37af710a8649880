// SPDX-License-Identifier: Apache-2.0
// Stand-ins of nvcc and ptxas: cubins that are PTX, and every other use of the tools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/process/tool.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/base/tests/folder.h"
#include "harness/client/inside/stand_ins/commands.h"

namespace harness::stand_ins {
namespace {

using ::testing::ElementsAre;

const std::string kPtx = "// A comment.\n.version 8.3\n.target sm_80\n.address_size 64\n";

class StandIns : public ::testing::Test {
 protected:
  StandIns() {
    write_file(folder_ / "in.ptx", kPtx);
    write_file(folder_ / "in.cu", "extern \"C\" __global__ void k(int* a) { *a = 1; }\n");
  }
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "a build with a sanitizer runs no other programs";
  }

  static std::filesystem::path bin() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib/stand_ins/bin";
  }
  /// Runs a command of a shell in the folder, with the stand-ins first in PATH.
  ProcessEnd run(const std::string& words, const std::string& path = std::getenv("PATH")) const {
    return run_tool({"/bin/sh", "-c", words},
                    {.environment = {"PATH=" + bin().string() + ":" + path}},
                    folder_.path().string());
  }

  Folder folder_;
};

// ---- what is asked for --------------------------------------------------------------------------

TEST_F(StandIns, APtxasIsToldWhichFileIsPtxInAnyOrder) {
  const std::string in = folder_ / "in.ptx";
  for (const Arguments& arguments : {Arguments{in, "-o", "out", "-arch", "sm_80", "-v"},
                                     Arguments{"-v", "--gpu-name=sm_80", "-o", "out", in},
                                     Arguments{"--output-file=out", "-O3", in},
                                     Arguments{"-lineinfo", in, "--output-file", "out"},
                                     Arguments{"-o=out", "-c", "-m", "64", in}}) {
    const Wanted wanted = read_ptxas(arguments);
    EXPECT_EQ(wanted.input, in);
    EXPECT_EQ(wanted.output, "out");
  }
  EXPECT_EQ(read_ptxas({in}).output, "elf.o") << "as ptxas --help says";
}

TEST_F(StandIns, AnyOtherUseIsThatOfTheTool) {
  const std::string in = folder_ / "in.ptx";
  for (const Arguments& arguments :
       {Arguments{"--version"}, Arguments{"-V"}, Arguments{"--help"}, Arguments{},
        Arguments{in, "--version"}, Arguments{in, in}, Arguments{folder_ / "none.ptx"},
        Arguments{folder_ / "in.cu"}, Arguments{"-ias", kPtx}, Arguments{"-optf", in}})
    EXPECT_EQ(read_ptxas(arguments).input, "");
  const std::string source = folder_ / "in.cu";
  for (const Arguments& arguments :
       {Arguments{"-ptx", source}, Arguments{source, "-o", "program"}, Arguments{"--version"},
        Arguments{"-cubin"}, Arguments{"-cubin", source, in},
        Arguments{"-dryrun", "-cubin", source}, Arguments{"-fatbin", source}})
    EXPECT_EQ(read_nvcc(arguments).input, "");
}

TEST_F(StandIns, AnNvccIsToldWhereTheCubinGoes) {
  const std::string in = folder_ / "in.cu";
  EXPECT_EQ(read_nvcc({"--cubin", "-arch", "sm_80", in}).output, "in.cubin");
  EXPECT_EQ(read_nvcc({"-cubin", in, "-odir", "/there"}).output, "/there/in.cubin");
  EXPECT_EQ(read_nvcc({"-o", "x.o", "-cubin", in}).output, "x.o");
  EXPECT_EQ(read_nvcc({"-include", in, "-cubin", in}).input, in) << "one is a header";
  const Arguments arguments{"--cubin", "-arch=sm_80", in};
  EXPECT_THAT(for_ptx(arguments, read_nvcc(arguments)),
              ElementsAre("-ptx", "-arch=sm_80", in, "-o", "in.cubin"));
}

// ---- what is done -------------------------------------------------------------------------------

TEST_F(StandIns, ACubinIsThePtxWithAZeroBehindIt) {
  EXPECT_EQ(run("ptxas in.ptx -o out.cubin --gpu-name sm_80").code, 0);
  EXPECT_EQ(read_file(folder_ / "out.cubin"), kPtx + '\0');
  EXPECT_EQ(run("ptxas out.cubin -o again.cubin").code, 0);
  EXPECT_EQ(read_file(folder_ / "again.cubin"), kPtx + '\0') << "not two";
  EXPECT_NE(run("ptxas in.ptx -o /nowhere/at/all").code, 0);
}

TEST_F(StandIns, NvccMakesPtxInPlaceOfACubin) {
  if (find_tool("nvcc").empty()) GTEST_SKIP() << "no nvcc here";
  const ProcessEnd end = run("nvcc --cubin -arch=sm_80 in.cu && nvcc -ptx -arch=sm_80 in.cu");
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(read_file(folder_ / "in.cubin"), read_file(folder_ / "in.ptx") + '\0');
  EXPECT_NE(run("nvcc --cubin --no-such-option in.cu -o x.cubin").code, 0)
      << "nvcc's own exit code";
}

TEST_F(StandIns, TheToolsSayTheirOwnVersion) {
  if (find_tool("ptxas").empty()) GTEST_SKIP() << "no ptxas here";
  EXPECT_EQ(run("ptxas --version").out, run(find_tool("ptxas") + " --version").out);
  EXPECT_EQ(run("nvcc --version").out, run(find_tool("nvcc") + " --version").out);
}

TEST_F(StandIns, AToolThatIsPutInPathIsHandedAllElse) {
  write_file(folder_ / "ptxas", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(folder_ / "ptxas", std::filesystem::perms::owner_all);
  EXPECT_EQ(run("ptxas --version 'two words'", folder_.path().string()).out,
            "--version two words\n");
}

TEST_F(StandIns, AreNoToolsForOurselves) {
  EXPECT_TRUE(is_stand_in((bin() / "nvcc").string()));
  EXPECT_FALSE(is_stand_in("/bin/sh"));
  EXPECT_EQ(find_tool((bin() / "nvcc").string()), "");
}

}  // namespace
}  // namespace harness::stand_ins
