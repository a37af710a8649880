// SPDX-License-Identifier: Apache-2.0
// Order between streams, and which calls wait.
#include "gate.h"
#include "order.h"
#include "row.h"

ROW(
    "legacy.alloc",
    "does cuMemAllocAsync on the legacy stream order blocking streams (s1's late work before "
    "s2's)?",
    "cuda.h 13324 \"Inserts an allocation operation into hStream\"; guide, legacy default stream",
    [] {
      init();
      struct {
        const char* n;
        std::function<void(CUdeviceptr, CUdeviceptr, CUevent)> f;
      } acts[] = {{"nothing (control)", [](CUdeviceptr, CUdeviceptr, CUevent) {}},
                  {"cuMemAllocAsync, new memory",
                   [](CUdeviceptr, CUdeviceptr, CUevent) {
                     CUdeviceptr q;
                     CU(cuMemAllocAsync(&q, 32 << 20, nullptr));
                   }},
                  {"cuMemFreeAsync", [](CUdeviceptr, CUdeviceptr pooled,
                                        CUevent) { CU(cuMemFreeAsync(pooled, nullptr)); }},
                  {"cuEventRecord",
                   [](CUdeviceptr, CUdeviceptr, CUevent e) { CU(cuEventRecord(e, nullptr)); }},
                  {"cuMemsetD32Async (control)",
                   [](CUdeviceptr p, CUdeviceptr, CUevent) {
                     CU(cuMemsetD32Async(p + 64, 1, 1, nullptr));
                   }},
                  {"cuMemAllocAsync of memory freed by s1", nullptr}};
      for (auto& a : acts) {
        auto s1 = stream(CU_STREAM_DEFAULT), s2 = stream(CU_STREAM_DEFAULT);
        auto p = plain();
        auto e = event();
        CUdeviceptr q, r;
        CU(cuMemAllocAsync(&q, 4096, s1));
        CU(cuMemAllocAsync(&r, 4096, s1));
        CU(cuCtxSynchronize());
        Gate& g = *new Gate;
        g.close(s1);
        Later later(g, 400);
        auto from = Clock::now();
        if (a.f)
          a.f(p, q, e);
        else {
          CU(cuMemFreeAsync(q, s1));
          CU(cuMemAllocAsync(&r, 4096, nullptr));
        }
        double took = ms(from);
        bool open = g.opened;
        CU(cuMemsetD32Async(p, 2, 1, s2));
        answer("%s: s2 %s%s", a.n, follows(s2).c_str(),
               open ? text(" (the call itself took %.0f ms)", took).c_str() : "");
        g.open();
        CU(cuCtxSynchronize());
      }
    },
    10)
ROW("event.destroyed_before_wait",
    "An event is recorded, waited for by another stream and destroyed: does the wait still hold? "
    "And a wait after the destruction?",
    "cuda.h 16109-16112: may be destroyed before it is complete, resources released at completion",
    [] {
      init();
      auto a = stream(), b = stream(), c = stream();
      auto p = plain();
      auto e = event();
      Gate& g = *new Gate;
      g.close(a);
      Later later(g, 1500);
      CU(cuEventRecord(e, a));
      CU(cuStreamWaitEvent(b, e, 0));
      CUresult d = CODE(cuEventDestroy(e));
      CU(cuMemsetD32Async(p, 1, 1, b));
      answer("destroyed after the wait call: %s, the stream %s", N(d), follows(b).c_str());
      auto e2 = event();
      answer("next event %s handle", e2 == e ? "has the same" : "has another");
      CU(cuEventRecord(e2, a));
      CU(cuEventDestroy(e2));
      answer("wait after the destruction: %s", N(CODE(cuStreamWaitEvent(c, e2, 0))));
      answer("query after it: %s", N(CODE(cuEventQuery(e2))));
      g.open();
      CODE(cuStreamSynchronize(a));
      answer("afterwards b says %s", N(CODE(cuStreamSynchronize(b))));
    })
