// SPDX-License-Identifier: Apache-2.0
// Freeing what is in use.
#include "gate.h"
#include "row.h"

static const char* kFree = "cuda.h 8680-8684: \"this API may perform implicit synchronization\"";
static void free_in_use(size_t n) {
  init();
  auto p = plain(n);
  auto s = stream();
  Gate& g = *new Gate;
  g.close_by_kernel(s, p, 7);
  answer("%s", waits(g, [=] { return CODE(cuMemFree(p)); }).c_str());
  answer("then the stream says %s", N(CODE(cuStreamSynchronize(s))));
}
ROW("free.in_use",
    "does cuMemFree of plain memory (4 KiB) wait for a running kernel on a non-blocking stream "
    "that uses it?",
    kFree, [] { free_in_use(4096); })
ROW("free.in_use_2MiB", "the same with 2 MiB", kFree, [] { free_in_use(2 << 20); })
ROW("free.in_use_256MiB", "the same with 256 MiB", kFree, [] { free_in_use(256 << 20); })
ROW("free.queued", "and for a kernel that is only queued, behind a host function?", kFree, [] {
  init();
  kernel("add_one");
  auto p = plain(), q = plain();
  auto s = stream();
  add_one(s, q);
  CU(cuStreamSynchronize(s));
  Gate& g = *new Gate;
  g.close_by_host(s);
  add_one(s, p);
  answer("%s", waits(g, [=] { return CODE(cuMemFree(p)); }).c_str());
  detail("afterwards the stream says %s", N(CODE(cuStreamSynchronize(s))));
})
ROW("free.queued_copy", "and for a queued memset (no kernel)?", kFree, [] {
  init();
  auto p = plain();
  auto s = stream();
  Gate& g = *new Gate;
  g.close_by_host(s);
  CU(cuMemsetD32Async(p, 5, 1, s));
  answer("%s", waits(g, [=] { return CODE(cuMemFree(p)); }).c_str());
  detail("afterwards the stream says %s", N(CODE(cuStreamSynchronize(s))));
})
ROW("free.other_thread", "and when another thread frees, of the same context?", kFree, [] {
  init();
  auto p = plain();
  auto s = stream();
  Gate& g = *new Gate;
  g.close(s);
  std::string r;
  std::thread([&] {
    CODE(cuCtxSetCurrent(context));
    r = waits(g, [=] { return CODE(cuMemFree(p)); });
  }).join();
  answer("%s: %s", g.kind(), r.c_str());
  CODE(cuStreamSynchronize(s));
})
ROW("free.other_context",
    "does cuMemFree in one context wait for a kernel of another context of the process?", kFree,
    [] {
      init();
      kernel("spin");
      auto s = stream();
      auto p = plain();
      CUcontext other;
      CU(cuCtxCreate(&other, nullptr, 0, device));
      auto q = plain();
      CU(cuCtxSetCurrent(context));
      Gate& g = *new Gate;
      g.close_by_kernel(s, p, 7);
      CU(cuCtxSetCurrent(other));
      answer("memory of the other context: %s",
             waits(g, [=] { return CODE(cuMemFree(q)); }).c_str());
      CODE(cuCtxSetCurrent(context));
      CODE(cuStreamSynchronize(s));
      Gate& h = *new Gate;
      h.close_by_kernel(s, p, 7);
      CU(cuCtxSetCurrent(other));
      answer("memory of the busy context, the other being current: %s",
             waits(h, [=] { return CODE(cuMemFree(p)); }).c_str());
      CODE(cuCtxSetCurrent(context));
      detail("the stream says %s", N(CODE(cuStreamSynchronize(s))));
    })
