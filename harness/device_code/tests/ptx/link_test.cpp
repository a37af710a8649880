// SPDX-License-Identifier: Apache-2.0
// cuLink*: linking PTX modules that use each other, and inputs that do not match.
#include <cstring>
#include <fstream>

#include "harness/base/tests/child.h"
#include "harness/device_code/ptx/link.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Uses a function and a variable of the other module, and its own `helper`.
const std::string kCaller = std::string(kHeader) + R"(
.extern .func (.param .b32 result) twice(.param .b32 x);
.extern .global .align 4 .u32 base;
.func (.param .b32 result) helper(.param .b32 x)
{
	.reg .b32 %r<2>;
	ld.param.b32 %r1, [x];
	add.u32 %r1, %r1, 1;
	st.param.b32 [result], %r1;
	ret;
}
.visible .entry run(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	{
		.param .b32 given;
		.param .b32 got;
		st.param.b32 [given], 20;
		call (got), helper, (given);
		ld.param.b32 %r1, [got];
	}
	{
		.param .b32 given;
		.param .b32 got;
		st.param.b32 [given], %r1;
		call (got), twice, (given);
		ld.param.b32 %r1, [got];
	}
	mov.u64 %rd1, base;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r1, %r1, %r2;
	ld.param.u64 %rd2, [out];
	st.global.u32 [%rd2], %r1;
	ret;
}
)";

/// Its own `helper` does something else.
const std::string kCalled = std::string(kHeader) + R"(
.visible .global .align 4 .u32 base = 500;
.func (.param .b32 result) helper(.param .b32 x)
{
	.reg .b32 %r<2>;
	ld.param.b32 %r1, [x];
	add.u32 %r1, %r1, %r1;
	st.param.b32 [result], %r1;
	ret;
}
.visible .func (.param .b32 result) twice(.param .b32 x)
{
	.reg .b32 %r<2>;
	.param .b32 given;
	.param .b32 got;
	ld.param.b32 %r1, [x];
	st.param.b32 [given], %r1;
	call (got), helper, (given);
	ld.param.b32 %r1, [got];
	st.param.b32 [result], %r1;
	ret;
}
)";

std::string variable(const std::string& linkage, int value) {
  return std::string(kHeader) + linkage + " .global .align 4 .u32 base = " + std::to_string(value) +
         ";\n";
}

/// A linker with a log for errors.
class PtxLink : public PtxStage {
 protected:
  void SetUp() override {
    PtxStage::SetUp();
    if (library != nullptr) begin();
  }
  void TearDown() override {
    if (state_ != nullptr) EXPECT_EQ(destroy_(state_), CUDA_SUCCESS);
  }

  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    ASSERT_NE(function, nullptr) << name;
  }
  void begin() {
    find(create_, "cuLinkCreate_v2");
    find(add_data_, "cuLinkAddData_v2");
    find(add_file_, "cuLinkAddFile_v2");
    find(complete_, "cuLinkComplete");
    find(destroy_, "cuLinkDestroy");
    ASSERT_EQ(create_(4, options_, values_, &state_), CUDA_SUCCESS);
  }
  CUresult add(const std::string& text, const char* name,
               CUjitInputType type = CU_JIT_INPUT_PTX) const {
    return add_data_(state_, type, const_cast<char*>(text.c_str()), text.size() + 1, name, 0,
                     nullptr, nullptr);
  }
  CUresult complete() { return complete_(state_, &image_, &bytes_); }
  int run_linked() {
    CUmodule module = nullptr;
    EXPECT_EQ(complete(), CUDA_SUCCESS) << log_;
    EXPECT_EQ(AFTERLIFE_CU(cuModuleLoadData)(&module, image_), CUDA_SUCCESS);
    const CUdeviceptr out = copy_of(std::vector<int>{0});
    EXPECT_EQ(launch(function(module, "run"), 1, 1, 0, out), CUDA_SUCCESS);
    const int value = values_at<int>(out, 1)[0];
    release(out);
    return value;
  }
  std::size_t logged() const { return reinterpret_cast<std::size_t>(values_[1]); }

  decltype(cuLinkCreate_v2)* create_ = nullptr;
  decltype(cuLinkAddData_v2)* add_data_ = nullptr;
  decltype(cuLinkAddFile_v2)* add_file_ = nullptr;
  decltype(cuLinkComplete)* complete_ = nullptr;
  decltype(cuLinkDestroy)* destroy_ = nullptr;
  char log_[256] = "not empty";
  CUjit_option options_[4] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_WALL_TIME, CU_JIT_MAX_REGISTERS};
  void* values_[4] = {log_, reinterpret_cast<void*>(sizeof log_), nullptr,
                      reinterpret_cast<void*>(32)};
  CUlinkState state_ = nullptr;
  void* image_ = nullptr;
  std::size_t bytes_ = 0;
};

