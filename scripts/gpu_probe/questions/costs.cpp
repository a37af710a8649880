// SPDX-License-Identifier: Apache-2.0
// What calls cost.
#include "gate.h"
#include "row.h"
#include "two_processes.h"

static void told(const char* what, std::vector<double>& t) {
  if (t.empty()) return;
  std::sort(t.begin(), t.end());
  answer("%s%s%.0f ns", what, *what ? " " : "", t[t.size() / 2]);
  detail("%s%sp10 %.0f p90 %.0f max %.0f n %zu", what, *what ? ": " : "", t[t.size() / 10],
         t[t.size() * 9 / 10], t.back(), t.size());
}
static double ns(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double, std::nano>(b - a).count();
}
template <class F>
static void cost(const char* what, F f, int n = 1000,
                 const std::function<void(int)>& after = nullptr) {
  std::vector<double> t;
  auto from = Clock::now();
  for (int i = -10; i < n && ms(from) < 1500; ++i) {
    auto a = Clock::now();
    CUresult r = f();
    auto b = Clock::now();
    if (r) throw Stop{std::string(what) + " -> " + name(r)};
    if (i >= 0) t.push_back(ns(a, b));
    if (after) after(i);
  }
  told(what, t);
}
static const char* kCost = "no word: for the table of costs";
#define COST(id, q, ...)                                                \
  ROW(                                                                  \
      "cost." id, "Cost of " q " (median of 1000, idle device)", kCost, \
      [] {                                                              \
        init();                                                         \
        __VA_ARGS__                                                     \
      },                                                                \
      8)
COST("clock", "reading the clock, in all the other figures", cost("", [] { return CUDA_SUCCESS; });)
COST("cuLaunchKernel", "cuLaunchKernel; with synchronisation", auto f = kernel("add_one");
     auto s = stream(); auto p = plain(); int n = 1; void* a[] = {&p, &n}; cost(
         "launch", [&] { return cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr); }, 1000,
         [&](int i) {
           if (i % 64 == 0) CU(cuStreamSynchronize(s));
         });
     CU(cuStreamSynchronize(s)); cost("launch+sync", [&] {
       CUresult r = cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr);
       return r ? r : cu.cuStreamSynchronize(s);
     });)
COST(
    "cuMemAllocAsync", "cuMemAllocAsync and cuMemFreeAsync, 4 KiB, memory in the pool",
    auto s = stream();
    CUmemoryPool m = pool(); CUdeviceptr p, w; CU(cuMemAllocFromPoolAsync(&w, 1 << 20, m, s));
    std::vector<double> a, b; for (int i = 0; i < 1000; ++i) {
      auto x = Clock::now();
      CUresult r = cu.cuMemAllocFromPoolAsync(&p, 4096, m, s);
      auto y = Clock::now();
      CUresult q = cu.cuMemFreeAsync(p, s);
      auto z = Clock::now();
      if (r || q) throw Stop{name(r ? r : q)};
      a.push_back(ns(x, y));
      b.push_back(ns(y, z));
    } told("alloc", a);
    told("free", b);)
COST(
    "cuMemAlloc", "cuMemAlloc and cuMemFree, 4 KiB and 2 MiB and 64 MiB",
    for (size_t n : {size_t(4096), size_t(2) << 20, size_t(64) << 20}) {
      std::vector<double> a, b;
      CUdeviceptr p;
      auto from = Clock::now();
      for (int i = 0; i < 1000 && ms(from) < 1500; ++i) {
        auto x = Clock::now();
        CUresult r = cu.cuMemAlloc(&p, n);
        auto y = Clock::now();
        CUresult q = cu.cuMemFree(p);
        auto z = Clock::now();
        if (r || q) throw Stop{name(r ? r : q)};
        a.push_back(ns(x, y));
        b.push_back(ns(y, z));
      }
      told(text("alloc %zu KiB", n >> 10).c_str(), a);
      told(text("free %zu KiB", n >> 10).c_str(), b);
    })