ROW("event.recorded_again",
    "An event is recorded, waited for and recorded again elsewhere: which record does the wait "
    "mean?",
    "cuda.h 15960-15961: the most recent state at the time of the call", [] {
      init();
      auto a = stream(), b = stream(), c = stream();
      auto p = plain();
      auto e = event();
      Gate& g = *new Gate;
      g.close(a);
      Later later(g, 800);
      CU(cuEventRecord(e, a));
      CU(cuStreamWaitEvent(b, e, 0));
      CU(cuEventRecord(e, c));
      CU(cuMemsetD32Async(p, 1, 1, b));
      answer("the stream %s; the event says %s", follows(b).c_str(), N(CODE(cuEventQuery(e))));
      g.open();
      CODE(cuCtxSynchronize());
    })
ROW("stream.destroyed_handle",
    "cuStreamQuery of a destroyed stream; does the next stream get its handle?",
    "cuda.h cuStreamDestroy", [] {
      init();
      auto s = stream();
      CU(cuStreamDestroy(s));
      auto t = stream();
      answer("next stream %s handle", s == t ? "has the same" : "has another");
      if (s != t) answer("query %s", N(CODE(cuStreamQuery(s))));
    })
static const char* kSync =
    "guide, API synchronization behavior: pageable copies may return before the transfer to device "
    "memory is over; memset and device copies are asynchronous";
ROW(
    "order.pageable",
    "cuMemcpyHtoD of pageable memory, then a copy back on a non-blocking stream: how often is the "
    "old value read?",
    kSync,
    [] {
      init();
      auto s = stream();
      for (bool pin : {false, true})
        for (size_t n : {size_t(4), size_t(65536), size_t(65540), size_t(1) << 20}) {
          auto p = plain(n);
          int* h = pin ? pinned(n) : static_cast<int*>(malloc(n));
          int* back = pinned();
          int stale = 0;
          for (int i = 1; i <= 1000; ++i) {
            h[n / 4 - 1] = i;
            CU(cuMemcpyHtoD(p, h, n));
            CU(cuMemcpyDtoHAsync(back, p + n - 4, 4, s));
            CU(cuStreamSynchronize(s));
            stale += *back != i;
          }
          answer("%s %zu bytes: %d of 1000 stale", pin ? "pinned" : "pageable", n, stale);
        }
    },
    12)
ROW(
    "order.memset",
    "cuMemsetD32 (64 MiB), or cuMemcpyDtoD (64 MiB), then a copy back on a non-blocking stream: "
    "how often is the old value read?",
    kSync,
    [] {
      init();
      auto s = stream();
      size_t n = size_t(64) << 20;
      auto p = plain(n), q = plain(n);
      int* back = pinned();
      int a = 0, b = 0;
      for (int i = 1; i <= 200; ++i) {
        CU(cuMemsetD32(p, static_cast<unsigned>(i), n / 4));
        CU(cuMemcpyDtoHAsync(back, p + n - 4, 4, s));
        CU(cuStreamSynchronize(s));
        a += *back != i;
        CU(cuCtxSynchronize());
        CU(cuMemcpyDtoD(q, p, n));
        CU(cuMemcpyDtoHAsync(back, q + n - 4, 4, s));
        CU(cuStreamSynchronize(s));
        b += *back != i;
        CU(cuCtxSynchronize());
      }
      answer("cuMemsetD32: %d of 200 stale", a);
      answer("cuMemcpyDtoD: %d of 200 stale", b);
    },
    10)
ROW("order.lazy_loading",
    "Lazy loading: does the first launch of a kernel wait for a running kernel?",
    "guide, lazy loading: loading may need context synchronisation", [] {
      setenv("CUDA_MODULE_LOADING", "LAZY", 1);
      init();
      auto a = stream(), b = stream();
      auto p = plain();
      auto f = kernel("add_one");
      Gate& g = *new Gate;
      g.close_by_kernel(a);
      int n = 1;
      CUdeviceptr d = p;
      void* v[] = {&d, &n};
      answer("%s", waits(g, [&] {
                     return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, b, v, nullptr));
                   }).c_str());
      CODE(cuCtxSynchronize());
    })
