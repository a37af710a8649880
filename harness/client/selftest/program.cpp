// SPDX-License-Identifier: Apache-2.0
// A small program for `afterlife selftest`: it frees device memory. With "stale" it uses the memory
// afterwards; with "kernel" it runs a kernel in PTX. It is an ordinary CUDA program.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void* library = nullptr;

template <class... Values>
void call(const char* name, Values... values) {
  const auto function = reinterpret_cast<CUresult (*)(Values...)>(dlsym(library, name));
  const CUresult status = function == nullptr ? CUDA_ERROR_NOT_FOUND : function(values...);
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s returned %d\n", name, static_cast<int>(status));
  std::exit(2);
}

constexpr const char* kModule = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry set(.param .u64 to)
{
  .reg .b32 %value;
  .reg .b64 %address;
  ld.param.u64 %address, [to];
  mov.u32 %value, 42;
  st.global.u32 [%address], %value;
  ret;
}
)";

int run_kernel(CUdeviceptr address) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  int value = 0;
  void* arguments[] = {&address};
  call("cuModuleLoadData", &module, static_cast<const void*>(kModule));
  call("cuModuleGetFunction", &function, module, "set");
  call("cuLaunchKernel", function, 1U, 1U, 1U, 1U, 1U, 1U, 0U, static_cast<CUstream>(nullptr),
       static_cast<void**>(arguments), static_cast<void**>(nullptr));
  call("cuMemcpyDtoH_v2", static_cast<void*>(&value), address, sizeof value);
  return value == 42 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const char* wanted = count > 1 ? words[1] : "sound";
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 9;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr address = 0;
  call("cuInit", 0U);
  call("cuDevicePrimaryCtxRetain", &context, CUdevice{0});
  call("cuCtxSetCurrent", context);
  call("cuStreamCreate", &stream, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  call("cuMemAlloc_v2", &address, size_t{64});
  if (std::strcmp(wanted, "kernel") == 0) return run_kernel(address);
  call("cuMemsetD8Async", address, static_cast<unsigned char>(1), size_t{64}, stream);
  call("cuStreamSynchronize", stream);
  call("cuMemFree_v2", address);
  if (std::strcmp(wanted, "stale") == 0)
    call("cuMemsetD8Async", address, static_cast<unsigned char>(2), size_t{64}, stream);
  call("cuStreamDestroy_v2", stream);
  return 0;
}
