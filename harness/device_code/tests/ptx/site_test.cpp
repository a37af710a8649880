// SPDX-License-Identifier: Apache-2.0
// Accesses that a kernel makes without a check, because the same place in its text was checked
// before. Every fault is still found.
#include <numeric>

#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

using ::testing::Each;
using ::testing::ExitedWithCode;

constexpr unsigned kThreads = 64;

class PtxSite : public PtxStage {
 protected:
  void SetUp() override {
    PtxStage::SetUp();
    if (library == nullptr) return;
    module_ = load(file("sites.ptx"));
    words_ = copy_of(std::vector<int>(kThreads, 7));
    out_ = copy_of(std::vector<int>(kThreads));
  }
  CUfunction kernel(const char* name) const { return function(module_, name); }
  /// Ends a child process: 7 if its context has the expected error, else 8.
  [[noreturn]] void leave(CUresult expected) const {
    std::_Exit(AFTERLIFE_CU(cuCtxSynchronize)() == expected ? 7 : 8);
  }
  CUstream stream() const {
    CUstream made = nullptr;
    EXPECT_EQ(AFTERLIFE_CU(cuStreamCreate)(&made, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return made;
  }
  /// Copies this many words on its own stream, to what is `first` words behind `out`.
  void copy_on_a_stream(CUdeviceptr out, unsigned first) const {
    CUdeviceptr in = words_;
    CUdeviceptr to = out + 4 * first;
    unsigned count = kThreads;
    void* parameters[] = {&in, &to, &count};
    EXPECT_EQ(AFTERLIFE_CU(cuLaunchKernel)(kernel("copy_words"), 1, 1, 1, kThreads, 1, 1, 0,
                                           stream(), parameters, nullptr),
              CUDA_SUCCESS);
  }
  /// Memory of one word each, and an array of their addresses.
  CUdeviceptr addresses(std::vector<CUdeviceptr>& words) const {
    for (unsigned i = 0; i < kThreads; ++i)
      words.push_back(copy_of(std::vector<int>{static_cast<int>(i)}));
    return copy_of(words);
  }

  CUmodule module_ = nullptr;
  CUdeviceptr words_ = 0;
  CUdeviceptr out_ = 0;
};

TEST_F(PtxSite, AnAccessBeyondTheEndIsReportedAfterValidOnes) {
  ASSERT_EQ(launch(kernel("copy_words"), 1, 2 * kThreads, 0, words_, out_, kThreads), CUDA_SUCCESS);
  EXPECT_THAT(values_at<int>(out_, kThreads), Each(7));
  const CUdeviceptr wide = copy_of(std::vector<int>(kThreads + 1));
  const auto too_far = [&](CUdeviceptr in, CUdeviceptr out) {
    launch(kernel("copy_words"), 1, 2 * kThreads, 0, in, out, kThreads + 1);
    leave(CUDA_ERROR_ILLEGAL_ADDRESS);
  };
  const char* words = "wild_access device memory used:copy_words";
  EXPECT_EXIT(too_far(words_, wide), ExitedWithCode(7), words);
  EXPECT_EXIT(too_far(wide, out_), ExitedWithCode(7), words);
}

TEST_F(PtxSite, PermissionsOfABlockEndWithItsLaunch) {
  ASSERT_EQ(launch(kernel("copy_words"), 1, kThreads, 0, words_, out_, kThreads), CUDA_SUCCESS);
  release(words_);
  EXPECT_EXIT(
      {
        launch(kernel("copy_words"), 1, kThreads, 0, words_, out_, kThreads);
        leave(CUDA_ERROR_ILLEGAL_ADDRESS);
      },
      ExitedWithCode(7), "use_after_free .*used:copy_words 4 bytes at offset 0");
}

TEST_F(PtxSite, EachLoadedPointerIsFollowed) {
  std::vector<int> numbers(kThreads);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<CUdeviceptr> words;
  const CUdeviceptr pointers = addresses(words);
  for (const char* name : {"follow", "follow_halves"}) {
    EXPECT_EXIT(
        {
          launch(kernel(name), 1, kThreads, 0, pointers, out_);
          std::_Exit(values_at<int>(out_, kThreads) == numbers ? 7 : 8);
        },
        ExitedWithCode(7), "");
  }
  release(words[40]);
  for (const char* name : {"follow", "follow_halves"}) {
    EXPECT_EXIT(
        {
          launch(kernel(name), 1, kThreads, 0, pointers, out_);
          leave(CUDA_ERROR_ILLEGAL_ADDRESS);
        },
        ExitedWithCode(7), "use_after_free .*used:follow");
  }
}

TEST_F(PtxSite, AStoredPointerIsKnownWhenItIsLoaded) {
  const CUdeviceptr pointers = copy_of(std::vector<CUdeviceptr>(kThreads));
  const CUdeviceptr copied = copy_of(std::vector<CUdeviceptr>(kThreads));
  const CUdeviceptr other = copy_of(std::vector<int>{8});
  EXPECT_EXIT(
      {
        launch(kernel("store_pointers"), 1, kThreads, 0, pointers, words_, other);
        launch(kernel("copy_bytes"), 1, 8 * kThreads, 0, pointers, copied);
        launch(kernel("follow"), 1, kThreads, 0, copied, out_);
        const std::vector<int> got = values_at<int>(out_, kThreads);
        std::_Exit(std::accumulate(got.begin(), got.end(), 0) == kThreads / 2 * (7 + 8) ? 7 : 8);
      },
      ExitedWithCode(7), "");
}

TEST_F(PtxSite, OnlyBytesThatTwoStreamsUseConcurrentlyAreReported) {
  const CUdeviceptr out = copy_of(std::vector<int>(2 * kThreads));
  AFTERLIFE_CU(cuCtxSynchronize)();
  const auto side_by_side = [&](unsigned first) {
    copy_on_a_stream(out, 0);
    copy_on_a_stream(out, first);
    leave(CUDA_SUCCESS);
  };
  EXPECT_EXIT(side_by_side(kThreads - 1), ExitedWithCode(7), "it writes bytes 252 to 256");
  EXPECT_EXIT(side_by_side(kThreads), ExitedWithCode(7), "^$");
}

}  // namespace
}  // namespace harness::testing
