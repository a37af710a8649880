// SPDX-License-Identifier: Apache-2.0
// Which memory comes back, and when.
#include "gate.h"
#include "order.h"
#include "row.h"

static const char* kReuse = "cuda.h 4425-4448, 13390-13402: the three reuse attributes";
static void reuse(int follow, int opportunistic, int internal) {
  init();
  const char* situations[] = {
      "same stream",         "no dependency",           "event dependency",
      "over, host not told", "over, host synchronised", "over, event queried"};
  for (int k = 0; k < 6; ++k) {
    auto m = pool();
    int v[] = {follow, opportunistic, internal};
    CU(cuMemPoolSetAttribute(m, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &v[0]));
    CU(cuMemPoolSetAttribute(m, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &v[1]));
    CU(cuMemPoolSetAttribute(m, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &v[2]));
    auto a = stream(), b = stream();
    size_t n = 2 << 20;
    CUdeviceptr p, q;
    auto e = event();
    CU(cuMemAllocFromPoolAsync(&p, n, m, a));
    CU(cuStreamSynchronize(a));
    Gate* g = nullptr;
    std::unique_ptr<Later> later;
    if (k < 3) {
      g = new Gate;
      g->close(a);
      later.reset(new Later(*g, 500));
    }
    CU(cuMemFreeAsync(p, a));
    if (k == 2 || k == 5) CU(cuEventRecord(e, a));
    if (k == 2) CU(cuStreamWaitEvent(b, e, 0));
    if (k == 3 || k == 5) nap(100);
    if (k == 4) CU(cuStreamSynchronize(a));
    if (k == 5) CODE(cuEventQuery(e));
    auto s = k == 0 ? a : b;
    auto from = Clock::now();
    CU(cuMemAllocFromPoolAsync(&q, n, m, s));
    double took = ms(from);
    bool open = g && g->opened;
    std::string w;
    if (k == 1) {
      CU(cuMemsetD32Async(q, 1, 1, s));
      w = ", the stream then " + follows(s);
    }
    answer("%s: %s address%s%s", situations[k], p == q ? "same" : "other", w.c_str(),
           open ? " (the call waited)" : "");
    detail("%s: %.3f ms", situations[k], took);
    if (g) g->open();
    CODE(cuCtxSynchronize());
  }
}
ROW("pool.reuse.none",
    "Pool reuse with all three attributes off: does cuMemAllocAsync(s2) give what was freed on s1?",
    kReuse, [] { reuse(0, 0, 0); })
ROW("pool.reuse.follow_events", "the same with only REUSE_FOLLOW_EVENT_DEPENDENCIES", kReuse,
    [] { reuse(1, 0, 0); })
ROW("pool.reuse.opportunistic", "the same with only REUSE_ALLOW_OPPORTUNISTIC", kReuse,
    [] { reuse(0, 1, 0); })
ROW("pool.reuse.internal", "the same with only REUSE_ALLOW_INTERNAL_DEPENDENCIES", kReuse,
    [] { reuse(0, 0, 1); })
ROW("pool.reuse.all", "the same with all three (the default)", kReuse, [] { reuse(1, 1, 1); })
ROW("pool.preference",
    "Freed on s1 and on s2 (both over): which of the two does s1 get first? And in which order do "
    "four freed ones come back to their stream?",
    "no word", [] {
      init();
      auto m = pool();
      auto a = stream(), b = stream();
      size_t n = 2 << 20;
      for (bool own_last : {true, false}) {
        CUdeviceptr p, q, r;
        CU(cuMemAllocFromPoolAsync(&p, n, m, a));
        CU(cuMemAllocFromPoolAsync(&q, n, m, b));
        CU(cuCtxSynchronize());
        if (own_last) {
          CU(cuMemFreeAsync(q, b));
          CU(cuMemFreeAsync(p, a));
        } else {
          CU(cuMemFreeAsync(p, a));
          CU(cuMemFreeAsync(q, b));
        }
        nap(50);
        CU(cuMemAllocFromPoolAsync(&r, n, m, a));
        answer("own freed %s: %s", own_last ? "last" : "first",
               r == p   ? "own"
               : r == q ? "the other's"
                        : "new memory");
        CU(cuMemFreeAsync(r, a));
        CU(cuCtxSynchronize());
      }
      for (size_t size : {size_t(4096), n}) {
        CUdeviceptr x[4], y;
        for (auto& z : x) CU(cuMemAllocFromPoolAsync(&z, size, m, a));
        for (int i : {1, 3, 0, 2}) CU(cuMemFreeAsync(x[i], a));
        std::string o;
        for (int i = 0; i < 4; ++i) {
          CU(cuMemAllocFromPoolAsync(&y, size, m, a));
          int at = -1;
          for (int j = 0; j < 4; ++j)
            if (x[j] == y) at = j;
          o += at < 0 ? 'n' : static_cast<char>('0' + at);
        }
        answer("%zu KiB freed as 1302 come back as %s (n: new)", size >> 10, o.c_str());
      }
    })