TEST_F(PtxLink, ModulesShareGlobalSymbolsAndKeepLocalOnes) {
  ASSERT_EQ(add(kCaller, "caller.ptx"), CUDA_SUCCESS);
  ASSERT_EQ(add(kCalled, "called.ptx"), CUDA_SUCCESS);
  EXPECT_EQ(run_linked(), (20 + 1) * 2 + 500);
  EXPECT_EQ(bytes_, std::strlen(static_cast<const char*>(image_)) + 1);
  EXPECT_STREQ(log_, "");
  EXPECT_EQ(logged(), 0u);
}

TEST_F(PtxLink, InputsMayBeFilesAndCubinsInAnyOrder) {
  const Folder folder;
  write_file(folder / "called.ptx", kCalled);
  EXPECT_EQ(
      add_file_(state_, CU_JIT_INPUT_PTX, (folder / "called.ptx").c_str(), 0, nullptr, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(add(kCaller, nullptr, CU_JIT_INPUT_CUBIN), CUDA_SUCCESS);
  EXPECT_EQ(run_linked(), 542);
  EXPECT_EQ(add_file_(state_, CU_JIT_INPUT_PTX, (folder / "none.ptx").c_str(), 0, nullptr, nullptr),
            CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(PtxLink, AnUndefinedSymbolIsReportedByNameAndInput) {
  ASSERT_EQ(add(kCaller, "caller.ptx"), CUDA_SUCCESS);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log_, AllOf(HasSubstr("Undefined reference to 'twice' in 'caller.ptx'"),
                          HasSubstr("Undefined reference to 'base' in 'caller.ptx'")));
  EXPECT_EQ(logged(), std::strlen(log_));
}

TEST_F(PtxLink, AMultipleDefinitionIsReported) {
  ASSERT_EQ(add(kCalled, "called.ptx"), CUDA_SUCCESS);
  ASSERT_EQ(add(variable(".visible", 1), "again.ptx"), CUDA_SUCCESS);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(
      log_,
      HasSubstr("Multiple definition of 'base' in 'again.ptx', first defined in 'called.ptx'"));
}

TEST_F(PtxLink, AWeakDefinitionIsOverridden) {
  ASSERT_EQ(add(variable(".weak", 1), "weak.ptx"), CUDA_SUCCESS);
  ASSERT_EQ(add(kCalled, "called.ptx"), CUDA_SUCCESS);
  ASSERT_EQ(add(variable(".weak", 2), "other.ptx"), CUDA_SUCCESS);
  ASSERT_EQ(add(kCaller, "caller.ptx"), CUDA_SUCCESS);
  EXPECT_EQ(run_linked(), 542);
}

TEST_F(PtxLink, AnInputThatIsNotPtxIsRefused) {
  EXPECT_EQ(add(std::string(kHeader) + ".visible .entry broken(\n", "broken.ptx"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log_, AllOf(StartsWith("error"), HasSubstr("broken.ptx: line ")));
  EXPECT_EQ(add("\x7f\x45LF", "sass", CU_JIT_INPUT_CUBIN), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(add(kCalled, "bits", CU_JIT_INPUT_NVVM), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(add(kCalled, "none", CU_JIT_NUM_INPUT_TYPES), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add_data_(state_, CU_JIT_INPUT_PTX, nullptr, 5, nullptr, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(PtxLink, AFullLogIsZeroTerminated) {
  values_[1] = reinterpret_cast<void*>(std::size_t{12});
  CUlinkState small = nullptr;
  ASSERT_EQ(create_(2, options_, values_, &small), CUDA_SUCCESS);
  std::fill(log_, log_ + sizeof log_, 'z');
  ASSERT_EQ(add_data_(small, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller.c_str()), kCaller.size(),
                      "caller.ptx", 0, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(complete_(small, &image_, nullptr), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_STREQ(log_, "error   : U");
  EXPECT_EQ(logged(), 11u);
  EXPECT_EQ(log_[12], 'z');
  EXPECT_EQ(destroy_(small), CUDA_SUCCESS);
}

TEST_F(PtxLink, HandlesAndOptionsAreChecked) {
  CUlinkState made = nullptr;
  CUjit_option fallback = CU_JIT_FALLBACK_STRATEGY;
  auto unknown = static_cast<CUjit_option>(CU_JIT_NUM_OPTIONS);
  void* value = nullptr;
  EXPECT_EQ(create_(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(1, nullptr, nullptr, &made), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(1, &fallback, &value, &made), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(1, &unknown, &value, &made), CUDA_ERROR_INVALID_VALUE);
  CUjit_option target = CU_JIT_TARGET;
  EXPECT_EQ(add_data_(state_, CU_JIT_INPUT_PTX, const_cast<char*>(kCalled.c_str()), kCalled.size(),
                      nullptr, 1, &target, &value),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(create_(0, nullptr, nullptr, &made), CUDA_SUCCESS);
  EXPECT_EQ(destroy_(made), CUDA_SUCCESS);
  EXPECT_EQ(destroy_(made), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(complete_(made, &image_, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(complete_(state_, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(PtxLink, EachVersionOfAFunctionIsFoundByName) {
  auto* const find_proc =
      reinterpret_cast<decltype(cuGetProcAddress_v2)*>(dlsym(library, "cuGetProcAddress_v2"));
  for (const char* name :
       {"cuLinkCreate", "cuLinkAddData", "cuLinkAddFile", "cuLinkComplete", "cuLinkDestroy"}) {
    void* found = nullptr;
    EXPECT_EQ(find_proc(name, &found, 13000, 0, nullptr), CUDA_SUCCESS) << name;
    EXPECT_NE(found, nullptr) << name;
    EXPECT_NE(dlsym(library, name), nullptr) << name;
  }
}

// ---- the text alone -----------------------------------------------------------------------------

TEST(PtxLinkText, SourceLinesKeepTheirFiles) {
  const std::string first = std::string(kHeader) +
                            "\t.file\t1 \"first.cu\"\n.visible .entry a()\n{\n\t.loc\t1 5 0\n"
                            "\tret;\n}\n";
  const std::string second = std::string(kHeader) +
                             "\t.file\t1 \"second.cu\"\n.visible .entry b()\n{\n"
                             "\t.loc\t1 7 0, function_name $L__info, inlined_at 1 9 3\n\tret;\n}\n";
  const std::string linked = ptx::link({{"first", first}, {"second", second}});
  EXPECT_THAT(linked, HasSubstr(".file\t3 \"second.cu\""));
  EXPECT_THAT(linked, HasSubstr(".loc\t3 7 0, function_name $L__info, inlined_at 3 9 3"));
  EXPECT_THAT(linked, AllOf(HasSubstr(".file\t1 \"first.cu\""), HasSubstr(".loc\t1 5 0")));
}

TEST(PtxLinkText, OneDefinitionOfEachNameRemains) {
  const std::string linked = ptx::link({{"weak", variable(".weak", 1)},
                                        {"strong", variable(".visible", 2)},
                                        {"last", variable(".weak", 3)}});
  EXPECT_THAT(linked, HasSubstr("base = 2;"));
  EXPECT_EQ(linked.find("base ="), linked.rfind("base ="));
}

TEST(PtxLinkText, HasTheNewestVersionAndOneSharedArrayPerName) {
  const std::string shared = ".extern .shared .align 16 .b8 room[];\n";
  const std::string linked =
      ptx::link({{"old", ".version 7.8\n.target sm_90a, debug\n.address_size 64\n" + shared},
                 {"new", ".version 8.4\n.target sm_80\n.address_size 64\n" + shared}});
  EXPECT_THAT(linked, StartsWith(".version 8.4\n.target sm_90a\n.address_size 64\n"));
  EXPECT_EQ(linked.find("room"), linked.rfind("room"));
  EXPECT_THAT(linked, HasSubstr("room"));
}

}  // namespace
}  // namespace harness::testing
