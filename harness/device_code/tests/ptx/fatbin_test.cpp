// SPDX-License-Identifier: Apache-2.0
// PTX inside binary images: texts between other bytes in files and in memory, and texts that
// NVIDIA's cuobjdump extracts.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "harness/base/process/cuda_tool.h"
#include "harness/base/process/tool.h"
#include "harness/base/tests/child.h"
#include "harness/device_code/ptx/fatbin.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A text with one kernel, which is called by its target.
std::string text_for(const std::string& target) {
  return fmt::format(
      "//\n// A comment\n\n.version 8.3\n.target sm_{0}\n.address_size 64\n"
      ".visible .entry for_{0}() {{ ret; }}\n",
      target);
}

/// Bytes that are no text, as a container has them before each part.
const std::string kHeader = "\x50\xed\x55\xba\x01\x00\x10\x00\x58\x01\x00\x00"s;

std::string image_of(const std::vector<std::string>& targets) {
  std::string image = kHeader;
  for (const std::string& target : targets)
    image += "\x01\x00\x40\x00.version 1 \x7f"s + std::string(8, '\0') + text_for(target) + '\0';
  return image;
}

TEST(PtxFatbin, FindsTextsWithTheirLeadingComments) {
  const std::string first = text_for("75");
  const std::string second = text_for("80");
  EXPECT_THAT(ptx::texts_in(image_of({"75", "80"})), ElementsAre(first, second));
  EXPECT_THAT(ptx::texts_in(first + '\0'), ElementsAre(first));
  EXPECT_THAT(ptx::texts_in(first), IsEmpty()) << "nothing says where it ends";
  EXPECT_THAT(ptx::texts_in("\0.version 8.3\n.target sm_80\n\x01\x00"s), IsEmpty());
  EXPECT_THAT(ptx::texts_in("x.version 8.3\n.target sm_80\n\0"s), IsEmpty());
  EXPECT_THAT(ptx::texts_in("\0.version 8.3 or so\n\0"s), IsEmpty());
}

TEST(PtxFatbin, SelectsTheNewestThatTheDeviceCanRun) {
  const auto best = [](const std::vector<std::string>& targets) {
    std::vector<std::string> texts;
    for (const std::string& target : targets) texts.push_back(text_for(target));
    return ptx::best_text({texts.begin(), texts.end()}, 90);
  };
  EXPECT_EQ(best({"75", "80", "100"}), 1);
  EXPECT_EQ(best({"80", "90a", "100f"}), 1);
  EXPECT_EQ(best({"80", "80a"}), 0);
  EXPECT_EQ(best({"100", "120"}), -1);
  EXPECT_EQ(best({}), -1);
}

TEST(PtxFatbin, ATextEndsWithItsLastDirective) {
  const std::string text = text_for("80");
  EXPECT_EQ(ptx::without_rest(text + "11\x02@"), text.substr(0, text.size() - 1));
  EXPECT_EQ(ptx::without_rest(text + ".visible .entry rest("), text + ".visible .entry rest(");
  EXPECT_EQ(ptx::without_rest("no text"), "no text");
}

TEST(PtxFatbin, ReadsNothingBeyondTheMappingAndNoLaterImage) {
  const auto page = static_cast<std::size_t>(::getpagesize());
  auto* mapped = static_cast<char*>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  ASSERT_EQ(::mprotect(mapped + page, page, PROT_NONE), 0);
  const std::string image = image_of({"75"});
  char* begin = mapped + page - image.size();
  std::memcpy(begin, image.data(), image.size());
  EXPECT_EQ(ptx::readable_bytes(begin), image);
  std::memcpy(mapped, image.data(), image.size());
  EXPECT_EQ(ptx::readable_bytes(mapped).size(), page - image.size());
  EXPECT_EQ(ptx::readable_bytes(mapped + page), "");
  ::munmap(mapped, 2 * page);
}

class PtxFatbinLoaded : public PtxStage {
 protected:
  void SetUp() override {
    setenv("AFTERLIFE_CLANG", find_tool("clang++-19").c_str(), 1);
    PtxStage::SetUp();
  }
  void TearDown() override {
    for (const char* name : {"AFTERLIFE_CLANG", "CUDA_HOME"}) unsetenv(name);
    setenv("PATH", path_.c_str(), 1);
    PtxStage::TearDown();
  }

