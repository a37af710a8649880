// SPDX-License-Identifier: Apache-2.0
// Runtimes beside each other in a process, and which one a program under `afterlife run` gets.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

namespace harness::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the folder of the build.
std::string folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

/// A module of this program that has a runtime linked into it.
class Module {
 public:
  explicit Module(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  template <class... Arguments>
  cudaError_t call(const char* name, Arguments... arguments) const {
    return reinterpret_cast<cudaError_t (*)(Arguments...)>(dlsym(handle_, name))(arguments...);
  }

 private:
  void* handle_;
};

class RuntimeInstances : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    ASSERT_OK(cudaFree(nullptr));  // Loads the driver, which modules then find by its name.
  }
};

TEST_F(RuntimeInstances, HaveErrorsOfTheirOwn) {
  const Module module(folder() + "/libcudart_module.so");
  EXPECT_EQ(module.call("module_choose", 9), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(module.call("module_last_error"), cudaErrorInvalidDevice);
}

TEST_F(RuntimeInstances, ShareTheDevice) {
  const Module module(folder() + "/libcudart_module.so");
  void* memory = nullptr;
  EXPECT_OK(module.call("module_allocate", &memory));
  EXPECT_OK(cudaMemset(memory, 0, 64));
  EXPECT_OK(cudaFree(memory));
}

/// NVIDIA's needs NVIDIA's driver. It takes none of our functions, nor we any of its.
TEST_F(RuntimeInstances, ThatAreNotOursStayByThemselves) {
  const std::string file = folder() + "/libcudart_module_other.so";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the toolkit has no static runtime";
  const Module module(file);
  void* memory = nullptr;
  EXPECT_NE(module.call("module_allocate", &memory), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_OK(cudaMalloc(&memory, 64));
  EXPECT_OK(cudaFree(memory));
}

// ---- under `afterlife run` ----------------------------------------------------------------------

/// Returns what a command prints.
std::string printed(const std::string& command) {
  std::string text;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  for (char part[4096]; std::fgets(part, sizeof part, pipe) != nullptr;) text += part;
  pclose(pipe);
  return text;
}

std::string ran(const std::string& program) {
  return printed(folder() + "/afterlife run --runs 2 --out " + ::testing::TempDir() + "found -- " +
                 program);
}

TEST_F(RuntimeInstances, StoriesNameTheRuntimesFunctionsAndBeginWithTheProgram) {
  const std::string story = ran(folder() + "/client_cudart_used");
  EXPECT_THAT(story, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(story, HasSubstr("used.cpp:9 in main, by cudaMalloc"));
  EXPECT_THAT(story, HasSubstr("used.cpp:11 in main, by cudaFree"));
  EXPECT_THAT(story, HasSubstr("used.cpp:12 in main, by cudaMemset"));
  EXPECT_THAT(story, Not(HasSubstr("cuMem")));
  EXPECT_THAT(story, Not(HasSubstr("libcudart.so")));
}

/// Another thread may be in exit(), which unregisters the program's binaries.
TEST_F(RuntimeInstances, AKernelWhoseBinaryIsGoneIsNoHandle) {
  const std::string story = ran(folder() + "/client_cudart_late");
  EXPECT_THAT(story, Not(HasSubstr("api_misuse")));
  EXPECT_THAT(story, Not(HasSubstr("exit code")));
}

TEST_F(RuntimeInstances, TheLastCallOfAProgramIsTheRuntimes) {
  EXPECT_THAT(ran(folder() + "/client_cudart_used abort"), HasSubstr(", was cudaMalloc"));
}

TEST_F(RuntimeInstances, OursIsTakenForAnotherOneThatTheProgramHasByItsPath) {
  for (const char* name : {"client_cudart_other", "client_cudart_other_12"}) {
    const std::string program = folder() + "/" + name;
    EXPECT_EQ(WEXITSTATUS(std::system(program.c_str())), 3);  // By itself it takes the other one.
    EXPECT_THAT(ran(program), HasSubstr("use_after_free of device memory"));
  }
}

TEST_F(RuntimeInstances, ProgramsOfCuda12GetTheirs) {
  const std::string program = folder() + "/client_cudart_used_12";
  EXPECT_THAT(printed("objdump -p " + program), HasSubstr("libcudart.so.12"));
  const std::string story = ran(program);
  EXPECT_THAT(story, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(story, HasSubstr("used.cpp:12 in main, by cudaMemset"));
  EXPECT_THAT(story, Not(HasSubstr("libcudart.so")));
}

/// They are in every process of a program, shells too.
TEST_F(RuntimeInstances, LibrariesThatAreLoadedFirstNeedTheCLibraryAtMost) {
  const auto needed = [](const std::string& library) {
    return printed("objdump -p " + folder() + "/lib/" + library + " | grep NEEDED");
  };
  EXPECT_EQ(needed("libafterlife_audit.so"), "");
  EXPECT_THAT(needed("libafterlife_threads.so"), HasSubstr("libc.so"));
  EXPECT_THAT(needed("libafterlife_threads.so"), Not(HasSubstr("libfmt")));
  EXPECT_THAT(needed("libafterlife_threads.so"), Not(HasSubstr("libstdc++")));
}

TEST_F(RuntimeInstances, OursIsNotThereWhereNothingAsksForIt) {
  const std::string maps = ran("cat /proc/self/maps");
  EXPECT_THAT(maps, HasSubstr("libafterlife_audit.so"));
  EXPECT_THAT(maps, Not(HasSubstr("libcudart")));
}

}  // namespace
}  // namespace harness::testing
