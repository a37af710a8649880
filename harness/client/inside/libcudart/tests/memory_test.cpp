// SPDX-License-Identifier: Apache-2.0
// Memory: allocations, copies, sets, and what is known of a pointer.
#include <cstring>
#include <utility>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

extern "C" {
cudaError_t cudaMemcpy_ptds(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2D_ptds(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync_ptsz(void*, size_t, const void*, size_t, size_t, size_t,
                                   cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms*);
cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms*, cudaStream_t);
cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms*);
cudaError_t cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms*, cudaStream_t);
cudaError_t cudaMemcpyBatchAsync_ptsz(void* const*, const void* const*, const size_t*, size_t,
                                      cudaMemcpyAttributes*, size_t*, size_t, cudaStream_t);
cudaError_t cudaMemset_ptds(void*, int, size_t);
cudaError_t cudaMemsetAsync_ptsz(void*, int, size_t, cudaStream_t);
cudaError_t cudaMemset2D_ptds(void*, size_t, int, size_t, size_t);
cudaError_t cudaMemset2DAsync_ptsz(void*, size_t, int, size_t, size_t, cudaStream_t);
cudaError_t cudaMemset3D_ptds(cudaPitchedPtr, int, cudaExtent);
cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr, int, cudaExtent, cudaStream_t);
}

