// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: copies of rows and slices, to and from CUDA arrays.
#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include "harness/devices/tests/arrays/array_stage.h"

namespace harness::testing {
namespace {

using ::testing::ElementsAre;

class CudaArrayCopy : public OnEveryDevice {};

// ---- one row ----------------------------------------------------------------------------------

TEST_P(CudaArrayCopy, AOneRowArrayIsCopiedToAndFrom) {
  run([] {
    const std::vector<int> values = numbers(8);
    const CUarray array = make_array(8);
    const CUarray other = make_array(8);
    const CUdeviceptr memory = allocate(32);
    CUDA_OK(cuMemcpyHtoA_v2(array, 0, values.data(), 32));
    CUDA_OK(cuMemcpyAtoA_v2(other, 8, array, 0, 16));
    CUDA_OK(cuMemcpyAtoD_v2(memory, other, 8, 16));
    CUDA_OK(cuMemcpyDtoA_v2(array, 16, memory, 8));
    std::array<int, 8> found{};
    CUDA_OK(cuMemcpyAtoH_v2(found.data(), array, 0, 32));
    EXPECT_THAT(found, ElementsAre(1, 2, 3, 4, 1, 2, 7, 8));
  });
  expect_no_fault();
}

TEST_P(CudaArrayCopy, AOneRowArrayIsCopiedInAStream) {
  run([] {
    const std::vector<int> values = numbers(8);
    const CUarray array = make_array(8);
    const CUstream stream = make_stream();
    CUDA_OK(cuMemcpyHtoAAsync_v2(array, 0, values.data(), 32, stream));
    std::array<int, 4> found{};
    CUDA_OK(cuMemcpyAtoHAsync_v2(found.data(), array, 8, 16, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_THAT(found, ElementsAre(3, 4, 5, 6));
  });
  expect_no_fault();
}

TEST_P(CudaArrayCopy, CopiesAreInBytesWithinARow) {
  run([] {
    std::array<int, 16> values{};
    const CUarray array = make_array(8);
    const CUarray wide = make_array(4, 0, 0, CU_AD_FORMAT_FLOAT, 2);
    constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;
    CUDA_OK(cuMemcpyHtoA_v2(array, 2, values.data(), 8));  // From the middle of an element.
    CUDA_OK(cuMemcpyHtoA_v2(array, 0, values.data(), 6));
    EXPECT_EQ(cuMemcpyHtoA_v2(array, 0, values.data(), 36), kInvalid) << "too many";
    EXPECT_EQ(cuMemcpyHtoA_v2(array, 32, values.data(), 4), kInvalid) << "behind the end";
    CUDA_OK(cuMemcpyAtoA_v2(array, 0, wide, 0, 8));  // Elements of another size.
    CUDA_OK(cuMemcpyHtoA_v2(array, 0, numbers(8).data(), 32));
    std::array<unsigned char, 4> found{};
    CUDA_OK(cuMemcpyAtoH_v2(found.data(), array, 6, 4));
    EXPECT_THAT(found, ElementsAre(0, 0, 3, 0));
  });
  expect_no_fault();
}

// ---- rows and slices --------------------------------------------------------------------------

TEST_P(CudaArrayCopy, RowsAreCopied) {
  run([] {
    const CUarray array = make_array(4, 3);
    fill_array(array, numbers(12), 4);
    std::vector<int> found(6, 0);
    CUDA_MEMCPY2D copy = rows_from_array(array, found.data(), 2, 2);
    copy.srcXInBytes = 4;
    copy.srcY = 1;
    copy.dstPitch = 12;  // Two of three.
    CUDA_OK(cuMemcpy2DUnaligned_v2(&copy));
    EXPECT_THAT(found, ElementsAre(6, 7, 0, 10, 11, 0));
  });
  expect_no_fault();
}

TEST_P(CudaArrayCopy, RowsAreCopiedInAStreamFromPinnedMemory) {
  run([] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 48));
    auto* values = static_cast<int*>(pinned);
    std::iota(values, values + 12, 1);
    const CUarray array = make_array(4, 3);
    const CUdeviceptr memory = allocate(12 * 8);
    const CUstream stream = make_stream();
    const CUDA_MEMCPY2D in = rows_to_array(values, array, 4, 3);
    CUDA_OK(cuMemcpy2DAsync_v2(&in, stream));
    CUDA_MEMCPY2D out{};
    out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out.srcArray = array;
    out.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    out.dstDevice = memory;
    out.dstPitch = 32;
    out.WidthInBytes = 16;
    out.Height = 3;
    CUDA_OK(cuMemcpy2DAsync_v2(&out, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(memory + 12), 4);
    EXPECT_EQ(read_int(memory + 64), 9);
    CUDA_OK(cuMemFreeHost(pinned));
  });
  expect_no_fault();
}

TEST_P(CudaArrayCopy, SlicesAreCopied) {
  run([] {
    const std::vector<int> values = numbers(24);
    const CUarray array = make_array(4, 3, 2);
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.srcPitch = 16;
    copy.srcHeight = 3;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 16;
    copy.Height = 3;
    copy.Depth = 2;
    CUDA_OK(cuMemcpy3D_v2(&copy));
    CUDA_OK(cuCtxSynchronize());  // It returns when the bytes are staged.
    std::array<int, 4> found{};
    CUDA_MEMCPY3D back{};
    back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    back.srcArray = array;
    back.srcXInBytes = 8;
    back.srcY = 2;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = found.data();
    back.dstPitch = 8;
    back.dstHeight = 1;
    back.WidthInBytes = 8;
    back.Height = 1;
    back.Depth = 2;
    const CUstream stream = make_stream();
    CUDA_OK(cuMemcpy3DAsync_v2(&back, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_THAT(found, ElementsAre(11, 12, 23, 24));
  });
  expect_no_fault();
}

TEST_P(CudaArrayCopy, ACopyBeyondTheExtentsIsRefused) {
  run([] {
    std::vector<int> values = numbers(24);
    const CUarray array = make_array(4, 3, 2);
    const auto refused = [&](const char* what, auto change) {
      CUDA_MEMCPY3D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = values.data();
      copy.srcPitch = 16;
      copy.srcHeight = 3;
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = array;
      copy.WidthInBytes = 16;
      copy.Height = 3;
      copy.Depth = 2;
      change(copy);
      EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE) << what;
    };
    refused("x", [](CUDA_MEMCPY3D& copy) { copy.dstXInBytes = 4; });
    refused("y", [](CUDA_MEMCPY3D& copy) { copy.dstY = 1; });
    refused("z", [](CUDA_MEMCPY3D& copy) { copy.dstZ = 1; });
    refused("z beyond all", [](CUDA_MEMCPY3D& copy) { copy.dstZ = ~std::size_t{0}; });
    refused("width", [](CUDA_MEMCPY3D& copy) { copy.WidthInBytes = 20; });
    refused("a short pitch", [](CUDA_MEMCPY3D& copy) { copy.srcPitch = 12; });
    if (GetParam() == Backend::gpu) return;  // An H200 takes it where there is one row.
    refused("a pitch above the largest", [](CUDA_MEMCPY3D& copy) {
      copy.srcPitch = std::size_t{1} << 31;
      copy.Height = copy.Depth = 1;
    });
    refused("a low slice", [](CUDA_MEMCPY3D& copy) { copy.srcHeight = 2; });
    refused("level of detail", [](CUDA_MEMCPY3D& copy) { copy.dstLOD = 1; });
    refused("memory type",
            [](CUDA_MEMCPY3D& copy) { copy.dstMemoryType = static_cast<CUmemorytype>(9); });
    EXPECT_EQ(cuMemcpy3D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaArrayCopy, AnEmptyCopySucceeds) {
  run([] {
    CUDA_MEMCPY2D copy = rows_to_array<int>(nullptr, make_array(4, 3), 4, 0);
    EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  });
  expect_no_fault();
}

/// Rows between memory of two pitches, without an array.
TEST_P(CudaArrayCopy, RowsOfMemoryAreCopiedWithTwoPitches) {
  run([] {
    const std::vector<int> values = numbers(12);
    const CUdeviceptr memory = allocate(256);
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.srcPitch = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.dstDevice = memory;
    copy.dstPitch = 64;
    copy.WidthInBytes = 16;
    copy.Height = 3;
    CUDA_OK(cuMemcpy2D_v2(&copy));
    EXPECT_EQ(read_int(memory + 4), 2);
    EXPECT_EQ(read_int(memory + 64), 5);
    EXPECT_EQ(read_int(memory + 128 + 12), 12);
  });
  expect_no_fault();
}

/// Pointers in rows that the call takes from pageable memory mean what they meant then.
TEST_P(CudaArrayCopy, StagedRowsKeepTheirPointers) {
  run([this] {
    const CUfunction kernel = get_kernel(image(), "copy_indirect");
    CUdeviceptr data = allocate(8);
    write_int(data, 42);
    CUdeviceptr table = allocate(64);
    CUdeviceptr out = allocate(4);
    const std::array<CUdeviceptr, 4> rows{0, 0, data, 0};
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = rows.data();
    copy.srcPitch = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = table;
    copy.dstPitch = 32;
    copy.WidthInBytes = 16;
    copy.Height = 2;
    CUDA_OK(cuMemcpy2D_v2(&copy));
    CUdeviceptr second = table + 32;
    CUDA_OK(launch(kernel, 1, 1, nullptr, {&second, &out}));
    EXPECT_EQ(read_int(out), 42);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaArrayCopy);

}  // namespace
}  // namespace harness::testing
