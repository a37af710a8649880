// SPDX-License-Identifier: Apache-2.0
// A segment of memory that is mapped part by part; where a part fails, its end unmaps all of them.
// With an argument, those that were mapped. It knows nothing of us.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t kPart = 2 << 20;
bool unmaps_all = true;

template <class Function>
Function find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

#define CALL(function, ...) check(find<decltype(&function)>(#function)(__VA_ARGS__))

void check(CUresult status) {
  if (status != CUDA_SUCCESS) throw std::runtime_error("CUDA failed");
}

class Segment {
 public:
  Segment() { CALL(cuMemAddressReserve, &address_, 2 * kPart, 0, 0, 0); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment() {
    const std::size_t count = unmaps_all ? handles_.size() : mapped_count_;
    if (count > 0) CALL(cuMemUnmap, address_, count * kPart);
    for (const CUmemGenericAllocationHandle handle : handles_) CALL(cuMemRelease, handle);
    CALL(cuMemAddressFree, address_, 2 * kPart);
  }

  void add() {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemGenericAllocationHandle handle = 0;
    CALL(cuMemCreate, &handle, kPart, &properties, 0);
    handles_.push_back(handle);
    CALL(cuMemMap, address_ + mapped_count_ * kPart, kPart, 0, handle, 0);
    ++mapped_count_;
  }

 private:
  CUdeviceptr address_ = 0;
  std::size_t mapped_count_ = 0;
  std::vector<CUmemGenericAllocationHandle> handles_;
};

}  // namespace

int main(int count, char**) {
  unmaps_all = count == 1;
  CUcontext context = nullptr;
  try {
    CALL(cuInit, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    CALL(cuCtxSetCurrent, context);
    Segment segment;
    segment.add();
    segment.add();
  } catch (const std::runtime_error&) {
    return 3;
  }
}
