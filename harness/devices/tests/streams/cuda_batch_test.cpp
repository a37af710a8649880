// SPDX-License-Identifier: Apache-2.0
// Batches of copies: one call, without an order among the copies.
#include <array>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

constexpr std::size_t kBytes = 16;

/// Two copies of one call, and what it is informed of them.
struct TwoCopies {
  explicit TwoCopies(CUmemcpySrcAccessOrder order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM) {
    for (std::size_t i = 0; i < 2; ++i) {
      sources[i] = allocate(kBytes);
      targets[i] = allocate(kBytes);
      EXPECT_EQ(cuMemsetD8_v2(targets[i], 0, kBytes), CUDA_SUCCESS);
      attributes[i] = {};
      attributes[i].srcAccessOrder = order;
    }
  }
  CUresult submit(CUstream on) {
    return cuMemcpyBatchAsync_v2(targets.data(), sources.data(), sizes.data(), count,
                                 attributes.data(), first_of.data(), attribute_count, on);
  }
  int read(std::size_t which) const {
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, targets[which], sizeof value), CUDA_SUCCESS);
    return value;
  }

  std::array<CUdeviceptr, 2> targets{};
  std::array<CUdeviceptr, 2> sources{};
  std::array<std::size_t, 2> sizes{kBytes, kBytes};
  std::size_t count = 2;
  std::array<CUmemcpyAttributes, 2> attributes{};
  std::array<std::size_t, 2> first_of{0, 1};
  std::size_t attribute_count = 2;
};

class CudaBatch : public OnEveryDevice {};

TEST_P(CudaBatch, PerformsEachCopy) {
  run([] {
    TwoCopies copies;
    CUDA_OK(cuMemsetD8_v2(copies.sources[0], 1, kBytes));
    CUDA_OK(cuMemsetD8_v2(copies.sources[1], 2, kBytes));
    CUstream stream = make_stream();
    copies.sizes[1] = 0;
    EXPECT_EQ(copies.submit(stream), CUDA_ERROR_INVALID_VALUE) << "of nothing";
    copies.sizes[1] = 8;
    CUDA_OK(copies.submit(stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(copies.read(0), 0x01010101);
    EXPECT_EQ(copies.read(1), 0x02020202);
    CUDA_OK(cuMemsetD8_v2(copies.targets[1], 0, kBytes));
    copies.sizes[1] = kBytes;
    copies.attribute_count = 1;  // Both have it.
    CUDA_OK(copies.submit(stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(copies.read(1), 0x02020202);
  });
  expect_no_fault();
}

TEST_P(CudaBatch, InvalidAttributesAreRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([] {
    CUstream stream = make_stream();
    const auto expect_refused = [&](const char* what, auto spoil) {
      TwoCopies copies;
      spoil(copies);
      EXPECT_EQ(copies.submit(stream), CUDA_ERROR_INVALID_VALUE) << what;
    };
    expect_refused("no copy", [](TwoCopies& copies) { copies.count = 0; });
    expect_refused("no attributes", [](TwoCopies& copies) { copies.attribute_count = 0; });
    expect_refused("more attributes", [](TwoCopies& copies) { copies.count = 1; });
    expect_refused("the first has none", [](TwoCopies& copies) { copies.first_of[0] = 1; });
    expect_refused("not in order", [](TwoCopies& copies) { copies.first_of[1] = 0; });
    expect_refused("beyond the last", [](TwoCopies& copies) { copies.first_of[1] = 2; });
    expect_refused("no access order", [](TwoCopies& copies) {
      copies.attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    });
    expect_refused("flags", [](TwoCopies& copies) { copies.attributes[0].flags = 2; });
  });
  expect_no_fault();
}

TEST_P(CudaBatch, TheLegacyStreamIsRefused) {
  run([] {
    TwoCopies copies;
    EXPECT_EQ(copies.submit(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(copies.submit(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(copies.read(0), 0);
  });
  expect_no_fault();
}

TEST_P(CudaBatch, AnInvalidCopyCancelsTheBatch) {
  run([] {
    TwoCopies copies;
    CUDA_OK(cuMemsetD8_v2(copies.sources[0], 1, kBytes));
    CUDA_OK(cuMemFree_v2(copies.sources[1]));
    CUstream stream = make_stream();
    EXPECT_EQ(copies.submit(stream), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(copies.read(0), 0);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaBatch, ACopyBeyondTheEndIsAFault) {
  run([] {
    TwoCopies copies;
    copies.sizes[1] = std::size_t{1} << 40;
    EXPECT_EQ(copies.submit(make_stream()), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaBatch);

// ---- choices of the simulated driver ------------------------------------------------------------

class SimBatch : public UnderStrategy {};

/// The source is written earlier in the stream, and may be read before that if allowed.
int copied_after_a_late_write(CUmemcpySrcAccessOrder order) {
  TwoCopies copies(order);
  for (const CUdeviceptr source : copies.sources)
    EXPECT_EQ(cuMemsetD8_v2(source, 1, kBytes), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  CUstream stream = make_stream();
  EXPECT_EQ(cuMemsetD8Async(copies.sources[0], 2, kBytes, stream), CUDA_SUCCESS);
  EXPECT_EQ(copies.submit(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  return copies.read(0);
}

/// Leaves all work queued, and reads ahead wherever that is a pick.
class Ahead : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::lag || question.site == Site::order ? 1 : 0;
  }
};

TEST_F(SimBatch, ReadsInStreamOrderIfRequested) {
  run(Ahead(),
      [] { EXPECT_EQ(copied_after_a_late_write(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM), 0x02020202); });
}

TEST_F(SimBatch, ReadsAtTheCallIfRequested) {
  run(lagging(), [] {
    EXPECT_EQ(copied_after_a_late_write(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL), 0x01010101);
  });
}

TEST_F(SimBatch, ReadsAtTheCallOrLaterIfAnyOrderIsAllowed) {
  run(Ahead(),
      [] { EXPECT_EQ(copied_after_a_late_write(CU_MEMCPY_SRC_ACCESS_ORDER_ANY), 0x01010101); });
  run(lagging(),
      [] { EXPECT_EQ(copied_after_a_late_write(CU_MEMCPY_SRC_ACCESS_ORDER_ANY), 0x02020202); });
}

TEST_F(SimBatch, EachCopyUsesTheLastAttributesBeforeIt) {
  run(lagging(), [] {
    TwoCopies copies(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
    copies.attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    for (const CUdeviceptr source : copies.sources) CUDA_OK(cuMemsetD8_v2(source, 1, kBytes));
    CUDA_OK(cuCtxSynchronize());
    CUstream stream = make_stream();
    for (const CUdeviceptr source : copies.sources)
      CUDA_OK(cuMemsetD8Async(source, 2, kBytes, stream));
    CUDA_OK(copies.submit(stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(copies.read(0), 0x02020202) << "in stream order";
    EXPECT_EQ(copies.read(1), 0x01010101) << "at the call";
  });
  expect_finished();
}

TEST_F(SimBatch, PageableMemoryIsAFault) {
  run(lagging(), [] {
    TwoCopies copies;
    int value = 0;
    copies.sources[1] = reinterpret_cast<CUdeviceptr>(&value);
    EXPECT_EQ(copies.submit(make_stream()), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(SimBatch, ACopyThatDependsOnAnotherIsAFault) {
  run(lagging(), [] {
    TwoCopies copies;
    copies.sources[1] = copies.targets[0];
    EXPECT_EQ(copies.submit(make_stream()), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

}  // namespace
}  // namespace harness::testing
