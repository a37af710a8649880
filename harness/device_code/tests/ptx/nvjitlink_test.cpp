// SPDX-License-Identifier: Apache-2.0
// The functions of our libnvJitLink.so.13, called as documented and incorrectly.
#if __has_include(<nvJitLink.h>)
#include <nvJitLink.h>
#endif

#include "harness/base/process/process.h"
#include "harness/base/tests/child.h"
#include "harness/device_code/libnvjitlink/interface.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

using nvjitlink::Input;
using nvjitlink::Interface;
using nvjitlink::Linker;
using nvjitlink::Result;
using ::testing::HasSubstr;
using ::testing::Not;

#if __has_include(<nvJitLink.h>)
#define NVJITLINK_RESULT(name) \
  static_assert(static_cast<int>(Result::name) == NVJITLINK_##name, #name);
#include "harness/device_code/libnvjitlink/interface.def"
#undef NVJITLINK_RESULT
static_assert(static_cast<int>(Input::ptx) == NVJITLINK_INPUT_PTX);
static_assert(static_cast<int>(Input::index) == NVJITLINK_INPUT_INDEX);
static_assert(static_cast<int>(Input::any) == NVJITLINK_INPUT_ANY);
#endif

const std::string kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kUser = kHeader +
                          ".extern .global .align 4 .u32 base;\n"
                          ".visible .entry run(.param .u64 out)\n{\n"
                          "\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<3>;\n"
                          "\tmov.u64 %rd1, base;\n\tld.global.u32 %r1, [%rd1];\n"
                          "\tld.param.u64 %rd2, [out];\n\tst.global.u32 [%rd2], %r1;\n\tret;\n}\n";
const std::string kOwner = kHeader + ".visible .global .align 4 .u32 base = 77;\n";

class PtxNvJitLink : public PtxStage {
 protected:
  void SetUp() override {
    PtxStage::SetUp();
    if (library == nullptr) return;
    const std::string file = own_libcuda().parent_path() / "libnvJitLink.so.13";
    linker_library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(linker_library_, nullptr) << dlerror();
#define NVJITLINK_FUNCTION(name, parameters, arguments)     \
  calls_.name = reinterpret_cast<decltype(calls_.name)>(    \
      dlsym(linker_library_, "__nvJitLink" #name "_13_0")); \
  ASSERT_NE(calls_.name, nullptr) << #name;                 \
  EXPECT_NE(dlsym(linker_library_, "nvJitLink" #name), nullptr) << #name;
#include "harness/device_code/libnvjitlink/interface.def"
#undef NVJITLINK_FUNCTION
    ASSERT_EQ(create({"-arch=sm_80", "-verbose"}), Result::SUCCESS);
  }
  void TearDown() override {
    if (linker_ != nullptr) EXPECT_EQ(calls_.Destroy(&linker_), Result::SUCCESS);
    EXPECT_EQ(linker_, nullptr);
  }
  Result create(const std::vector<const char*>& options) {
    if (linker_ != nullptr) calls_.Destroy(&linker_);
    return calls_.Create(&linker_, static_cast<std::uint32_t>(options.size()), options.data());
  }
  Result add(const std::string& text, const char* name, Input type = Input::ptx) const {
    return calls_.AddData(linker_, type, text.c_str(), text.size() + 1, name);
  }
  std::string error_log() const {
    std::size_t bytes = 0;
    EXPECT_EQ(calls_.GetErrorLogSize(linker_, &bytes), Result::SUCCESS);
    std::string text(bytes, 'z');
    EXPECT_EQ(calls_.GetErrorLog(linker_, text.data()), Result::SUCCESS);
    return text.c_str();
  }

  void* linker_library_ = nullptr;
  Interface calls_{};
  Linker* linker_ = nullptr;
};

TEST_F(PtxNvJitLink, ALinkedImageRunsOnOurDriver) {
  ASSERT_EQ(add(kUser, "user.ptx"), Result::SUCCESS);
  ASSERT_EQ(add(kOwner, nullptr, Input::any), Result::SUCCESS);
  std::size_t bytes = 0;
  EXPECT_EQ(calls_.GetLinkedCubinSize(linker_, &bytes), Result::ERROR_INTERNAL) << "not yet";
  ASSERT_EQ(calls_.Complete(linker_), Result::SUCCESS) << error_log();
  ASSERT_EQ(calls_.GetLinkedCubinSize(linker_, &bytes), Result::SUCCESS);
  std::vector<char> image(bytes);
  ASSERT_EQ(calls_.GetLinkedCubin(linker_, image.data()), Result::SUCCESS);
  const CUdeviceptr out = copy_of(std::vector<int>{0});
  EXPECT_EQ(launch(function(load_image(image.data()), "run"), 1, 1, 0, out), CUDA_SUCCESS);
  EXPECT_EQ(values_at<int>(out, 1)[0], 77);
  release(out);
  EXPECT_EQ(calls_.GetInfoLogSize(linker_, &bytes), Result::SUCCESS);
  EXPECT_GT(bytes, 1u) << "as it is verbose";
}

TEST_F(PtxNvJitLink, AMismatchIsReportedInTheLog) {
  ASSERT_EQ(add(kUser, "user.ptx"), Result::SUCCESS);
  EXPECT_EQ(calls_.Complete(linker_), Result::ERROR_FINALIZE);
  EXPECT_THAT(error_log(), HasSubstr("Undefined reference to 'base' in 'user.ptx'"));
  EXPECT_EQ(add(kHeader + ".visible .entry broken(\n", "broken.ptx"), Result::ERROR_PTX_COMPILE);
  EXPECT_THAT(error_log(), HasSubstr("broken.ptx: line "));
  EXPECT_EQ(add("BC", "ir", Input::ltoir), Result::ERROR_LTO_NOT_ENABLED);
  EXPECT_EQ(add("ELF", "sass", Input::cubin), Result::ERROR_UNRECOGNIZED_INPUT);
  EXPECT_EQ(add(kOwner, "none", Input::none), Result::ERROR_INCORRECT_INPUT_TYPE);
  EXPECT_EQ(calls_.AddFile(linker_, Input::ptx, "/nowhere.ptx"), Result::ERROR_INVALID_INPUT);
}

TEST_F(PtxNvJitLink, OptionsAreThoseOfTheHeader) {
  EXPECT_EQ(create({}), Result::ERROR_MISSING_ARCH);
  EXPECT_EQ(create({"-arch=sm_xx"}), Result::ERROR_UNRECOGNIZED_ARCH);
  EXPECT_EQ(create({"-arch=sm_35"}), Result::ERROR_UNSUPPORTED_ARCH);
  EXPECT_EQ(create({"-arch=sm_90a", "-unheard"}), Result::ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(create({"-arch=sm_90a", "-ftz="}), Result::ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(create({"-arch=sm_90a", "-ptx"}), Result::ERROR_INCOMPATIBLE_OPTIONS);
  EXPECT_EQ(create({"-arch=compute_90", "-O3", "-lineinfo", "-fma=1", "-Xptxas=-v"}),
            Result::SUCCESS);
}

TEST_F(PtxNvJitLink, HandlesAreChecked) {
  int nothing = 0;
  auto* wrong = reinterpret_cast<Linker*>(&nothing);
  std::size_t bytes = 0;
  EXPECT_EQ(calls_.Complete(wrong), Result::ERROR_NULL_INPUT);
  EXPECT_EQ(calls_.Destroy(&wrong), Result::ERROR_NULL_INPUT);
  EXPECT_EQ(calls_.GetErrorLogSize(wrong, &bytes), Result::ERROR_NULL_INPUT);
  EXPECT_EQ(calls_.GetErrorLogSize(linker_, nullptr), Result::ERROR_NULL_INPUT);
  EXPECT_EQ(calls_.Create(nullptr, 0, nullptr), Result::ERROR_NULL_INPUT);
  EXPECT_EQ(calls_.AddData(linker_, Input::ptx, nullptr, 1, nullptr), Result::ERROR_NULL_INPUT);
}

TEST_F(PtxNvJitLink, ItsVersionPredatesLto) {
  const auto version = reinterpret_cast<Result (*)(unsigned*, unsigned*)>(
      dlsym(linker_library_, "nvJitLinkVersion"));
  ASSERT_NE(version, nullptr);
  std::pair<unsigned, unsigned> reported;
  EXPECT_EQ(version(&reported.first, &reported.second), Result::SUCCESS);
  EXPECT_EQ(reported, std::make_pair(12u, 0u));
  EXPECT_EQ(version(nullptr, &reported.second), Result::ERROR_INVALID_INPUT);
  EXPECT_EQ(create({"-arch=sm_80", "-lto"}), Result::ERROR_INCOMPATIBLE_OPTIONS);
  ASSERT_EQ(create({"-arch=sm_80"}), Result::SUCCESS);
}

TEST_F(PtxNvJitLink, DependsOnlyOnTheCLibraryUntilItsFirstCall) {
  const std::atomic<bool> go_on{false};
  const std::string file = own_libcuda().parent_path() / "libnvJitLink.so.13";
  const ProcessEnd end = run_process({"/bin/cat", "/proc/self/maps"},
                                     {60, {"LD_PRELOAD=" + file}, std::size_t{1} << 20}, go_on);
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("libnvJitLink.so.13"));
  EXPECT_THAT(end.out, Not(HasSubstr("libstdc++")));
  EXPECT_THAT(end.out, Not(HasSubstr("libafterlife_nvjitlink")));
}

}  // namespace
}  // namespace harness::testing
