// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: their counts, compared with the ISA's formula; waits, and waits that
// never end.
#include <algorithm>
#include <random>

#include "harness/device_code/ptx/image.h"
#include "harness/device_code/tests/ptx/program_stage.h"

namespace harness::testing {
namespace {

class PtxMbarrier : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  PtxMbarrier() : OnGpuToo("mbarriers.ptx") {}
};

class OwnPtxMbarrier : public ProgramStage<PtxStage> {
 protected:
  OwnPtxMbarrier() : ProgramStage("mbarriers.ptx") {}
};

/// A step of the kernel `counts`.
struct Step {
  enum Kind : unsigned { one, many, drop, drop_many, test, even, odd, generic };
  unsigned kind;
  unsigned count;
};

/// The arrivals at a barrier, all in a list: a phase is complete once it has as many as it expects.
class Reference {
 public:
  explicit Reference(unsigned expected) : expected_{expected} {}

  unsigned pending() const { return expected_.back() - came_; }
  unsigned expected() const { return expected_.back() - dropped_; }
  std::size_t phase() const { return expected_.size() - 1; }

  /// Returns what a step says, and takes it.
  unsigned take(const Step& step) {
    if (step.kind == Step::test) return state_ < phase() ? 1 : 0;
    if (step.kind == Step::even) return phase() % 2 == 1 ? 1 : 0;
    if (step.kind == Step::odd) return phase() % 2 == 0 ? 1 : 0;
    const unsigned before = pending();
    state_ = phase();
    came_ += step.count;
    if (step.kind == Step::drop || step.kind == Step::drop_many) dropped_ += step.count;
    if (pending() == 0) {
      expected_.push_back(expected());
      came_ = dropped_ = 0;
    }
    return before;
  }