COST(
    "cuMemAllocHost", "cuMemAllocHost and cuMemFreeHost, 4 KiB", std::vector<double> a, b;
    for (int i = 0; i < 1000; ++i) {
      void* h;
      auto x = Clock::now();
      CUresult r = cu.cuMemAllocHost(&h, 4096);
      auto y = Clock::now();
      CUresult q = cu.cuMemFreeHost(h);
      auto z = Clock::now();
      if (r || q) throw Stop{name(r ? r : q)};
      a.push_back(ns(x, y));
      b.push_back(ns(y, z));
    } told("alloc", a);
    told("free", b);)
COST("events", "cuEventCreate, Record, Query, Synchronize, Destroy, cuStreamWaitEvent",
     auto s = stream(), t = stream();
     auto e = event(); cost("record", [&] { return cu.cuEventRecord(e, s); });
     CU(cuStreamSynchronize(s)); cost("query", [&] { return cu.cuEventQuery(e); });
     cost("synchronize (over)", [&] { return cu.cuEventSynchronize(e); });
     cost("wait", [&] { return cu.cuStreamWaitEvent(t, e, 0); });
     cost("record+wait",
          [&] {
            CUresult r = cu.cuEventRecord(e, s);
            return r ? r : cu.cuStreamWaitEvent(t, e, 0);
          });
     CU(cuCtxSynchronize()); std::vector<CUevent> all;
     cost("create",
          [&] {
            CUevent x;
            CUresult r = cu.cuEventCreate(&x, CU_EVENT_DISABLE_TIMING);
            all.push_back(x);
            return r;
          });
     size_t i = 0; cost("destroy", [&] { return cu.cuEventDestroy(all[i++]); });)
COST("streams", "cuStreamCreate, Query, Synchronize (idle), Destroy, cuCtxSynchronize (idle)",
     auto s = stream();
     cost("query", [&] { return cu.cuStreamQuery(s); });
     cost("synchronize", [&] { return cu.cuStreamSynchronize(s); });
     cost("cuCtxSynchronize", [&] { return cu.cuCtxSynchronize(); }); std::vector<CUstream> all;
     cost(
         "create",
         [&] {
           CUstream x;
           CUresult r = cu.cuStreamCreate(&x, 1);
           all.push_back(x);
           return r;
         },
         200);
     size_t i = 0; cost("destroy", [&] { return cu.cuStreamDestroy(all[i++]); }, 200);)
COST(
    "cuMemcpyAsync",
    "small cuMemcpyHtoDAsync, DtoHAsync (pinned), DtoDAsync, cuMemsetD32Async, and cuMemcpyHtoD",
    auto s = stream();
    auto p = plain(); auto h = pinned(); auto drain =
                                             [&](int i) {
                                               if (i % 64 == 0) CU(cuStreamSynchronize(s));
                                             };
    cost(
        "HtoDAsync", [&] { return cu.cuMemcpyHtoDAsync(p, h, 64, s); }, 1000, drain);
    cost(
        "DtoHAsync", [&] { return cu.cuMemcpyDtoHAsync(h, p, 64, s); }, 1000, drain);
    cost(
        "DtoDAsync", [&] { return cu.cuMemcpyDtoDAsync(p, p + 1024, 64, s); }, 1000, drain);
    cost(
        "MemsetD32Async", [&] { return cu.cuMemsetD32Async(p, 1, 16, s); }, 1000, drain);
    cost("DtoHAsync+sync",
         [&] {
           CUresult r = cu.cuMemcpyDtoHAsync(h, p, 64, s);
           return r ? r : cu.cuStreamSynchronize(s);
         });
    int v[16] = {0}; cost("HtoD pageable", [&] { return cu.cuMemcpyHtoD(p, v, 64); });)