ROW("free.then_alloc",
    "is memory that was freed under a queued memset handed out again at once, and does the "
    "late write arrive in it?",
    kFree, [] {
      init();
      auto p = plain();
      auto s = stream();
      Gate& g = *new Gate;
      g.close_by_host(s);
      CU(cuMemsetD32Async(p, 5, 1, s));
      Later later(g, 400);
      CU(cuMemFree(p));
      auto q = plain();
      bool early = !g.opened;
      auto t = stream();
      CU(cuMemsetD32Async(q, 9, 1, t));
      CODE(cuStreamSynchronize(t));
      CUresult r = CODE(cuStreamSynchronize(s));
      int v = value(q);
      answer("%s, %s address, the new memory holds %d (9 = untouched, 5 = the late write)",
             early ? "got it while the write was to come" : "had waited for the write",
             p == q ? "same" : "other", v);
      detail("stream: %s", N(r));
    })
ROW("free.twice", "cuMemFree twice, and cuPointerGetAttribute after the free", "cuda.h cuMemFree",
    [] {
      init();
      auto p = plain();
      CU(cuMemFree(p));
      CUresult r;
      attribute(p, CU_POINTER_ATTRIBUTE_BUFFER_ID, &r);
      answer("attribute %s", N(r));
      answer("second free %s", N(CODE(cuMemFree(p))));
    })
static const char* kFreeHost = "cuda.h 8795-8801: says nothing about work in flight";
ROW("free_host.queued_copy", "does cuMemFreeHost wait for a queued copy from that memory?",
    kFreeHost, [] {
      init();
      auto p = plain();
      auto h = pinned();
      *h = 77;
      auto s = stream();
      Gate& g = *new Gate;
      g.close_by_host(s);
      CU(cuMemcpyHtoDAsync(p, h, 4, s));
      answer("%s", waits(g, [=] { return CODE(cuMemFreeHost(h)); }).c_str());
      CUresult r = CODE(cuStreamSynchronize(s));
      int v = -1;
      CUresult c = CODE(cuMemcpyDtoH(&v, p, 4));
      answer("then the stream says %s, the copy brought %d (77 = its source; read: %s)", N(r), v,
             N(c));
    })
ROW(
    "free_host.running_copy",
    "does cuMemFreeHost wait for a running copy (512 MiB) from that memory?", kFreeHost,
    [] {
      init();
      size_t n = size_t(512) << 20;
      auto p = plain(n);
      auto h = pinned(n);
      auto s = stream();
      CU(cuMemcpyHtoDAsync(p, h, n, s));
      CU(cuStreamSynchronize(s));
      auto f = Clock::now();
      CU(cuMemcpyHtoDAsync(p, h, n, s));
      CU(cuStreamSynchronize(s));
      double whole = ms(f);
      CU(cuMemcpyHtoDAsync(p, h, n, s));
      CUresult before = CODE(cuStreamQuery(s));
      auto from = Clock::now();
      CUresult r = CODE(cuMemFreeHost(h));
      double took = ms(from);
      CUresult q = CODE(cuStreamQuery(s));
      answer("%s: the stream says %s before, %s after the free (%s, %.2f ms); a copy takes %.2f ms",
             before == 0 ? "cannot tell"
             : q == 0    ? "was over when the free returned"
                         : "still running when the free returned",
             N(before), N(q), N(r), took, whole);
      detail("afterwards %s", N(CODE(cuStreamSynchronize(s))));
    },
    10)
ROW("free_host.unregister_queued_copy",
    "does cuMemHostUnregister wait for a queued copy from that memory?",
    "cuda.h cuMemHostUnregister", [] {
      init();
      auto p = plain();
      int* h = static_cast<int*>(aligned_alloc(4096, 4096));
      *h = 77;
      CU(cuMemHostRegister(h, 4096, 0));
      auto s = stream();
      Gate& g = *new Gate;
      g.close_by_host(s);
      CU(cuMemcpyHtoDAsync(p, h, 4, s));
      answer("%s", waits(g, [=] { return CODE(cuMemHostUnregister(h)); }).c_str());
      CUresult r = CODE(cuStreamSynchronize(s));
      int v = -1;
      CUresult c = CODE(cuMemcpyDtoH(&v, p, 4));
      answer("then the stream says %s, the copy brought %d (%s)", N(r), v, N(c));
    })