 private:
  std::vector<unsigned> expected_;  ///< By phase.
  unsigned came_ = 0;               ///< Arrivals in the last phase.
  unsigned dropped_ = 0;
  std::size_t state_ = 0;  ///< The phase of the last arrival.
};

/// A step that is allowed.
Step pick(const Reference& barrier, bool has_arrived, std::mt19937& random) {
  for (;;) {
    Step step{static_cast<unsigned>(random() % 8), 1};
    const bool drops = step.kind == Step::drop || step.kind == Step::drop_many;
    if (step.kind == Step::many || step.kind == Step::drop_many) {
      if (barrier.pending() < 2) continue;
      step.count = 1 + static_cast<unsigned>(random() % (barrier.pending() - 1));
    }
    if (drops && barrier.expected() < step.count + 2) continue;
    if (step.kind == Step::test && !has_arrived) continue;
    return step;
  }
}

TEST_P(PtxMbarrier, CountsByTheDocumentedFormula) {
  std::mt19937 random(1);
  for (const unsigned expected : {1u, 2u, 5u, 40u, 1u << 10, (1u << 20) - 1}) {
    Reference barrier(expected);
    std::vector<Step> steps;
    std::vector<unsigned> wanted;
    bool has_arrived = false;
    while (steps.size() < 300) {
      steps.push_back(pick(barrier, has_arrived, random));
      has_arrived = has_arrived || steps.back().kind < Step::test;
      wanted.push_back(barrier.take(steps.back()));
    }
    const CUdeviceptr in = copy_of(steps);
    const CUdeviceptr out = copy_of(std::vector<unsigned>(steps.size()));
    ASSERT_EQ(
        launch(kernel("counts"), 1, 1, 0, expected, in, static_cast<unsigned>(steps.size()), out),
        CUDA_SUCCESS);
    EXPECT_EQ(values_at<unsigned>(out, steps.size()), wanted) << expected;
    release(in), release(out);
  }
}

TEST_P(PtxMbarrier, AWaiterSeesWritesBeforeTheArrivals) {
  for (const unsigned threads : {1u, 33u, 1024u}) {
    std::vector<unsigned> words(threads);
    for (unsigned t = 0; t < threads; ++t) words[t] = t;
    for (int round = 0; round < 7; ++round) {
      std::vector<unsigned> next = words;
      for (unsigned t = 0; t < threads; ++t) next[t] = 3 * words[t] + words[(t + 1) % threads];
      words = next;
    }
    const CUdeviceptr out = copy_of(std::vector<unsigned>(threads));
    ASSERT_EQ(launch(kernel("rounds"), 1, threads, 0, 7u, out), CUDA_SUCCESS);
    EXPECT_EQ(values_at<unsigned>(out, threads), words) << threads;
    release(out);
  }
}

TEST_P(PtxMbarrier, TwoBarriersFormAPipeline) {
  const CUdeviceptr out = copy_of(std::vector<unsigned>(96));
  ASSERT_EQ(launch(kernel("pipeline"), 1, 128, 0, 50u, out), CUDA_SUCCESS);
  const std::vector<unsigned> got = values_at<unsigned>(out, 96);
  for (unsigned t = 0; t < 96; ++t) EXPECT_EQ(got[t], 100 * (49 * 50 / 2) + 50 * (t % 32)) << t;
  release(out);
}

TEST_P(PtxMbarrier, CopiesArriveOnCompletion) {
  std::vector<unsigned> words(64);
  for (unsigned t = 0; t < 64; ++t) words[t] = t * t + 1;
  const CUdeviceptr in = copy_of(words);
  const CUdeviceptr out = copy_of(std::vector<unsigned>(64));
  ASSERT_EQ(launch(kernel("copies"), 1, 64, 0, in, out), CUDA_SUCCESS);
  std::reverse(words.begin(), words.end());
  EXPECT_EQ(values_at<unsigned>(out, 64), words);
  release(in), release(out);
}

TEST_P(PtxMbarrier, OpensForTheExpectedNumberOfArrivals) {
  for (const unsigned votes : {0u, 1u}) {
    ASSERT_EQ(launch(kernel("meet"), 2, 64, 0, 64u, votes), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  }
}

INSTANTIATE_ON_GPU_TOO(PtxMbarrier);

TEST_F(OwnPtxMbarrier, ABarrierThatNeverOpensIsReported) {
  const std::string words =
      "deadlock barrier used:meet threads of a block wait for arrivals that do not come";
  for (const unsigned votes : {0u, 1u}) {
    expect_end_of(64, CUDA_ERROR_ILLEGAL_ADDRESS, words, "meet", 65, votes);
    expect_end_of(1024, CUDA_ERROR_ILLEGAL_ADDRESS, words, "meet", 1025, votes);
  }
}

TEST_F(OwnPtxMbarrier, MisuseIsReported) {
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "there is no mbarrier", "wrong", 0);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "more arrivals than an mbarrier waits for", "wrong", 1);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "completed with .noComplete", "wrong", 2);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "an mbarrier for that many arrivals", "wrong", 3);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "wild_access .*used:wrong", "wrong", 4);
}

TEST(PtxMbarrierForms, FormsOfLaterDevicesAreNotTranslated) {
  const auto is_stopped = [](const std::string& instruction) {
    const std::string source = ptx::source_of(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %s; "
        ".reg .b32 %r; .reg .pred %p; .shared .align 8 .b64 at;\n" +
        instruction + "\n}\n");
    return source.find("ptx::stop(\"line 7") != std::string::npos;
  };
  EXPECT_FALSE(is_stopped("mbarrier.test_wait.shared.b64 %p, [at], %s;"));
  for (const char* later :
       {"mbarrier.try_wait.shared.b64 %p, [at], %s;", "mbarrier.arrive.shared.b64 %s, [at], %r;",
        "mbarrier.arrive.expect_tx.shared.b64 %s, [at], 4;",
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [at], 4;",
        "mbarrier.complete_tx.relaxed.cta.shared.b64 [at], 4;",
        "mbarrier.arrive.relaxed.cta.shared.b64 %s, [at];",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [at];"})
    EXPECT_TRUE(is_stopped(later)) << later;
}

}  // namespace
}  // namespace harness::testing