COST(
    "graphs",
    "cuGraphCreate, AddMemsetNode, Instantiate (1 and 10 nodes), Launch, ExecDestroy, Destroy",
    auto s = stream();
    auto p = plain(); std::vector<double> t[6]; for (int i = 0; i < 500; ++i) {
      Clock::time_point c[7];
      CUgraph g;
      CUgraphExec x;
      c[0] = Clock::now();
      CU(cuGraphCreate(&g, 0));
      c[1] = Clock::now();
      add_set(g, p, 1);
      c[2] = Clock::now();
      CU(cuGraphInstantiate(&x, g, 0));
      c[3] = Clock::now();
      CU(cuGraphLaunch(x, s));
      c[4] = Clock::now();
      CU(cuStreamSynchronize(s));
      c[5] = Clock::now();
      CU(cuGraphExecDestroy(x));
      c[6] = Clock::now();
      CU(cuGraphDestroy(g));
      auto end = Clock::now();
      for (int k = 0; k < 4; ++k) t[k].push_back(ns(c[k], c[k + 1]));
      t[4].push_back(ns(c[5], c[6]));
      t[5].push_back(ns(c[6], end));
    } const char* n[] = {"create", "add node", "instantiate 1", "first launch", "exec destroy",
                                                "destroy"};
    for (int k = 0; k < 6; ++k) told(n[k], t[k]); auto g = graph();
    CUgraphNode last = add_set(g, p, 1);
    for (int i = 0; i < 9; ++i) last = add_set(g, p, 1, {last}); cost(
        "instantiate 10",
        [&] {
          CUgraphExec x;
          return cu.cuGraphInstantiate(&x, g, 0);
        },
        300);
    auto x = instantiate(g); cost(
        "launch 10", [&] { return cu.cuGraphLaunch(x, s); }, 1000,
        [&](int i) {
          if (i % 16 == 0) CU(cuStreamSynchronize(s));
        });
    CU(cuStreamSynchronize(s));)
COST(
    "host_function",
    "a host function: from the call to its start, and to the return of the synchronisation",
    auto s = stream();
    std::vector<double> a, b, c; for (int i = 0; i < 1000; ++i) {
      Clock::time_point started;
      auto x = Clock::now();
      CU(cuLaunchHostFunc(
          s, [](void* v) { *static_cast<Clock::time_point*>(v) = Clock::now(); }, &started));
      auto y = Clock::now();
      CU(cuStreamSynchronize(s));
      auto z = Clock::now();
      a.push_back(ns(x, y));
      b.push_back(ns(x, started));
      c.push_back(ns(x, z));
    } told("call", a);
    told("to its start", b); told("to the synchronisation's return", c);)
