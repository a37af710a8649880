// SPDX-License-Identifier: Apache-2.0
// Calls that are asked in two ways: during a capture, and while the device or a host function is
// busy.
#include "gate.h"
#include "row.h"

struct World {
  CUstream s1 = stream(), s2 = stream();
  CUdeviceptr p = plain();
  CUdeviceptr pooled() {
    CUdeviceptr q;
    CU(cuMemAllocAsync(&q, 4096, s2));
    CU(cuStreamSynchronize(s2));
    return q;
  }
  CUevent done() {
    CUevent e = event();
    CU(cuEventRecord(e, s2));
    CU(cuStreamSynchronize(s2));
    return e;
  }
  CUmodule module() {
    kernel("add_one");
    CUmodule m;
    CU(cuModuleLoadData(&m, kernels_image.data()));
    return m;
  }
  CUgraphExec exec() {
    CUgraph g = graph();
    add_set(g, p, 1);
    CUgraphExec x = instantiate(g);
    CU(cuGraphLaunch(x, s2));
    CU(cuStreamSynchronize(s2));
    return x;
  }
};
using Act = std::function<CUresult()>;
enum Where { anywhere, capture_only, busy_only };
struct Asked {
  std::string name, doc;
  std::function<Act(World&)> prepare;
  Where where = anywhere;
};
static void CUDA_CB nothing(void*) {}
static std::vector<Asked> asked() {
  std::vector<Asked> t;
#define ASK(n, doc, ...)             \
  t.push_back({n, doc,               \
               [](World& w) -> Act { \
                 (void)w;            \
                 __VA_ARGS__         \
               },                    \
               anywhere});
#define ASK_IN(where, n, doc, ...)   \
  t.push_back({n, doc,               \
               [](World& w) -> Act { \
                 (void)w;            \
                 __VA_ARGS__         \
               },                    \
               where});
  ASK(
      "cuMemAlloc", "cuda.h cuMemAlloc; 15442-15467", return [] {
        CUdeviceptr q;
        return CODE(cuMemAlloc(&q, 4096));
      };)
  ASK(
      "cuMemAlloc/64MiB", "cuda.h cuMemAlloc", return [] {
        CUdeviceptr q;
        return CODE(cuMemAlloc(&q, 64 << 20));
      };)
  ASK(
      "cuMemFree", "cuda.h 8684: \"may perform implicit synchronization\"", auto q = plain();
      return [q] { return CODE(cuMemFree(q)); };)
  ASK(
      "cuMemFree/of_pool_memory", "cuda.h 8680: no implicit synchronization", auto q = w.pooled();
      return [q] { return CODE(cuMemFree(q)); };)
  ASK(
      "cuMemAllocHost", "cuda.h cuMemAllocHost", return [] {
        void* h;
        return CODE(cuMemAllocHost(&h, 4096));
      };)
  ASK(
      "cuMemFreeHost", "cuda.h 8795-8801", auto h = pinned();
      return [h] { return CODE(cuMemFreeHost(h)); };)
  ASK(
      "cuMemHostRegister", "cuda.h cuMemHostRegister", void* h = aligned_alloc(4096, 4096);
      return [h] { return CODE(cuMemHostRegister(h, 4096, 0)); };)
  ASK(
      "cuMemHostUnregister", "cuda.h cuMemHostUnregister", void* h = aligned_alloc(4096, 4096);
      CU(cuMemHostRegister(h, 4096, 0)); return [h] { return CODE(cuMemHostUnregister(h)); };)
  ASK(
      "cuMemAllocAsync", "cuda.h 13324", return [s = w.s2] {
        CUdeviceptr q;
        return CODE(cuMemAllocAsync(&q, 4096, s));
      };)
  ASK(
      "cuMemAllocAsync/64MiB", "cuda.h 13324", return [s = w.s2] {
        CUdeviceptr q;
        return CODE(cuMemAllocAsync(&q, 64 << 20, s));
      };)
  ASK(
      "cuMemFreeAsync", "cuda.h cuMemFreeAsync", auto q = w.pooled();
      return [q, s = w.s2] { return CODE(cuMemFreeAsync(q, s)); };)
  ASK_IN(
      capture_only, "cuMemFreeAsync/into_the_capture", "cuda.h 19755-19800", auto q = w.pooled();
      return [q, s = w.s1] { return CODE(cuMemFreeAsync(q, s)); };)
  ASK(
      "cuMemGetInfo", "cuda.h cuMemGetInfo", return [] {
        size_t a, b;
        return CODE(cuMemGetInfo(&a, &b));
      };)
  ASK(
      "cuMemGetAddressRange", "cuda.h cuMemGetAddressRange", return [p = w.p] {
        CUdeviceptr b;
        size_t n;
        return CODE(cuMemGetAddressRange(&b, &n, p));
      };)
  ASK(
      "cuPointerGetAttribute", "cuda.h cuPointerGetAttribute", return [p = w.p] {
        unsigned long long v;
        return CODE(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
      };)
  ASK(
      "cuMemPoolCreate", "cuda.h cuMemPoolCreate", return [] {
        CUmemPoolProps q;
        memset(&q, 0, sizeof q);
        q.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        q.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        CUmemoryPool m;
        return CODE(cuMemPoolCreate(&m, &q));
      };)
  ASK(
      "cuMemPoolDestroy", "cuda.h cuMemPoolDestroy", auto m = pool();
      return [m] { return CODE(cuMemPoolDestroy(m)); };)
  ASK(
      "cuMemPoolTrimTo", "cuda.h cuMemPoolTrimTo", auto m = pool();
      return [m] { return CODE(cuMemPoolTrimTo(m, 0)); };)
  ASK(
      "cuMemPoolGetAttribute", "cuda.h cuMemPoolGetAttribute; 15442-15467", auto m = pool();
      return [m] {
        cuuint64_t v;
        return CODE(cuMemPoolGetAttribute(m, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &v));
      };)
  ASK(
      "cuMemPoolSetAttribute", "cuda.h cuMemPoolSetAttribute; 15442-15467", auto m = pool();
      return [m] {
        cuuint64_t v = 0;
        return CODE(cuMemPoolSetAttribute(m, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
      };)
  ASK(
      "cuDeviceGetAttribute", "cuda.h cuDeviceGetAttribute", return [] {
        int v;
        return CODE(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
      };)
  ASK(
      "cuEventCreate", "cuda.h cuEventCreate", return [] {
        CUevent e;
        return CODE(cuEventCreate(&e, 0));
      };)
  ASK(
      "cuEventDestroy", "cuda.h 16109-16112", auto e = w.done();
      return [e] { return CODE(cuEventDestroy(e)); };)
  ASK(
      "cuEventQuery", "cuda.h cuEventQuery; 15463-15466", auto e = w.done();
      return [e] { return CODE(cuEventQuery(e)); };)
  ASK(
      "cuEventSynchronize", "cuda.h cuEventSynchronize", auto e = w.done();
      return [e] { return CODE(cuEventSynchronize(e)); };)
  ASK(
      "cuEventRecord", "cuda.h cuEventRecord", auto e = event();
      return [e, s = w.s2] { return CODE(cuEventRecord(e, s)); };)
  ASK_IN(
      capture_only, "cuStreamWaitEvent/into_the_capture", "cuda.h cuStreamWaitEvent",
      auto e = w.done();
      return [e, s = w.s1] { return CODE(cuStreamWaitEvent(s, e, 0)); };)
  ASK(
      "cuStreamCreate", "cuda.h cuStreamCreate", return [] {
        CUstream s;
        return CODE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
      };)
  ASK(
      "cuStreamDestroy", "cuda.h cuStreamDestroy", auto s = stream();
      return [s] { return CODE(cuStreamDestroy(s)); };)
  ASK_IN(
      busy_only, "cuStreamDestroy/of_the_busy_one",
      "cuda.h 15802-15805: \"will return immediately\"",
      return [s = w.s1] { return CODE(cuStreamDestroy(s)); };)
  ASK(
      "cuStreamQuery", "cuda.h cuStreamQuery",
      return [s = w.s2] { return CODE(cuStreamQuery(s)); };)
  ASK(
      "cuStreamQuery/of_the_same_stream", "cuda.h cuStreamQuery",
      return [s = w.s1] { return CODE(cuStreamQuery(s)); };)
  ASK(
      "cuStreamSynchronize", "cuda.h cuStreamSynchronize",
      return [s = w.s2] { return CODE(cuStreamSynchronize(s)); };)
  ASK(
      "cuStreamWaitEvent", "cuda.h cuStreamWaitEvent", auto e = w.done();
      return [e, s = w.s2] { return CODE(cuStreamWaitEvent(s, e, 0)); };)
  ASK(
      "cuCtxSynchronize", "cuda.h cuCtxSynchronize",
      return [] { return CODE(cuCtxSynchronize()); };)
  ASK(
      "cuCtxSetLimit", "cuda.h cuCtxSetLimit",
      return [] { return CODE(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20)); };)
  ASK(
      "cuMemcpyHtoD", "cuda.h cuMemcpyHtoD", return [p = w.p] {
        int v = 1;
        return CODE(cuMemcpyHtoD(p, &v, 4));
      };)
  ASK(
      "cuMemcpyDtoD", "cuda.h cuMemcpyDtoD",
      return [p = w.p] { return CODE(cuMemcpyDtoD(p, p + 8, 4)); };)
  ASK(
      "cuMemcpyHtoDAsync/pinned", "cuda.h cuMemcpyHtoDAsync", auto h = pinned();
      return [p = w.p, h, s = w.s2] { return CODE(cuMemcpyHtoDAsync(p, h, 4, s)); };)
  ASK(
      "cuMemcpyHtoDAsync/pageable", "cuda.h cuMemcpyHtoDAsync", return [p = w.p, s = w.s2] {
        static int v = 1;
        return CODE(cuMemcpyHtoDAsync(p, &v, 4, s));
      };)
  ASK_IN(
      busy_only, "cuMemcpyHtoDAsync/pageable_on_the_busy_stream",
      "cuda.h cuMemcpyHtoDAsync; API synchronization behavior", return [p = w.p, s = w.s1] {
        static int v = 1;
        return CODE(cuMemcpyHtoDAsync(p, &v, 4, s));
      };)
  ASK_IN(
      busy_only, "cuMemcpyHtoDAsync/pageable_1MiB_on_the_busy_stream",
      "cuda.h cuMemcpyHtoDAsync; API synchronization behavior", auto q = plain(1 << 20);
      return [q, s = w.s1] {
        static char v[1 << 20];
        return CODE(cuMemcpyHtoDAsync(q, v, sizeof v, s));
      };)
  ASK_IN(
      busy_only, "cuMemcpyDtoHAsync/pageable_on_the_busy_stream",
      "cuda.h cuMemcpyDtoHAsync; API synchronization behavior", return [p = w.p, s = w.s1] {
        static int v = 1;
        return CODE(cuMemcpyDtoHAsync(&v, p, 4, s));
      };)
  ASK("cuMemsetD32", "cuda.h cuMemsetD32", return [p = w.p] { return CODE(cuMemsetD32(p, 1, 1)); };)
  ASK(
      "cuMemsetD32Async", "cuda.h cuMemsetD32Async",
      return [p = w.p, s = w.s2] { return CODE(cuMemsetD32Async(p, 1, 1, s)); };)
  ASK(
      "cuModuleLoadData", "cuda.h cuModuleLoadData", kernel("add_one"); return [] {
        CUmodule m;
        return CODE(cuModuleLoadData(&m, kernels_image.data()));
      };)
  ASK(
      "cuModuleUnload", "cuda.h 7449-7455; 15442-15467", auto m = w.module();
      return [m] { return CODE(cuModuleUnload(m)); };)
  ASK(
      "cuModuleGetFunction", "cuda.h cuModuleGetFunction", auto m = w.module(); return [m] {
        CUfunction f;
        return CODE(cuModuleGetFunction(&f, m, "add_one"));
      };)
  ASK(
      "cuLibraryLoadData", "cuda.h cuLibraryLoadData", kernel("add_one"); return [] {
        CUlibrary l;
        return CODE(
            cuLibraryLoadData(&l, kernels_image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
      };)
  ASK(
      "cuLibraryUnload", "cuda.h 8005-8021; 15442-15467", kernel("add_one"); CUlibrary l;
      CU(cuLibraryLoadData(&l, kernels_image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
      return [l] { return CODE(cuLibraryUnload(l)); };)
  ASK(
      "cuFuncGetAttribute", "cuda.h cuFuncGetAttribute", auto f = kernel("add_one"); return [f] {
        int v;
        return CODE(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
      };)
  ASK(
      "cuFuncSetAttribute", "cuda.h cuFuncSetAttribute", auto f = kernel("add_one"); return [f] {
        return CODE(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
      };)
  ASK(
      "cuLaunchKernel", "cuda.h cuLaunchKernel", auto f = kernel("add_one");
      return [f, p = w.p, s = w.s2]() mutable {
        int n = 1;
        void* a[] = {&p, &n};
        return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
      };)
  ASK_IN(
      busy_only, "cuLaunchKernel/on_the_busy_stream", "cuda.h cuLaunchKernel",
      auto f = kernel("add_one");
      return [f, p = w.p, s = w.s1]() mutable {
        int n = 1;
        void* a[] = {&p, &n};
        return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
      };)
  ASK_IN(
      busy_only, "cuLaunchKernel/on_the_legacy_stream", "cuda.h cuLaunchKernel",
      auto f = kernel("add_one");
      return [f, p = w.p]() mutable {
        int n = 1;
        void* a[] = {&p, &n};
        return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, a, nullptr));
      };)
  ASK(
      "cuLaunchHostFunc", "cuda.h 18072",
      return [s = w.s2] { return CODE(cuLaunchHostFunc(s, nothing, nullptr)); };)
  ASK_IN(
      busy_only, "cuLaunchHostFunc+cuStreamSynchronize",
      "cuda.h 18072-18075: \"may be serialized\"", return [s = w.s2] {
        CUresult r = CODE(cuLaunchHostFunc(s, nothing, nullptr));
        return r ? r : CODE(cuStreamSynchronize(s));
      };)
  ASK(
      "cuGraphCreate", "cuda.h cuGraphCreate", return [] {
        CUgraph g;
        return CODE(cuGraphCreate(&g, 0));
      };)
  ASK(
      "cuGraphInstantiate", "cuda.h cuGraphInstantiate", auto g = graph(); add_set(g, w.p, 1);
      return [g] {
        CUgraphExec x;
        return CODE(cuGraphInstantiate(&x, g, 0));
      };)
  ASK(
      "cuGraphLaunch", "cuda.h cuGraphLaunch", auto x = w.exec();
      return [x, s = w.s2] { return CODE(cuGraphLaunch(x, s)); };)
  ASK(
      "cuGraphExecDestroy", "cuda.h 21081", auto x = w.exec();
      return [x] { return CODE(cuGraphExecDestroy(x)); };)
  ASK(
      "cuGraphDestroy", "cuda.h cuGraphDestroy", auto g = graph(); add_set(g, w.p, 1);
      return [g] { return CODE(cuGraphDestroy(g)); };)
  ASK(
      "cuUserObjectRelease", "cuda.h 21300", CUuserObject u;
      CU(cuUserObjectCreate(&u, nullptr, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
      return [u] { return CODE(cuUserObjectRelease(u, 1)); };)
  ASK(
      "cuIpcGetMemHandle", "cuda.h cuIpcGetMemHandle", return [p = w.p] {
        CUipcMemHandle h;
        return CODE(cuIpcGetMemHandle(&h, p));
      };)
  ASK(
      "cuIpcGetEventHandle", "cuda.h cuIpcGetEventHandle",
      auto e = event(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
      return [e] {
        CUipcEventHandle h;
        return CODE(cuIpcGetEventHandle(&h, e));
      };)
  return t;
}
static void in_capture(const Asked& a) {
  const struct {
    const char* name;
    CUstreamCaptureMode mode;
  } modes[] = {{"global", CU_STREAM_CAPTURE_MODE_GLOBAL},
               {"thread_local", CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
               {"relaxed", CU_STREAM_CAPTURE_MODE_RELAXED}};
  init();
  for (auto& m : modes)
    for (bool own : {true, false}) {
      World w;
      Act act = a.prepare(w);
      CU(cuStreamBeginCapture(w.s1, m.mode));
      CU(cuMemsetD32Async(w.p, 3, 1, w.s1));
      CUresult r = CUDA_SUCCESS;
      std::string why;
      if (own)
        r = act();
      else
        std::thread([&] {
          try {
            CU(cuCtxSetCurrent(context));
            r = act();
          } catch (Stop& s) {
            why = s.why;
          }
        }).join();
      if (!why.empty()) throw Stop{why};
      CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
      CUresult q = CODE(cuStreamIsCapturing(w.s1, &status));
      CUgraph g = nullptr;
      CUresult e = CODE(cuStreamEndCapture(w.s1, &g));
      answer("%s/%s %s%s", m.name, own ? "own" : "other", N(r),
             e ? text(", capture ended with %s", N(e)).c_str() : "");
      if (q || status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        detail("%s/%s: status before the end %s", m.name, own ? "own" : "other",
               status == CU_STREAM_CAPTURE_STATUS_INVALIDATED ? "invalidated"
               : status == CU_STREAM_CAPTURE_STATUS_NONE      ? "none"
                                                              : N(q));
      CODE(cuStreamSynchronize(w.s1));
    }
}
static void while_busy(const Asked& a) {
  init();
  for (bool by_kernel : {false, true}) {
    if (by_kernel && !find("spin")) {
      answer("kernel: not asked (no kernel spin)");
      break;
    }
    World w;
    Act act = a.prepare(w);
    Gate& g = *new Gate;
    Clock::time_point from = Clock::now();
    if (by_kernel)
      g.close_by_kernel(w.s1, w.p, 1);
    else
      g.close_by_host(w.s1);
    answer("%s: %s", g.kind(), waits(g, act).c_str());
    CODE(cuCtxSynchronize());
    detail("%s: all over after %.0f ms%s", g.kind(), ms(from),
           g.gave_up ? ", the gate gave up after 2 s" : "");
  }
}
static bool asked_added = [] {
  for (auto& a : asked()) {
    if (a.where != busy_only)
      new Add(
          "capture." + a.name,
          "" + a.name + " during a capture (mode/thread): code, and is the capture invalidated?",
          a.doc, [a] { in_capture(a); }, 5, true);
    if (a.where != capture_only)
      new Add(
          "busy." + a.name,
          "does " + a.name +
              " wait for a host function that blocks, or for a running kernel, on another "
              "non-blocking stream?",
          a.doc, [a] { while_busy(a); }, 6);
  }
  return true;
}();