  std::string written(const std::string& image) const {
    write_file(folder_ / "image", image);
    return folder_ / "image";
  }
  CUmodule load_file(const std::string& file) const {
    CUmodule module = nullptr;
    EXPECT_EQ(AFTERLIFE_CU(cuModuleLoad)(&module, file.c_str()), CUDA_SUCCESS);
    return module;
  }
  /// Returns a fatbin made by nvcc; "" if there is no nvcc.
  std::string built(const std::string& option) const {
    const std::string nvcc = find_cuda_tool("nvcc");
    if (nvcc.empty()) return {};
    write_file(folder_ / "k.cu", "extern \"C\" __global__ void for_80(int* p) { *p = 1; }\n");
    const ProcessEnd end =
        run_tool({nvcc, "-ccbin", find_tool("clang++-19"), "-fatbin", option, "-gencode",
                  "arch=compute_80,code=[compute_80,sm_80]", "-o", "k.fatbin", "k.cu"},
                 {}, folder_.path());
    EXPECT_EQ(end.code, 0) << end.err;
    return folder_ / "k.fatbin";
  }
  /// Puts a cuobjdump before all others: one that counts how often it is asked.
  void install_extractor(const std::string& script) const {
    const std::string program = folder_ / "bin/cuobjdump";
    std::filesystem::create_directories(folder_ / "bin");
    write_file(program, "#!/bin/sh\necho >> " + folder_ / "asked" + "\n" + script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setenv("CUDA_HOME", folder_.path().c_str(), 1);
    setenv("AFTERLIFE_PTX_CACHE", (folder_ / "cache").c_str(), 1);
  }
  /// Leaves no cuobjdump in PATH, but the linker that clang needs. Returns whether none is left.
  bool hide_extractors() const {
    const std::string linker = find_tool("ld");
    std::filesystem::create_directories(folder_ / "bin");
    std::filesystem::create_symlink(linker, folder_ / "bin/ld");
    setenv("PATH", (folder_ / "bin").c_str(), 1);
    return find_cuda_tool("cuobjdump").empty();
  }

  Folder folder_;

 private:
  const std::string path_ = std::getenv("PATH");
};

TEST_F(PtxFatbinLoaded, FromTheTextsInAFile) {
  const std::string file = written(image_of({"75", "80", "90"}));
  function(load_file(file), "for_80");
  CUlibrary library = nullptr;
  EXPECT_EQ(AFTERLIFE_CU(cuLibraryLoadFromFile)(&library, file.c_str(), nullptr, nullptr, 0,
                                                nullptr, nullptr, 0),
            CUDA_SUCCESS);
  CUkernel kernel = nullptr;
  EXPECT_EQ(AFTERLIFE_CU(cuLibraryGetKernel)(&kernel, library, "for_80"), CUDA_SUCCESS);
}

TEST_F(PtxFatbinLoaded, FromAnUncompressedFile) {
  const std::string file = built("--no-compress");
  if (file.empty()) GTEST_SKIP() << "no nvcc here";
  const CUfunction kernel = function(load_file(file), "for_80");
  const CUdeviceptr address = copy_of<int>({0});
  EXPECT_EQ(launch(kernel, 1, 1, 0, address), CUDA_SUCCESS);
  EXPECT_THAT(values_at<int>(address, 1), ElementsAre(1));
  release(address);
}

TEST_F(PtxFatbinLoaded, OrTheErrorNamesAlternativesToCuobjdump) {
  if (!hide_extractors()) GTEST_SKIP() << "cuobjdump is here";
  ::testing::internal::CaptureStderr();
  CUmodule module = nullptr;
  EXPECT_EQ(AFTERLIFE_CU(cuModuleLoad)(&module, written(kHeader + "compressed").c_str()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("or cuobjdump to extract it"));
}

TEST_F(PtxFatbinLoaded, FromTheTextsInMemoryBeforeTheNextImage) {
  if (!hide_extractors()) GTEST_SKIP() << "cuobjdump is here";
  ::testing::internal::CaptureStderr();
  const std::string images = image_of({"75"}) + image_of({"80"});
  function(load_image(images.data()), "for_75");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("kernels are found by their PTX in memory"));
}

/// Another assembler than ours may give that for a cubin: with nothing behind it, and with bytes
/// that something else has left in memory.
TEST_F(PtxFatbinLoaded, FromAnUnterminatedTextInMemory) {
  const auto page = static_cast<std::size_t>(::getpagesize());
  auto* mapped = static_cast<char*>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  ASSERT_EQ(::mprotect(mapped + page, page, PROT_NONE), 0);
  const std::string text = text_for("80");
  ::testing::internal::CaptureStderr();
  for (const std::string& behind : {""s, "11"s, "\x7f\x01 0"s}) {
    const std::string image = text + behind;
    char* begin = mapped + page - image.size();
    std::memcpy(begin, image.data(), image.size());
    function(load_image(begin), "for_80");
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("PTX without a zero at its end"));
  CUmodule module = nullptr;
  EXPECT_EQ(AFTERLIFE_CU(cuModuleLoadData)(&module, (text + ".visible .entr").c_str()),
            CUDA_ERROR_INVALID_PTX);
  ::munmap(mapped, 2 * page);
}

TEST_F(PtxFatbinLoaded, ByCuobjdumpWhichRunsOnce) {
  install_extractor("[ $1 = -xptx ] && [ $2 = all ] && grep -q compressed $3 && printf '" +
                    text_for("80") + "' > image.1.sm_80.ptx && exit 1\n");
  const std::string file = written(kHeader + "compressed");
  function(load_file(file), "for_80");
  function(load_file(file), "for_80");
  EXPECT_EQ(read_file(folder_ / "asked"), "\n");
  const std::string memory = kHeader + "compressed" + '\0' + text_for("75") + '\0';
  function(load_image(memory.data()), "for_80");
}

TEST_F(PtxFatbinLoaded, ByNvidiasCuobjdump) {
  const std::string file = find_cuda_tool("cuobjdump").empty() ? "" : built("-O3");
  if (file.empty()) GTEST_SKIP() << "no nvcc and cuobjdump here";
  function(load_file(file), "for_80");
  const std::string memory = read_file(file) + image_of({"75"});
  function(load_image(memory.data()), "for_80");
}

TEST_F(PtxFatbinLoaded, OrTheErrorSaysWhatIsMissing) {
  install_extractor("exit 1\n");
  const auto message_of = [&](const std::string& image) {
    ::testing::internal::CaptureStderr();
    CUmodule module = nullptr;
    const std::string file = written(image);
    EXPECT_EQ(AFTERLIFE_CU(cuModuleLoad)(&module, file.c_str()), CUDA_ERROR_NO_BINARY_FOR_GPU);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(message_of(kHeader + "compressed"),
              HasSubstr("cuobjdump finds none in it: needs PTX, such as from nvcc -ptx"));
  EXPECT_THAT(message_of(image_of({"90", "100"})), HasSubstr("has PTX for newer devices only"));
}

}  // namespace
}  // namespace harness::testing
