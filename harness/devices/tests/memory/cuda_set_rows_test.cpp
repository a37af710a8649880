// SPDX-License-Identifier: Apache-2.0
// Two-dimensional sets: cuMemsetD2D8, D2D16 and D2D32.
#include <array>
#include <cstring>

#include "harness/devices/tests/streams/race_stage.h"

namespace harness::testing {
namespace {

class CudaSetRows : public OnEveryDevice {};

constexpr std::size_t kPitch = 16;

/// Memory of four rows, of zeros.
CUdeviceptr allocate_rows() {
  CUdeviceptr address = allocate(4 * kPitch);
  EXPECT_EQ(cuMemsetD8_v2(address, 0, 4 * kPitch), CUDA_SUCCESS);
  return address;
}

using Bytes = std::array<unsigned char, 4 * kPitch>;

Bytes read_rows(CUdeviceptr address) {
  Bytes bytes{};
  EXPECT_EQ(cuMemcpyDtoH_v2(bytes.data(), address, bytes.size()), CUDA_SUCCESS);
  return bytes;
}

/// Sets two rows, beginning with the second, to eight bytes each of repeated `value`.
template <class Value>
Bytes expected_rows(Value value) {
  Bytes bytes{};
  for (const std::size_t row : {1, 2})
    for (std::size_t i = 0; i < 8; i += sizeof value)
      std::memcpy(bytes.data() + row * kPitch + i, &value, sizeof value);
  return bytes;
}

TEST_P(CudaSetRows, OnlyTheRowsAreSet) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_rows();
    CUDA_OK(cuMemsetD2D8_v2(address + kPitch, kPitch, 7, 8, 2));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned char>(7));
    CUDA_OK(cuMemsetD2D16_v2(address + kPitch, kPitch, 0x1234, 4, 2));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned short>(0x1234));
    CUDA_OK(cuMemsetD2D32_v2(address + kPitch, kPitch, 0x12345678, 2, 2));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned>(0x12345678));
    CUDA_OK(cuCtxSynchronize());
    CUDA_OK(cuMemsetD2D8Async(address + kPitch, kPitch, 9, 8, 2, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned char>(9));
    CUDA_OK(cuMemsetD2D16Async(address + kPitch, kPitch, 0x4321, 4, 2, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned short>(0x4321));
    CUDA_OK(cuMemsetD2D32Async(address + kPitch, kPitch, 5, 2, 2, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned>(5));
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaSetRows, AddressesAndPitchesAreAligned) {
  run([] {
    CUdeviceptr address = allocate_rows();
    EXPECT_EQ(cuMemsetD2D16_v2(address + 1, kPitch, 1, 2, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD2D16_v2(address, kPitch + 1, 1, 2, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD2D32_v2(address + 2, kPitch, 1, 2, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD2D32_v2(address, kPitch + 2, 1, 2, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD2D32Async(address, kPitch + 2, 1, 2, 2, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(read_rows(address), Bytes{});
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaSetRows, ARowLongerThanItsPitchIsInvalid) {
  run([] {
    CUdeviceptr address = allocate_rows();
    EXPECT_EQ(cuMemsetD2D8_v2(address, kPitch, 1, kPitch + 1, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD2D32Async(address, kPitch, 1, 5, 2, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(read_rows(address), Bytes{});
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaSetRows, ASingleRowIgnoresThePitch) {
  run([] {
    CUdeviceptr address = allocate_rows();
    CUDA_OK(cuMemsetD2D8_v2(address, 0, 1, 4 * kPitch, 1));
    Bytes ones;
    ones.fill(1);
    EXPECT_EQ(read_rows(address), ones);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaSetRows, SettingFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate_rows();
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemsetD2D8_v2(address, kPitch, 1, 2, 2), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaSetRows, ALastRowBeyondTheEndIsInvalid) {
  run([] {
    CUdeviceptr address = allocate_rows();
    EXPECT_EQ(cuMemsetD2D8_v2(address, 4096, 1, 2, std::size_t{1} << 40), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  if (GetParam() == Backend::sim) expect_fault("api_misuse");
}

TEST_P(CudaSetRows, ASetIsCapturedAsANode) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_rows();
    CUgraph graph = nullptr;
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUDA_OK(cuMemsetD2D32Async(address + kPitch, kPitch, 3, 2, 2, stream));
    CUDA_OK(cuStreamEndCapture(stream, &graph));
    CUgraphNode node = nullptr;
    std::size_t count = 1;
    CUDA_OK(cuGraphGetNodes(graph, &node, &count));
    CUDA_MEMSET_NODE_PARAMS params{};
    CUDA_OK(cuGraphMemsetNodeGetParams(node, &params));
    EXPECT_EQ(params.height, 2U);
    EXPECT_EQ(params.pitch, kPitch);
    EXPECT_EQ(params.width, 2U);
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(read_rows(address), expected_rows<unsigned>(3));
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaSetRows);

// ---- order, on the simulated driver -------------------------------------------------------------

class CudaSetRowsOrder : public RaceStage {};

TEST_F(CudaSetRowsOrder, InterleavedRowsDoNotRace) {
  run([] {
    CUdeviceptr address = allocate(4 * kPitch);
    CUDA_OK(cuMemsetD2D8Async(address, kPitch, 1, 8, 4, make_stream()));
    CUDA_OK(cuMemsetD2D8Async(address + 8, kPitch, 2, 8, 4, make_stream()));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_none();
}

TEST_F(CudaSetRowsOrder, RowsThatShareAByteRace) {
  run([] {
    CUdeviceptr address = allocate(4 * kPitch);
    CUDA_OK(cuMemsetD2D8Async(address, kPitch, 1, 9, 4, make_stream()));
    CUDA_OK(cuMemsetD2D8Async(address + 3 * kPitch + 8, kPitch, 2, 8, 1, make_stream()));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_order();
}

}  // namespace
}  // namespace harness::testing