COST(
    "user_object", "a user object: create, release, and from the release to the destructor's start",
    static std::atomic<bool> ran;
    static Clock::time_point started; std::vector<double> a, b, c; for (int i = 0; i < 1000; ++i) {
      ran = false;
      CUuserObject u;
      auto w = Clock::now();
      CU(cuUserObjectCreate(
          &u, nullptr,
          [](void*) {
            started = Clock::now();
            ran = true;
          },
          1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
      auto x = Clock::now();
      CU(cuUserObjectRelease(u, 1));
      auto y = Clock::now();
      while (!ran)
        if (ms(x) > 500) throw Stop{"the destructor did not run within 500 ms"};
      a.push_back(ns(w, x));
      b.push_back(ns(x, y));
      c.push_back(ns(x, started));
    } told("create", a);
    told("release", b); told("release to destructor", c);)
COST(
    "modules", "cuModuleLoadData, cuModuleUnload, cuModuleGetFunction, first launch",
    kernel("add_one");
    std::vector<double> a, b, c, d; auto s = stream(); auto p = plain();
    for (int i = 0; i < 50; ++i) {
      CUmodule m;
      CUfunction f;
      auto w = Clock::now();
      CU(cuModuleLoadData(&m, kernels_image.data()));
      auto x = Clock::now();
      CU(cuModuleGetFunction(&f, m, "add_one"));
      auto y = Clock::now();
      int n = 1;
      void* v[] = {&p, &n};
      launch_one(f, s, v);
      auto z = Clock::now();
      CU(cuStreamSynchronize(s));
      auto u = Clock::now();
      CU(cuModuleUnload(m));
      auto e = Clock::now();
      a.push_back(ns(w, x));
      b.push_back(ns(x, y));
      c.push_back(ns(y, z));
      d.push_back(ns(u, e));
    } told("load", a);
    told("get function", b); told("first launch", c); told("unload", d);)
COST("attributes", "cuPointerGetAttribute, cuMemGetInfo, cuCtxSetCurrent", auto p = plain();
     unsigned long long v;
     cost("cuPointerGetAttribute",
          [&] { return cu.cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_BUFFER_ID, p); });
     size_t a, b; cost(
         "cuMemGetInfo", [&] { return cu.cuMemGetInfo(&a, &b); }, 200);
     cost("cuCtxSetCurrent", [&] { return cu.cuCtxSetCurrent(context); });)
ROW(
    "cost.ipc",
    "Cost of cuIpcGetMemHandle, cuIpcOpenMemHandle, cuIpcCloseMemHandle (2 MiB, median of 1000), "
    "of an open of what is open",
    kCost,
    [] {
      two(
          [] {
            auto p = plain(2 << 20);
            page->memory[0] = exported(p);
            at(1);
            CUipcMemHandle h;
            cost("get handle", [&] { return cu.cuIpcGetMemHandle(&h, p); });
            reach(2);
          },
          [] {
            reach(1);
            CUdeviceptr a;
            std::vector<double> o, c;
            auto from = Clock::now();
            for (int i = 0; i < 1000 && ms(from) < 2000; ++i) {
              auto x = Clock::now();
              CU(cuIpcOpenMemHandle(&a, page->memory[0], 1));
              auto y = Clock::now();
              CU(cuIpcCloseMemHandle(a));
              auto z = Clock::now();
              o.push_back(ns(x, y));
              c.push_back(ns(y, z));
            }
            told("open", o);
            told("close", c);
            CU(cuIpcOpenMemHandle(&a, page->memory[0], 1));
            cost("open of what is open", [&] {
              CUdeviceptr b;
              return open_at(&b, page->memory[0]);
            });
            at(2);
          });
    },
    8)
ROW(
    "cost.ipc_event",
    "Cost of cuIpcGetEventHandle, cuIpcOpenEventHandle, cuEventDestroy of an opened one", kCost,
    [] {
      two(
          [] {
            auto e = event(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
            CU(cuIpcGetEventHandle(&page->event[0], e));
            at(1);
            CUipcEventHandle h;
            cost("get handle", [&] { return cu.cuIpcGetEventHandle(&h, e); });
            reach(2);
          },
          [] {
            reach(1);
            std::vector<double> o, d;
            for (int i = 0; i < 500; ++i) {
              CUevent e;
              auto x = Clock::now();
              CU(cuIpcOpenEventHandle(&e, page->event[0]));
              auto y = Clock::now();
              CU(cuEventDestroy(e));
              auto z = Clock::now();
              o.push_back(ns(x, y));
              d.push_back(ns(y, z));
            }
            told("open", o);
            told("destroy", d);
            at(2);
          });
    },
    8)
ROW("device.attributes", "Attributes that explain the rest", "cuda.h CUdevice_attribute", [] {
  init();
  struct {
    const char* n;
    CUdevice_attribute a;
  } t[] = {{"compute major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
           {"minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
           {"integrated", CU_DEVICE_ATTRIBUTE_INTEGRATED},
           {"compute mode", CU_DEVICE_ATTRIBUTE_COMPUTE_MODE},
           {"unified addressing", CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING},
           {"pools", CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
           {"pool handle types", CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES},
           {"async engines", CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
           {"pageable access", CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
           {"pageable access by host page tables",
            CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES},
           {"ipc events", CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED}};
  for (auto& a : t) {
    int v = -1;
    CUresult r = CODE(cuDeviceGetAttribute(&v, a.a, device));
    answer("%s %s", a.n, r ? N(r) : text("%d", v).c_str());
  }
})
