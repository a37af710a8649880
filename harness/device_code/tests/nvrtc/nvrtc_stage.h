// SPDX-License-Identifier: Apache-2.0
// NvrtcStage: our libnvrtc.so.13, loaded like the real one by an ordinary program.
#pragma once

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/process/tool.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/device_code/nvrtc/interface.h"
#include "harness/device_code/nvrtc/toolchain.h"

namespace harness::testing {

/// The functions of a library, by their names.
inline nvrtc::Interface load_nvrtc(void* library) {
  nvrtc::Interface table{};
#define NVRTC_FUNCTION(name, parameters, arguments) \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_FUNCTION
  return table;
}

inline std::filesystem::path nvrtc_file() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib/libnvrtc.so.13";
}

/// Returns the path of "nvcc", as found by the build, or of "clang++-19"; "" if there is none.
inline std::string find_compiler(const std::string& name) {
  if (name != "nvcc") return find_tool(name);
  unsetenv("AFTERLIFE_CUDA_COMPILER");
  try {
    const nvrtc::Toolchain found = nvrtc::find_toolchain();
    return found.kind == nvrtc::Toolchain::Kind::nvcc ? found.program : "";
  } catch (const nvrtc::NoCompiler&) {
    return {};
  }
}

/// A compilation, and all of its results.
struct Tried {
  nvrtc::Result result{};
  std::string log, ptx, cubin;
  std::vector<std::string> names;
};

struct Wanted {
  std::string source;
  std::vector<const char*> options = {};
  std::vector<const char*> expressions = {};
  std::vector<std::pair<const char*, const char*>> headers = {};  ///< Names and texts.
  const char* name = nullptr;
};

inline std::string given(nvrtc::Program* program,
                         nvrtc::Result (*size)(nvrtc::Program*, std::size_t*),
                         nvrtc::Result (*text)(nvrtc::Program*, char*)) {
  std::size_t bytes = 0;
  EXPECT_EQ(size(program, &bytes), nvrtc::Result::SUCCESS);
  if (bytes == 0) return {};
  std::string made(bytes, '?');
  EXPECT_EQ(text(program, made.data()), nvrtc::Result::SUCCESS);
  EXPECT_EQ(made.back(), '\0');
  made.pop_back();
  return made;
}

inline Tried compile(const nvrtc::Interface& nvrtc, const Wanted& wanted) {
  std::vector<const char*> names, texts;
  for (const auto& [name, text] : wanted.headers) names.push_back(name), texts.push_back(text);
  nvrtc::Program* program = nullptr;
  EXPECT_EQ(nvrtc.nvrtcCreateProgram(&program, wanted.source.c_str(), wanted.name,
                                     static_cast<int>(names.size()), texts.data(), names.data()),
            nvrtc::Result::SUCCESS);
  for (const char* one : wanted.expressions)
    EXPECT_EQ(nvrtc.nvrtcAddNameExpression(program, one), nvrtc::Result::SUCCESS);
  Tried tried;
  tried.result = nvrtc.nvrtcCompileProgram(program, static_cast<int>(wanted.options.size()),
                                           wanted.options.data());
  tried.log = given(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog);
  tried.ptx = given(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX);
  tried.cubin = given(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN);
  for (const char* one : wanted.expressions) {
    const char* lowered = "";
    nvrtc.nvrtcGetLoweredName(program, one, &lowered);
    tried.names.emplace_back(lowered);
  }
  EXPECT_EQ(nvrtc.nvrtcDestroyProgram(&program), nvrtc::Result::SUCCESS);
  EXPECT_EQ(program, nullptr);
  return tried;
}

/// Loads the library, and has it keep what it compiles in the build folder.
class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (!std::filesystem::exists(nvrtc_file())) GTEST_SKIP() << nvrtc_file() << " is not built";
    setenv("AFTERLIFE_PTX_CACHE", (nvrtc_file().parent_path() / "ptx").c_str(), 1);
    unsetenv("AFTERLIFE_CUDA_COMPILER");
    library_ = dlopen(nvrtc_file().c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    nvrtc_ = load_nvrtc(library_);
  }
  void TearDown() override { unsetenv("AFTERLIFE_CUDA_COMPILER"); }

  const nvrtc::Interface& nvrtc() const { return nvrtc_; }
  void* library() const { return library_; }

 private:
  void* library_ = nullptr;
  nvrtc::Interface nvrtc_{};
};

/// Has the compiler of this name do it, and skips the test where there is none.
class NvrtcBy : public Nvrtc, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Nvrtc::SetUp();
    if (IsSkipped()) return;
    const std::string compiler = find_compiler(GetParam());
    if (compiler.empty()) GTEST_SKIP() << "no " << GetParam() << " here";
    setenv("AFTERLIFE_CUDA_COMPILER", compiler.c_str(), 1);
  }
  bool is_clang() const { return std::string(GetParam()) != "nvcc"; }
};

inline std::string compiler_name(const ::testing::TestParamInfo<const char*>& info) {
  return std::string(info.param) == "nvcc" ? "Nvcc" : "Clang";
}

}  // namespace harness::testing
