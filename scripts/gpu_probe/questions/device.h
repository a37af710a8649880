// SPDX-License-Identifier: Apache-2.0
// Device: its context, kernels, and small things made of one call or two. All end with the row's
// process.
#pragma once

#include <vector>

#include "driver.h"

inline std::string kernels_image, conditional_image;
inline CUcontext context;
inline CUdevice device;
inline CUmodule module_;
inline void init() {
  CU(cuInit(0));
  CU(cuDeviceGet(&device, 0));
  CU(cuDevicePrimaryCtxRetain(&context, device));
  CU(cuCtxSetCurrent(context));
}
inline CUfunction kernel(const char* f) {
  if (kernels_image.empty()) throw Stop{"no kernel: no fatbin"};
  if (!module_)
    if (CUresult r = CODE(cuModuleLoadData(&module_, kernels_image.data()))) {
      module_ = nullptr;
      throw Stop{"no kernel: cuModuleLoadData -> " + name(r)};
    }
  CUfunction k;
  if (CUresult r = CODE(cuModuleGetFunction(&k, module_, f)))
    throw Stop{std::string("no kernel: ") + f + " -> " + name(r)};
  return k;
}
inline CUfunction find(const char* f) {
  try {
    return kernel(f);
  } catch (Stop&) {
    return nullptr;
  }
}
inline CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream s;
  CU(cuStreamCreate(&s, flags));
  return s;
}
inline CUdeviceptr plain(size_t n = 4096) {
  CUdeviceptr p;
  CU(cuMemAlloc(&p, n));
  return p;
}
template <class T = int>
T* pinned(size_t n = 4096) {
  void* h;
  CU(cuMemAllocHost(&h, n));
  memset(h, 0, n);
  return static_cast<T*>(h);
}
inline CUevent event(unsigned flags = CU_EVENT_DISABLE_TIMING) {
  CUevent e;
  CU(cuEventCreate(&e, flags));
  return e;
}
inline CUgraph graph() {
  CUgraph g;
  CU(cuGraphCreate(&g, 0));
  return g;
}
inline CUgraphExec instantiate(CUgraph g) {
  CUgraphExec x;
  CU(cuGraphInstantiate(&x, g, 0));
  return x;
}
inline CUDA_MEMSET_NODE_PARAMS set_params(CUdeviceptr p, unsigned value, size_t words = 1) {
  CUDA_MEMSET_NODE_PARAMS m;
  memset(&m, 0, sizeof m);
  m.dst = p;
  m.value = value;
  m.elementSize = 4;
  m.width = words;
  m.height = 1;
  return m;
}
inline CUgraphNode add_set(CUgraph g, CUdeviceptr p, unsigned value,
                           std::vector<CUgraphNode> after = {}) {
  auto m = set_params(p, value);
  CUgraphNode n;
  CU(cuGraphAddMemsetNode(&n, g, after.data(), after.size(), &m, context));
  return n;
}
inline CUgraphNode add_copy(CUgraph g, const void* host_from, void* host_to, CUdeviceptr p,
                            std::vector<CUgraphNode> after = {}) {
  CUDA_MEMCPY3D c;
  memset(&c, 0, sizeof c);
  c.WidthInBytes = 4;
  c.Height = c.Depth = 1;
  if (host_from) {
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host_from;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = p;
  } else {
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = p;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = host_to;
  }
  CUgraphNode n;
  CU(cuGraphAddMemcpyNode(&n, g, after.data(), after.size(), &c, context));
  return n;
}
inline CUgraphNode add_kernel(CUgraph g, CUfunction f, void** a,
                              std::vector<CUgraphNode> after = {}) {
  CUDA_KERNEL_NODE_PARAMS k;
  memset(&k, 0, sizeof k);
  k.func = f;
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = a;
  CUgraphNode n;
  CU(cuGraphAddKernelNode(&n, g, after.data(), after.size(), &k));
  return n;
}
inline void launch_one(CUfunction f, CUstream s, void** a) {
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
}
inline void add_one(CUstream s, CUdeviceptr p) {
  int n = 1;
  void* a[] = {&p, &n};
  launch_one(kernel("add_one"), s, a);
}
inline int value(CUdeviceptr p) {
  int v = -1;
  CU(cuMemcpyDtoH(&v, p, 4));
  return v;
}
inline CUmemoryPool pool() {
  CUmemPoolProps q;
  memset(&q, 0, sizeof q);
  q.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  q.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool p;
  CU(cuMemPoolCreate(&p, &q));
  cuuint64_t all = ~0ull;
  CU(cuMemPoolSetAttribute(p, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
  return p;
}
inline unsigned long long attribute(CUdeviceptr p, CUpointer_attribute a,
                                    CUresult* code = nullptr) {
  unsigned long long v = 0;
  CUresult r = CODE(cuPointerGetAttribute(&v, a, p));
  if (code) *code = r;
  return v;
}
