// SPDX-License-Identifier: Apache-2.0
// Frameworks under `afterlife run`: documented variables, and words where a GPU is looked for
// otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/client/outside/framework_switches.h"
#include "harness/client/outside/loaded_libraries.h"

namespace harness::client {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A variable of this process, for a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class ClientFrameworks : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"TRITON_PTXAS_PATH", "JAX_SKIP_CUDA_CONSTRAINTS_CHECK",
                             "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_FLAGS", "NVTX_INJECTION64_PATH"})
      unsetenv(name);
  }
};

TEST_F(ClientFrameworks, SwitchesAreSet) {
  const std::vector<std::string> made = framework_switches("/lib", "/lib/bin");
  EXPECT_THAT(made, Contains("TRITON_PTXAS_PATH=/lib/bin/ptxas"));
  EXPECT_THAT(made, Contains("NVTX_INJECTION64_PATH=/lib/libafterlife_nvtx.so"));
  EXPECT_THAT(made, Contains("JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1"));
  EXPECT_THAT(made, Contains("XLA_PYTHON_CLIENT_PREALLOCATE=false"));
  EXPECT_THAT(made, Contains("XLA_FLAGS=--xla_gpu_autotune_level=0"));
}

TEST_F(ClientFrameworks, WhatTheUserSetsStays) {
  const Variable triton("TRITON_PTXAS_PATH", "/own");
  const Variable jax("XLA_PYTHON_CLIENT_PREALLOCATE", "true");
  const Variable level("XLA_FLAGS", "--xla_gpu_autotune_level=4");
  const std::vector<std::string> made = framework_switches("/lib", "/lib/bin");
  EXPECT_THAT(made, Not(Contains(StartsWith("TRITON_PTXAS_PATH="))));
  EXPECT_THAT(made, Not(Contains(StartsWith("XLA_PYTHON_CLIENT_PREALLOCATE="))));
  EXPECT_THAT(made, Not(Contains(StartsWith("XLA_FLAGS="))));
}

TEST_F(ClientFrameworks, FlagsOfXlaAreAddedToTheUsers) {
  const Variable own("XLA_FLAGS", "--xla_dump_to=/tmp/x");
  EXPECT_THAT(framework_switches("/lib", "/lib/bin"),
              Contains("XLA_FLAGS=--xla_gpu_autotune_level=0 --xla_dump_to=/tmp/x"));
  const Variable file("XLA_FLAGS", "/a/file/of/flags");
  EXPECT_THAT(framework_switches("/lib", "/lib/bin"), Not(Contains(StartsWith("XLA_FLAGS="))));
}

TEST_F(ClientFrameworks, JaxIsToldWhichFileItLooksFor) {
  if (std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/nvidia0"))
    GTEST_SKIP() << "it is there";
  const std::string jax = "1:\tcalling init: /x/jax_plugins/xla_cuda13/xla_cuda_plugin.so\n";
  const std::string other = "1:\tcalling init: /x/other.so\n";
  EXPECT_THAT(why_not_ours(jax, true, "/lib"), HasSubstr("touch /dev/nvidiactl"));
  EXPECT_THAT(why_not_ours(other, true, "/lib"), Not(HasSubstr("/dev/nvidiactl")));
}

}  // namespace
}  // namespace harness::client
