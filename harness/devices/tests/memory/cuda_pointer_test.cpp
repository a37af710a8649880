// SPDX-License-Identifier: Apache-2.0
// Pointers that reach a kernel in other ways than as aligned words of copied memory: in packed
// records, with a tag, or stored by the host while the kernel runs. On the simulated driver.
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/tests/cuda_stage.h"

extern "C" {
extern const harness::KernelImage afterlife_kernels_pointers;
}

namespace harness::testing {
namespace {

class CudaPointer : public UnderStrategy {};

struct __attribute__((packed)) PackedRecord {
  std::uint32_t count;
  CUdeviceptr data;
};
static_assert(sizeof(PackedRecord) == 12);

CUfunction pointer_kernel(const char* name) {
  return get_kernel(&afterlife_kernels_pointers, name);
}

CUdeviceptr allocate_with(int value) {
  CUdeviceptr address = allocate(64);
  write_int(address, value);
  return address;
}

// ---- packed records ---------------------------------------------------------------------------

TEST_F(CudaPointer, APackedRecordParameterMayHoldAPointer) {
  run(Plain(), [] {
    CUdeviceptr out = allocate(64);
    PackedRecord record{1, allocate_with(7)};
    CUDA_OK(launch(pointer_kernel("follow_packed_value"), 1, 1, nullptr, {&record, &out}));
    EXPECT_EQ(read_int(out), 7);
  });
  expect_finished();
}

TEST_F(CudaPointer, PackedRecordsInMemoryMayHoldUnalignedPointers) {
  for (unsigned index : {0U, 1U, 2U, 3U}) {
    run(Plain(), [index] {
      CUdeviceptr out = allocate(64);
      PackedRecord records[4];
      for (PackedRecord& record : records) record = {1, allocate_with(8)};
      CUdeviceptr table = allocate(sizeof records);
      CUDA_OK(cuMemcpyHtoD_v2(table, records, sizeof records));
      unsigned which = index;
      CUDA_OK(launch(pointer_kernel("follow_packed"), 1, 1, nullptr, {&table, &which, &out}));
      EXPECT_EQ(read_int(out), 8);
    });
    expect_finished();
  }
}

TEST_F(CudaPointer, APackedRecordWrittenByAKernelMayHoldAPointer) {
  run(Plain(), [] {
    CUdeviceptr out = allocate(64);
    CUdeviceptr data = allocate_with(9);
    CUdeviceptr table = allocate(64);
    unsigned first = 0;
    CUDA_OK(launch(pointer_kernel("keep_packed"), 1, 1, nullptr, {&table, &data}));
    CUDA_OK(launch(pointer_kernel("follow_packed"), 1, 1, nullptr, {&table, &first, &out}));
    EXPECT_EQ(read_int(out), 9);
  });
  expect_finished();
}

/// A pointer in a packed record refers to a lifetime, as elsewhere.
TEST_F(CudaPointer, APackedRecordWithAStalePointerIsAFault) {
  run(Plain(), [] {
    CUdeviceptr out = allocate(64);
    PackedRecord record{1, allocate(64)};
    CUdeviceptr table = allocate(64);
    CUDA_OK(cuMemcpyHtoD_v2(table, &record, sizeof record));
    CUDA_OK(cuMemFree_v2(record.data));
    unsigned first = 0;
    launch(pointer_kernel("follow_packed"), 1, 1, nullptr, {&table, &first, &out});
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

// ---- reported, and the run continues ----------------------------------------------------------

TEST_F(CudaPointer, ATaggedPointerIsReportedAndTheRunContinues) {
  run(Plain(), [] {
    CUdeviceptr out = allocate(64);
    std::uint64_t tagged = allocate_with(5) | std::uint64_t{0xabc} << 48;
    CUDA_OK(launch(pointer_kernel("follow_tagged"), 1, 1, nullptr, {&tagged, &out}));
    EXPECT_EQ(read_int(out), 5);
  });
  EXPECT_EQ(ending, Ending::finished);
  ASSERT_EQ(stage.fault(), "wild_access");
  EXPECT_EQ(stage.faults[0].object_kind, devices::kTaggedPointer);
}

TEST_F(CudaPointer, APointerStoredByTheHostMeanwhileIsReported) {
  run(Always(Site::lag, 2), [] {  // One block of two is done.
    CUdeviceptr out = allocate(64);
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
    auto* table = static_cast<CUdeviceptr*>(pinned);
    table[0] = allocate_with(1);
    CUdeviceptr later = allocate_with(2);
    CUDA_OK(cuCtxSynchronize());
    CUstream stream = make_stream();
    CUDA_OK(launch(pointer_kernel("follow"), 2, 1, stream, {&table, &out}));
    table[0] = later;
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(out), 2);
  });
  EXPECT_EQ(ending, Ending::finished);
  ASSERT_EQ(stage.fault(), "wild_access");
  EXPECT_EQ(stage.faults[0].object_kind, devices::kHostsPointer);
}

/// An index out of bounds is neither.
TEST_F(CudaPointer, AnOffsetIntoOtherMemoryIsWild) {
  run(Plain(), [] {
    CUdeviceptr out = allocate(64);
    CUdeviceptr first = allocate(64);
    auto distance = static_cast<std::int64_t>(allocate(64) - first);
    launch(pointer_kernel("read_at"), 1, 1, nullptr, {&first, &distance, &out});
  });
  EXPECT_EQ(ending, Ending::fatal);
  ASSERT_EQ(stage.fault(), "wild_access");
  EXPECT_EQ(stage.faults[0].object_kind, Label("device memory"));
}

}  // namespace
}  // namespace harness::testing