namespace harness::testing {
namespace {

class RuntimeMemory : public Runtime {};

TEST_F(RuntimeMemory, IsAllocatedCopiedAndFreed) {
  int* memory = on_device({1, 2, 3});
  EXPECT_EQ(read(memory), (Values{1, 2, 3}));
  EXPECT_OK(cudaFree(memory));
  expect_error(cudaFree(memory), cudaErrorInvalidValue);
}

TEST_F(RuntimeMemory, NothingIsNoMemoryAndNoError) {
  void* memory = &host;
  EXPECT_OK(cudaMalloc(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  memory = &host;
  EXPECT_OK(cudaMallocHost(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  EXPECT_OK(cudaFree(nullptr));
  EXPECT_OK(cudaFreeHost(nullptr));
  expect_error(cudaMalloc(nullptr, 8), cudaErrorInvalidValue);
}

TEST_F(RuntimeMemory, TooMuchOfItIsRefused) {
  void* memory = nullptr;
  expect_error(cudaMalloc(&memory, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  EXPECT_GT(free, 0U);
  EXPECT_GE(total, free);
}

TEST_F(RuntimeMemory, OfTheHostIsKnownByItsFlags) {
  void* plain = nullptr;
  void* mapped = nullptr;
  ASSERT_OK(cudaMallocHost(&plain, kBytes));
  ASSERT_OK(cudaHostAlloc(&mapped, kBytes, cudaHostAllocMapped));
  std::memset(plain, 1, kBytes);
  unsigned flags = 0;
  EXPECT_OK(cudaHostGetFlags(&flags, mapped));
  EXPECT_NE(flags & cudaHostAllocMapped, 0U);
  void* device = nullptr;
  EXPECT_OK(cudaHostGetDevicePointer(&device, mapped, 0));
  EXPECT_NE(device, nullptr);
  expect_error(cudaHostAlloc(&mapped, kBytes, 0x100), cudaErrorInvalidValue);
  EXPECT_OK(cudaFreeHost(plain));
  EXPECT_OK(cudaFreeHost(mapped));
  expect_error(cudaFreeHost(mapped), cudaErrorInvalidValue);
}

TEST_F(RuntimeMemory, OfTheProgramIsRegisteredOnce) {
  static int values[1024];
  ASSERT_OK(cudaHostRegister(values, sizeof values, cudaHostRegisterDefault));
  expect_error(cudaHostRegister(values, sizeof values, cudaHostRegisterDefault),
               cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_OK(cudaHostUnregister(values));
  expect_error(cudaHostUnregister(values), cudaErrorHostMemoryNotRegistered);
}

TEST_F(RuntimeMemory, ThatIsManagedIsSeenByBoth) {
  int* memory = nullptr;
  ASSERT_OK(cudaMallocManaged(reinterpret_cast<void**>(&memory), kBytes, cudaMemAttachGlobal));
  memory[0] = 3;
  AddArguments arguments(memory, 4);
  EXPECT_OK(cudaLaunchKernel(&host.add, 1, 8, arguments.get(), 0, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(memory[0], 7);
  expect_error(cudaMallocManaged(reinterpret_cast<void**>(&memory), 0, cudaMemAttachGlobal),
               cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeMemory, ThatIsManagedTakesAdviceAndIsPrefetched) {
  void* memory = nullptr;
  void* other = on_device();
  ASSERT_OK(cudaMallocManaged(&memory, kBytes, cudaMemAttachGlobal));
  cudaMemLocation device{};
  device.type = cudaMemLocationTypeDevice;
  EXPECT_OK(cudaMemAdvise(memory, kBytes, cudaMemAdviseSetPreferredLocation, device));
  expect_error(cudaMemAdvise(other, kBytes, cudaMemAdviseSetPreferredLocation, device),
               cudaErrorInvalidValue);
  EXPECT_OK(cudaMemPrefetchAsync(memory, kBytes, device, 0, nullptr));
  expect_error(cudaMemPrefetchAsync(other, kBytes, device, 0, nullptr), cudaErrorInvalidValue);
  const cudaStream_t on = stream();
  std::size_t bytes = kBytes;
  std::size_t first = 0;
  EXPECT_OK(cudaMemPrefetchBatchAsync(&memory, &bytes, 1, &device, &first, 1, 0, on));
  expect_error(cudaMemPrefetchBatchAsync(&other, &bytes, 1, &device, &first, 1, 0, on),
               cudaErrorInvalidValue);
  EXPECT_OK(cudaStreamAttachMemAsync(on, memory, 0, cudaMemAttachSingle));
  expect_error(cudaStreamAttachMemAsync(on, memory, 0, 0x40), cudaErrorInvalidValue);
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(other));
}

TEST_F(RuntimeMemory, PointersAreToldApart) {
  int* device = on_device();
  void* pinned = nullptr;
  void* managed = nullptr;
  int plain = 0;
  ASSERT_OK(cudaMallocHost(&pinned, kBytes));
  ASSERT_OK(cudaMallocManaged(&managed, kBytes, cudaMemAttachGlobal));
  cudaPointerAttributes found{};
  ASSERT_OK(cudaPointerGetAttributes(&found, device));
  EXPECT_EQ(found.type, cudaMemoryTypeDevice);
  EXPECT_EQ(found.devicePointer, device);
  EXPECT_EQ(found.hostPointer, nullptr);
  EXPECT_EQ(found.device, 0);
  ASSERT_OK(cudaPointerGetAttributes(&found, pinned));
  EXPECT_EQ(found.type, cudaMemoryTypeHost);
  EXPECT_EQ(found.hostPointer, pinned);
  ASSERT_OK(cudaPointerGetAttributes(&found, managed));
  EXPECT_EQ(found.type, cudaMemoryTypeManaged);
  ASSERT_OK(cudaPointerGetAttributes(&found, &plain));
  EXPECT_EQ(found.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(found.hostPointer, &plain);
  EXPECT_EQ(found.device, cudaInvalidDeviceId);
  expect_error(cudaPointerGetAttributes(nullptr, device), cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(device));
  EXPECT_OK(cudaFreeHost(pinned));
  EXPECT_OK(cudaFree(managed));
}

// ---- copies -------------------------------------------------------------------------------------

TEST_F(RuntimeMemory, IsCopiedInEveryDirection) {
  const Values from{4, 5, 6};
  Values to{};
  int* first = on_device();
  int* second = on_device();
  EXPECT_OK(cudaMemcpy(first, from.data(), kBytes, cudaMemcpyDefault));
  EXPECT_OK(cudaMemcpy(second, first, kBytes, cudaMemcpyDeviceToDevice));
  EXPECT_OK(cudaMemcpy(to.data(), second, kBytes, cudaMemcpyDefault));
  EXPECT_EQ(to, from);
  to = {};
  EXPECT_OK(cudaMemcpy(to.data(), from.data(), kBytes, cudaMemcpyHostToHost));
  EXPECT_EQ(to, from);
  expect_error(cudaMemcpy(first, second, kBytes, static_cast<cudaMemcpyKind>(9)),
               cudaErrorInvalidMemcpyDirection);
  to = {};
  EXPECT_OK(cudaMemcpyAsync(to.data(), first, kBytes, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(to, from);
  EXPECT_OK(cudaMemset(second, 0, kBytes));
  EXPECT_OK(cudaMemcpyPeer(second, 0, first, 0, kBytes));
  EXPECT_EQ(read(second), from);
  EXPECT_OK(cudaMemset(second, 0, kBytes));
  EXPECT_OK(cudaMemcpyPeerAsync(second, 0, first, 0, kBytes, nullptr));
  EXPECT_EQ(read(second), from);
  expect_error(cudaMemcpyPeer(second, 0, first, 3, kBytes), cudaErrorInvalidDevice);
  EXPECT_OK(cudaFree(first));
  EXPECT_OK(cudaFree(second));
}

/// Rows of 8 bytes, 16 apart, become rows that follow each other.
TEST_F(RuntimeMemory, RowsAreCopiedByTheirPitches) {
  int* memory = on_device({1, 2, 0, 0, 3, 4});
  const std::array<int, 4> wanted{1, 2, 3, 4};
  std::array<int, 4> found{};
  EXPECT_OK(cudaMemcpy2D(found.data(), 8, memory, 16, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found, wanted);
  found = {};
  EXPECT_OK(cudaMemcpy2D_ptds(found.data(), 8, memory, 16, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(found, wanted);
  found = {};
  EXPECT_OK(cudaMemcpy2DAsync(found.data(), 8, memory, 16, 8, 2, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(found, wanted);
  found = {};
  EXPECT_OK(
      cudaMemcpy2DAsync_ptsz(found.data(), 8, memory, 16, 8, 2, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(found, wanted);
  expect_error(cudaMemcpy2D(found.data(), 4, memory, 16, 8, 2, cudaMemcpyDeviceToHost),
               cudaErrorInvalidPitchValue);
  EXPECT_OK(cudaFree(memory));
}

cudaMemcpy3DParms slices(void* target, void* source, cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {source, 8, 8, 2};
  copy.dstPtr = {target, 8, 8, 2};
  copy.extent = {8, 2, 2};
  copy.kind = kind;
  return copy;
}

TEST_F(RuntimeMemory, SlicesAreCopied) {
  const Values from{1, 2, 3, 4, 5, 6, 7, 8};
  int* memory = on_device(from);
  Values to{};
  const cudaMemcpy3DParms copy = slices(to.data(), memory, cudaMemcpyDeviceToHost);
  const auto copied = [&](cudaError_t error) {
    EXPECT_OK(error);
    EXPECT_OK(cudaDeviceSynchronize());
    return std::exchange(to, {});
  };
  EXPECT_EQ(copied(cudaMemcpy3D(&copy)), from);
  EXPECT_EQ(copied(cudaMemcpy3D_ptds(&copy)), from);
  EXPECT_EQ(copied(cudaMemcpy3DAsync(&copy, nullptr)), from);
  EXPECT_EQ(copied(cudaMemcpy3DAsync_ptsz(&copy, nullptr)), from);
  cudaMemcpy3DParms two_sources = copy;
  two_sources.srcPtr.ptr = nullptr;
  expect_error(cudaMemcpy3D(&two_sources), cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeMemory, SlicesAreCopiedBetweenPeers) {
  const Values from{1, 2, 3, 4, 5, 6, 7, 8};
  int* memory = on_device(from);
  int* target = on_device();
  cudaMemcpy3DPeerParms copy{};
  copy.srcPtr = {memory, 8, 8, 2};
  copy.dstPtr = {target, 8, 8, 2};
  copy.extent = {8, 2, 2};
  const auto copied = [&](cudaError_t error) {
    EXPECT_OK(error);
    const Values found = read(target);
    EXPECT_OK(cudaMemset(target, 0, kBytes));
    return found;
  };
  EXPECT_EQ(copied(cudaMemcpy3DPeer(&copy)), from);
  EXPECT_EQ(copied(cudaMemcpy3DPeer_ptds(&copy)), from);
  EXPECT_EQ(copied(cudaMemcpy3DPeerAsync(&copy, nullptr)), from);
  EXPECT_EQ(copied(cudaMemcpy3DPeerAsync_ptsz(&copy, nullptr)), from);
  copy.srcDevice = 2;
  expect_error(cudaMemcpy3DPeer(&copy), cudaErrorInvalidDevice);
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(target));
}

TEST_F(RuntimeMemory, IsCopiedInBatches) {
  int* memory = on_device(all(3));
  int* target = on_device();
  const cudaStream_t on = stream();
  void* targets[] = {target, target + 4};
  const void* sources[] = {memory, memory + 4};
  std::size_t sizes[] = {16, 16};
  std::size_t first = 0;
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_OK(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, &first, 1, on));
  EXPECT_EQ(read(target), all(3));
  EXPECT_OK(cudaMemset(target, 0, kBytes));
  EXPECT_OK(cudaMemcpyBatchAsync_ptsz(targets, sources, sizes, 2, &attributes, &first, 1, on));
  EXPECT_EQ(read(target), all(3));
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(target));
}

TEST_F(RuntimeMemory, IsCopiedInTheThreadsOwnStream) {
  int* memory = on_device();
  const Values from{1, 2};
  Values to{};
  EXPECT_OK(cudaMemcpy_ptds(memory, from.data(), kBytes, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpyAsync_ptsz(to.data(), memory, kBytes, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT_EQ(to, from);
  EXPECT_OK(cudaFree(memory));
}

// ---- sets ---------------------------------------------------------------------------------------

TEST_F(RuntimeMemory, IsSet) {
  int* memory = on_device();
  const auto found = [&](cudaError_t error) {
    EXPECT_OK(error);
    const Values values = read(memory);
    EXPECT_OK(cudaMemcpy(memory, all(0).data(), kBytes, cudaMemcpyHostToDevice));
    return values;
  };
  EXPECT_EQ(found(cudaMemset(memory, 1, kBytes)), all(0x01010101));
  EXPECT_EQ(found(cudaMemset_ptds(memory, 1, kBytes)), all(0x01010101));
  EXPECT_EQ(found(cudaMemsetAsync(memory, 1, kBytes, nullptr)), all(0x01010101));
  EXPECT_EQ(found(cudaMemsetAsync_ptsz(memory, 1, kBytes, nullptr)), all(0x01010101));
  const Values rows{1, 0, 1, 0};
  const auto ones = [&](const Values& values) {
    Values made{};
    for (std::size_t i = 0; i < kCount; ++i) made[i] = values[i] * 0x01010101;
    return made;
  };
  EXPECT_EQ(found(cudaMemset2D(memory, 8, 1, 4, 2)), ones(rows));
  EXPECT_EQ(found(cudaMemset2D_ptds(memory, 8, 1, 4, 2)), ones(rows));
  EXPECT_EQ(found(cudaMemset2DAsync(memory, 8, 1, 4, 2, nullptr)), ones(rows));
  EXPECT_EQ(found(cudaMemset2DAsync_ptsz(memory, 8, 1, 4, 2, nullptr)), ones(rows));
  const cudaPitchedPtr pitched{memory, 8, 8, 2};  // Two slices of two rows.
  const Values first_rows{1, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(found(cudaMemset3D(pitched, 1, {4, 1, 2})), ones(first_rows));
  EXPECT_EQ(found(cudaMemset3D_ptds(pitched, 1, {4, 1, 2})), ones(first_rows));
  EXPECT_EQ(found(cudaMemset3DAsync(pitched, 1, {4, 1, 2}, nullptr)), ones(first_rows));
  EXPECT_EQ(found(cudaMemset3DAsync_ptsz(pitched, 1, {8, 2, 2}, nullptr)), all(0x01010101));
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeMemory, RowsAreAllocatedWithAPitch) {
  void* memory = nullptr;
  std::size_t pitch = 0;
  ASSERT_OK(cudaMallocPitch(&memory, &pitch, 100, 4));
  EXPECT_GE(pitch, 100U);
  EXPECT_OK(cudaMemset2D(memory, pitch, 1, 100, 4));
  EXPECT_OK(cudaFree(memory));
  cudaPitchedPtr pitched{};
  ASSERT_OK(cudaMalloc3D(&pitched, {100, 4, 2}));
  EXPECT_EQ(pitched.xsize, 100U);
  EXPECT_EQ(pitched.ysize, 4U);
  EXPECT_GE(pitched.pitch, 100U);
  EXPECT_OK(cudaMemset3D(pitched, 1, {100, 4, 2}));
  EXPECT_OK(cudaFree(pitched.ptr));
}

}  // namespace
}  // namespace harness::testing