ROW("pool.plain_free", "cuMemFree of pool memory with a queued use: handed out at once?",
    "cuda.h 8680: \"no implicit synchronization\"", [] {
      init();
      auto a = stream(), b = stream();
      CUdeviceptr p, q;
      CU(cuMemAllocAsync(&p, 4096, a));
      CU(cuStreamSynchronize(a));
      Gate& g = *new Gate;
      g.close(a);
      CU(cuMemsetD32Async(p, 1, 1, a));
      answer("%s", waits(g, [=] { return CODE(cuMemFree(p)); }).c_str());
      CU(cuMemAllocAsync(&q, 4096, b));
      answer("next allocation of another stream: %s address", p == q ? "same" : "other");
      CODE(cuCtxSynchronize());
    })
ROW("pool.destroy_in_use",
    "cuMemPoolDestroy with an allocation alive: is it still usable, what does cuMemFreeAsync then "
    "say?",
    "cuda.h cuMemPoolDestroy", [] {
      init();
      auto m = pool();
      auto s = stream();
      CUdeviceptr p;
      CU(cuMemAllocFromPoolAsync(&p, 4096, m, s));
      CUresult d = CODE(cuMemPoolDestroy(m));
      CUresult w = CODE(cuMemsetD32Async(p, 5, 1, s));
      CUresult y = CODE(cuStreamSynchronize(s));
      answer("destroy %s, memset %s, sync %s, free %s", N(d), N(w), N(y),
             N(CODE(cuMemFreeAsync(p, s))));
      CODE(cuStreamSynchronize(s));
    })
static void lives(bool pooled) {
  init();
  auto s = stream();
  auto m = pooled ? pool() : nullptr;
  for (size_t n : {size_t(512), size_t(4096), size_t(1) << 20, size_t(2) << 20, size_t(64) << 20}) {
    int tries = n > (4u << 20) ? 200 : 1000, same = 0, buffer = 0, block = 0;
    for (int i = 0; i < tries; ++i) {
      CUdeviceptr p, q;
      auto get = [&](CUdeviceptr* x) {
        if (pooled) {
          CU(cuMemAllocFromPoolAsync(x, n, m, s));
        } else
          CU(cuMemAlloc(x, n));
      };
      auto put = [&](CUdeviceptr x) {
        if (pooled) {
          CU(cuMemFreeAsync(x, s));
          CU(cuStreamSynchronize(s));
        } else
          CU(cuMemFree(x));
      };
      get(&p);
      auto b = attribute(p, CU_POINTER_ATTRIBUTE_BUFFER_ID);
      CUresult k;
      auto c = attribute(p, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, &k);
      put(p);
      get(&q);
      if (p == q) {
        ++same;
        buffer += b != attribute(q, CU_POINTER_ATTRIBUTE_BUFFER_ID);
        block += k == 0 && c != attribute(q, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID);
      }
      put(q);
    }
    answer(
        "%zu KiB%s: same address %d of %d, of these another BUFFER_ID %d, another MEMORY_BLOCK_ID "
        "%d",
        n >> 10, n < 1024 ? " (512 B)" : "", same, tries, buffer, block);
  }
}
ROW(
    "reuse.plain",
    "cuMemAlloc after cuMemFree of the same size: same address? BUFFER_ID and MEMORY_BLOCK_ID "
    "different?",
    "cuda.h 907, 920: \"A process-wide unique ID\"", [] { lives(false); }, 15)
ROW(
    "reuse.pool", "cuMemAllocFromPoolAsync after cuMemFreeAsync: the same questions",
    "cuda.h cuPointerGetAttribute", [] { lives(true); }, 15)
ROW("reuse.handles",
    "Are the handles of streams, events, graphs and executables given again after the destruction?",
    "no word", [] {
      init();
      int n = 100, s = 0, e = 0, g = 0, x = 0;
      auto p = plain();
      for (int i = 0; i < n; ++i) {
        auto a = stream();
        CU(cuStreamDestroy(a));
        auto b = stream();
        s += a == b;
        CU(cuStreamDestroy(b));
        auto c = event();
        CU(cuEventDestroy(c));
        auto d = event();
        e += c == d;
        CU(cuEventDestroy(d));
        auto h = graph();
        CU(cuGraphDestroy(h));
        auto k = graph();
        g += h == k;
        add_set(k, p, 1);
        auto y = instantiate(k);
        CU(cuGraphExecDestroy(y));
        auto z = instantiate(k);
        x += y == z;
        CU(cuGraphExecDestroy(z));
        CU(cuGraphDestroy(k));
      }
      answer("of %d: streams %d, events %d, graphs %d, executables %d", n, s, e, g, x);
    })
