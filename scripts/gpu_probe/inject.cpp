// SPDX-License-Identifier: Apache-2.0
// CUPTI injection library: CUDA_INJECTION64_PATH=./libinject.so app
// driver-domain callbacks: allocation ledger, launch-argument check, schedule perturbation.
#include <cuda.h>
#include <cupti.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <vector>
struct Alloc {
  size_t size;
  uint64_t gen;
  bool live;
};
static std::mutex mu;
static std::map<CUdeviceptr, Alloc> ledger;
static uint64_t gen;
static const char* lookup(CUdeviceptr p, uint64_t& g) {
  std::lock_guard l(mu);
  auto it = ledger.upper_bound(p);
  if (it == ledger.begin()) return "unknown";
  --it;
  g = it->second.gen;
  if (p >= it->first + it->second.size) return "unknown";
  return it->second.live ? "live" : "FREED";
}
static void scan(CUfunction f, void** kp, const char* what) {
  if (!kp) return;
  size_t off, sz;
  for (size_t i = 0; cuFuncGetParamInfo(f, i, &off, &sz) == CUDA_SUCCESS; ++i) {
    for (size_t o = 0; o + 8 <= sz; o += 8) {
      CUdeviceptr v;
      memcpy(&v, (char*)kp[i] + o, 8);
      uint64_t g = 0;
      const char* s = lookup(v, g);
      if (!strcmp(s, "FREED"))
        fprintf(stderr, "[inject] %s: param %zu+%zu holds freed pointer %llx (gen %llu)\n", what, i,
                o, v, (unsigned long long)g);
    }
  }
}
static void CUPTIAPI cb(void*, CUpti_CallbackDomain d, CUpti_CallbackId id, const void* data) {
  if (d == CUPTI_CB_DOMAIN_RESOURCE) {
    auto* r = (const CUpti_ResourceData*)data;
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
      auto* g = (const CUpti_GraphData*)r->resourceDescriptor;
      if (g->nodeType == CU_GRAPH_NODE_TYPE_KERNEL) {
        CUDA_KERNEL_NODE_PARAMS p;
        if (cuGraphKernelNodeGetParams(g->node, &p) == CUDA_SUCCESS)
          scan(p.func, p.kernelParams, "graph node");
      }
    }
    return;
  }
  if (d != CUPTI_CB_DOMAIN_DRIVER_API) return;
  auto* c = (const CUpti_CallbackData*)data;
  bool enter = c->callbackSite == CUPTI_API_ENTER;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2:
      if (!enter && *(CUresult*)c->functionReturnValue == CUDA_SUCCESS) {
        auto* p = (const cuMemAlloc_v2_params*)c->functionParams;
        std::lock_guard l(mu);
        ledger[*p->dptr] = {p->bytesize, ++gen, true};
      }
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      if (enter) {
        auto* p = (const cuMemFree_v2_params*)c->functionParams;
        std::lock_guard l(mu);
        auto it = ledger.find(p->dptr);
        if (it != ledger.end()) it->second.live = false;
      }
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      if (enter) {
        auto* p = (const cuLaunchKernel_params*)c->functionParams;
        scan(p->f, p->kernelParams, c->symbolName ? c->symbolName : "?");
        if (const char* us = getenv("INJECT_DELAY_US")) {
          timespec t{0, atol(us) * 1000};
          nanosleep(&t, nullptr);
        }
      }
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      if (enter) {
        auto* p = (const cuLaunchKernelEx_params*)c->functionParams;
        scan(p->f, p->kernelParams, c->symbolName ? c->symbolName : "?");
      }
      break;
    default:
      break;
  }
}
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  CUpti_SubscriberHandle s;
  if (cuptiSubscribe(&s, (CUpti_CallbackFunc)cb, nullptr) != CUPTI_SUCCESS) return 0;
  cuptiEnableDomain(1, s, CUPTI_CB_DOMAIN_DRIVER_API);
  cuptiEnableDomain(1, s, CUPTI_CB_DOMAIN_RESOURCE);
  return 1;
}
