// SPDX-License-Identifier: Apache-2.0
// Programs of other projects, built with an installed tree: by its CMake package, by the options of
// a linker, and with its headers.
#include <cstdlib>

#include "harness/client/tests/command/installed_stage.h"

namespace harness {
namespace {

using testing::ended;
using ::testing::HasSubstr;
using testing::Installed;
namespace fs = std::filesystem;

/// Builds a project with the package of the tree. Returns how its tests, or the build, ended.
ProcessEnd tested(const std::string& folder, const std::string& tree) {
  ::unsetenv("GTEST_TOTAL_SHARDS");  // Ours would be the project's, too.
  ::unsetenv("GTEST_SHARD_INDEX");
  const std::string made = folder + "/build";
  for (const Command& command :
       {Command{"cmake", "-S", folder, "-B", made, "-DCMAKE_BUILD_TYPE=Debug",
                "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19",
                "-DCMAKE_PREFIX_PATH=" + tree},
        Command{"cmake", "--build", made}})
    if (ProcessEnd end = ended(command); end.code != 0) return end;
  return ended({"ctest", "--test-dir", made, "--output-on-failure"});
}

TEST_F(Installed, AProjectOfTenLinesFindsThePackageAndItsGtestFailsByABug) {
  fs::create_directories(in("project"));
  write_file(in("project/CMakeLists.txt"),
             "cmake_minimum_required(VERSION 3.20)\n"
             "project(mine CXX)\n"
             "enable_testing()\n"
             "find_package(GTest REQUIRED)\n"
             "find_package(afterlife 1.0 REQUIRED)\n"
             "add_executable(mine test.cpp)\n"
             "target_link_libraries(mine PRIVATE afterlife::runtime GTest::gtest_main)\n"
             "foreach(name Sound Stale)\n"
             "  afterlife_add_test(NAME ${name} RUNS 3 COMMAND mine --gtest_filter=*.${name})\n"
             "endforeach()\n");
  write_file(in("project/test.cpp"),
             "#include <gtest/gtest.h>\n"
             "extern \"C\" int cudaMalloc(void**, unsigned long);\n"
             "extern \"C\" int cudaFree(void*);\n"
             "extern \"C\" int cudaMemsetAsync(void*, int, unsigned long, void*);\n"
             "extern \"C\" int cudaDeviceSynchronize();\n"
             "static void fill(bool is_freed) {\n"
             "  void* buffer = nullptr;\n"
             "  ASSERT_EQ(cudaMalloc(&buffer, 64), 0);\n"
             "  if (is_freed) cudaFree(buffer);\n"
             "  cudaMemsetAsync(buffer, 0, 64, nullptr);\n"
             "  cudaDeviceSynchronize();\n"
             "}\n"
             "TEST(Buffer, Sound) { fill(false); }\n"
             "TEST(Buffer, Stale) { fill(true); }\n");
  const ProcessEnd end = tested(in("project"), tree());
  EXPECT_NE(end.code, 0);
  EXPECT_THAT(end.out, HasSubstr("50% tests passed, 1 tests failed out of 2")) << end.err;
  EXPECT_THAT(end.out, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(end.out, HasSubstr("test.cpp:10 in fill"));
  EXPECT_FALSE(fs::exists(in("project/build/afterlife-found/Sound")));
  EXPECT_FALSE(fs::is_empty(in("project/build/afterlife-found/Stale")));
}

/// A C program on the driver, one on the archive of the runtime, and an instrumented one in C++.
TEST_F(Installed, TheDriverTheArchiveAndInstrumentedCodeOfAProjectAreSearched) {
  fs::create_directories(in("parts"));
  write_file(in("parts/CMakeLists.txt"),
             "cmake_minimum_required(VERSION 3.20)\n"
             "project(parts C CXX)\n"
             "enable_testing()\n"
             "find_package(afterlife REQUIRED)\n"
             "add_executable(driver driver.c)\n"
             "target_link_libraries(driver PRIVATE afterlife::libcuda)\n"
             "add_executable(archive archive.c)\n"
             "target_link_libraries(archive PRIVATE afterlife::runtime_static)\n"
             "add_executable(race race.cpp)\n"
             "afterlife_instrument(race)\n"
             "foreach(name driver archive race)\n"
             "  afterlife_add_test(NAME ${name} RUNS 2 COMMAND ${name})\n"
             "endforeach()\n");
  write_file(
      in("parts/driver.c"),
      "#include <afterlife/launch_count.h>\n"
      "int cuInit(unsigned), cuDevicePrimaryCtxRetain(void**, int), cuCtxSetCurrent(void*);\n"
      "int cuMemAlloc_v2(unsigned long long*, unsigned long);\n"
      "int cuMemFree_v2(unsigned long long);\n"
      "int cuGetProcAddress_v2(const char*, void**, int, unsigned long long, int*);\n"
      "int main(void) {\n"
      "  void *context, *count = 0;\n"
      "  unsigned long long address = 0;\n"
      "  cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);\n"
      "  cuGetProcAddress_v2(AFTERLIFE_LAUNCH_COUNT, &count, 13000, 0, 0);\n"
      "  if (((AfterlifeLaunchCount)count)() != 0) return 1;\n"
      "  cuMemAlloc_v2(&address, 64), cuMemFree_v2(address);\n"
      "  cuMemFree_v2(address);\n"
      "}\n");
  write_file(in("parts/archive.c"),
             "int cudaMalloc(void**, unsigned long), cudaFree(void*);\n"
             "int main(void) {\n"
             "  void* buffer = 0;\n"
             "  cudaMalloc(&buffer, 64), cudaFree(buffer);\n"
             "  cudaFree(buffer);\n"
             "}\n");
  write_file(in("parts/race.cpp"),
             "#include <thread>\n"
             "static int counter;\n"
             "int main() {\n"
             "  std::thread other([] { ++counter; });\n"
             "  ++counter;\n"
             "  other.join();\n"
             "}\n");
  const ProcessEnd end = tested(in("parts"), tree());
  EXPECT_THAT(end.out, HasSubstr("3 tests failed out of 3")) << end.err;
  EXPECT_THAT(end.out, HasSubstr("driver.c:13 in main"));
  EXPECT_THAT(end.out, HasSubstr("archive.c:5 in main"));
  EXPECT_THAT(end.out, HasSubstr("data_race of host memory"));
  EXPECT_THAT(end.out, HasSubstr("race.cpp:5 in main"));
}

TEST_F(Installed, LinkersFindEachLibraryByItsNameWithoutAVersion) {
  write_file(
      in("all.c"),
      "int cuDriverGetVersion(int*), cudaRuntimeGetVersion(int*), nvrtcVersion(int*, int*);\n"
      "int nvJitLinkVersion(unsigned*, unsigned*), nvmlInit_v2(void);\n"
      "int main(void) {\n"
      "  int a = 0, b = 0;\n"
      "  unsigned c = 0, d = 0;\n"
      "  return cuDriverGetVersion(&a) + cudaRuntimeGetVersion(&a) + nvrtcVersion(&a, &b) +\n"
      "         nvJitLinkVersion(&c, &d) + nvmlInit_v2();\n"
      "}\n");
  const std::string libraries = tree() + "/lib/afterlife";
  for (const char* linker : {"bfd", "lld"}) {
    const ProcessEnd linked =
        ended({"clang-19", in("all.c"), "-o", in("all"), fmt::format("-fuse-ld={}", linker),
               "-L" + libraries + "/link", "-lcuda", "-lcudart", "-lnvrtc", "-lnvJitLink",
               "-lnvidia-ml", "-Wl,-rpath," + libraries});
    ASSERT_EQ(linked.code, 0) << linker << linked.err;
    const ProcessEnd end = ended({in("all")});
    EXPECT_EQ(end.code, 0) << linker << end.err;
  }
}

TEST_F(Installed, EachHeaderCompilesAlone) {
  int count = 0;
  for (const auto& header : fs::directory_iterator(tree() + "/include/afterlife"))
    for (const char* language : {"c", "c++"}) {
      const ProcessEnd end =
          ended({"clang-19", "-x", language, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                 "-fsyntax-only", "-include", header.path(), "/dev/null"});
      EXPECT_EQ(end.code, 0) << header.path() << end.err;
      ++count;
    }
  EXPECT_EQ(count, 4);
}

}  // namespace
}  // namespace harness
