// SPDX-License-Identifier: Apache-2.0
// A program with a separate pool, which tells NVTX what it gives out and takes back. By its
// argument it makes one mistake, or, with "sound", none.
#include <cuda.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExtMem.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

constexpr std::size_t kPoolBytes = 1 << 16;
constexpr std::size_t kBytes = 1000;  ///< Bytes of a region: no multiple of anything.

void* library = nullptr;

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<CUresult (*)(Arguments...)>(dlsym(library, name));
  const CUresult status = function(arguments...);
  if (status != CUDA_SUCCESS) std::printf("%s: %d\n", name, static_cast<int>(status));
}

class Pool {
 public:
  explicit Pool(CUdeviceptr memory) : memory_(memory) {
    const nvtxMemVirtualRangeDesc_t range{kPoolBytes, reinterpret_cast<const void*>(memory)};
    nvtxMemHeapDesc_t heap{};
    heap.extCompatID = NVTX_EXT_COMPATID_MEM;
    heap.structSize = sizeof heap;
    heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof range;
    heap.typeSpecificDesc = &range;
    heap.messageType = NVTX_MESSAGE_TYPE_ASCII;
    heap.message.ascii = "scratch";
    heap_ = nvtxMemHeapRegister(nullptr, &heap);
  }
  ~Pool() { nvtxMemHeapUnregister(nullptr, heap_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  CUdeviceptr take(std::size_t offset = 0) const {
    const nvtxMemVirtualRangeDesc_t range{kBytes, reinterpret_cast<const void*>(memory_ + offset)};
    nvtxMemRegionsRegisterBatch_t batch{};
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.heap = heap_;
    batch.regionCount = 1;
    batch.regionDescElementSize = sizeof range;
    batch.regionDescElements = &range;
    nvtxMemRegionHandle_t handle = nullptr;
    batch.regionHandleElementsOut = &handle;
    nvtxMemRegionsRegister(nullptr, &batch);
    last_ = handle;
    return memory_ + offset;
  }
  void resize(CUdeviceptr region, std::size_t bytes) const {
    const nvtxMemVirtualRangeDesc_t range{bytes, reinterpret_cast<const void*>(region)};
    nvtxMemRegionsResizeBatch_t batch{};
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.regionDescCount = 1;
    batch.regionDescElementSize = sizeof range;
    batch.regionDescElements = &range;
    nvtxMemRegionsResize(nullptr, &batch);
  }
  void reset() const { nvtxMemHeapReset(nullptr, heap_); }
  void name(CUdeviceptr region, const char* text) const {
    nvtxMemRegionNameDesc_t element{};
    element.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    element.nameType = NVTX_MESSAGE_TYPE_ASCII;
    element.region.pointer = reinterpret_cast<const void*>(region);
    element.name.ascii = text;
    nvtxMemRegionsNameBatch_t batch{};
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionCount = 1;
    batch.regionElementSize = sizeof element;
    batch.regionElements = &element;
    nvtxMemRegionsName(nullptr, &batch);
  }
  void give_back(CUdeviceptr region) const {
    nvtxMemRegionRef_t reference{};
    reference.pointer = reinterpret_cast<const void*>(region);
    give_back(NVTX_MEM_REGION_REF_TYPE_POINTER, reference);
  }
  /// The region that was taken last, by its handle.
  void give_last_back() const {
    nvtxMemRegionRef_t reference{};
    reference.handle = last_;
    give_back(NVTX_MEM_REGION_REF_TYPE_HANDLE, reference);
  }

 private:
  static void give_back(std::uint32_t type, const nvtxMemRegionRef_t& reference) {
    nvtxMemRegionsUnregisterBatch_t batch{};
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.refType = type;
    batch.refCount = 1;
    batch.refElementSize = sizeof reference;
    batch.refElements = &reference;
    nvtxMemRegionsUnregister(nullptr, &batch);
  }

  CUdeviceptr memory_;
  mutable nvtxMemRegionHandle_t last_ = nullptr;
  nvtxMemHeapHandle_t heap_ = nullptr;
};

void set(CUdeviceptr region, CUstream stream, std::size_t bytes = kBytes) {
  call("cuMemsetD8Async", region, static_cast<unsigned char>(1), bytes, stream);
}

/// Two lives of one place, in the order of a stream: nothing waits for the first one's work.
void reuse_in_order(const Pool& pool, CUstream stream) {
  for (int round = 0; round < 3; ++round) {
    const CUdeviceptr first = pool.take();
    const CUdeviceptr second = pool.take(4096);
    set(first, stream);
    call("cuMemcpyDtoDAsync_v2", second, first, kBytes, stream);
    pool.give_back(first);
    pool.give_back(second);
  }
}

/// A graph keeps the address of a region that ends before it is launched.
void launch_graph(const Pool& pool, CUstream stream, bool is_kept, bool is_given_again) {
  CUgraph graph = nullptr;
  CUgraphExec run = nullptr;
  const CUdeviceptr region = pool.take();
  call("cuStreamBeginCapture_v2", stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  set(region, stream);
  call("cuStreamEndCapture", stream, &graph);
  call("cuGraphInstantiateWithFlags", &run, graph, 0ULL);
  if (!is_kept) pool.give_back(region);
  if (is_given_again) pool.take();
  call("cuGraphLaunch", run, stream);
  if (is_kept) pool.give_back(region);
}

void launch_kernel(CUdeviceptr region, CUstream stream, unsigned count) {
  static const char* const kText =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry fill(.param .u64 data) {\n"
      ".reg .b32 %r<2>; .reg .b64 %d<3>;\n"
      "ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;\n"
      "add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1; ret;\n}\n";
  CUmodule module = nullptr;
  CUfunction fill = nullptr;
  call("cuModuleLoadData", &module, static_cast<const void*>(kText));
  call("cuModuleGetFunction", &fill, module, "fill");
  void* parameters[] = {&region};
  call("cuLaunchKernel", fill, 1U, 1U, 1U, count, 1U, 1U, 0U, stream,
       static_cast<void**>(parameters), static_cast<void**>(nullptr));
}

void make(const std::string& mistake, CUdeviceptr memory, CUstream stream) {
  const Pool pool(memory);
  if (mistake == "sound") {
    reuse_in_order(pool, stream);
    launch_graph(pool, stream, true, false);
    const CUdeviceptr region = pool.take(8192);
    launch_kernel(region, stream, kBytes / 4);
    pool.give_back(region);
    const CUdeviceptr grown = pool.take(16384);
    pool.resize(grown, 2 * kBytes);
    set(grown, stream, 2 * kBytes);
    pool.reset();
    set(pool.take(16384), stream);
    pool.give_last_back();
  } else if (mistake == "reset" || mistake == "handle") {
    const CUdeviceptr region = pool.take();
    mistake == "reset" ? pool.reset() : pool.give_last_back();
    set(region, stream);
  } else if (mistake == "past" || mistake == "shrunk") {
    const CUdeviceptr region = pool.take();
    if (mistake == "shrunk") pool.resize(region, kBytes / 2);
    set(region, stream, mistake == "past" ? kBytes + 1 : kBytes);
  } else if (mistake == "stale" || mistake == "kernel") {
    const CUdeviceptr region = pool.take();
    pool.name(region, "weights");
    pool.give_back(region);
    mistake == "stale" ? set(region, stream) : launch_kernel(region, stream, 4);
  } else if (mistake == "graph" || mistake == "recycled") {
    launch_graph(pool, stream, false, mistake == "recycled");
  } else if (mistake == "beyond") {
    launch_kernel(pool.take(), stream, kBytes / 4 + 1);
  } else if (mistake == "twice") {
    const CUdeviceptr region = pool.take();
    pool.give_back(region);
    pool.give_back(region);
  } else if (mistake == "shared") {
    pool.take();
    pool.take();
  }
}

}  // namespace

int main(int, char** arguments) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 9;
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  call("cuInit", 0U);
  call("cuDevicePrimaryCtxRetain", &context, 0);
  call("cuCtxSetCurrent", context);
  call("cuMemAlloc_v2", &memory, kPoolBytes);
  call("cuStreamCreate", &stream, 1U);
  make(arguments[1], memory, stream);
  set(memory, stream, kPoolBytes);  // The pool is gone: the memory is whole again.
  call("cuStreamSynchronize", stream);
  call("cuMemFree_v2", memory);
  return 0;
}
