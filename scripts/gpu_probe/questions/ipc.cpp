// SPDX-License-Identifier: Apache-2.0
// IPC between two processes.
#include "gate.h"
#include "order.h"
#include "row.h"
#include "two_processes.h"

static const char* kIpc = "cuda.h 9352-9450";
ROW(
    "ipc.open_twice",
    "One handle opened twice in one importer: error 208, or counted? After one close, two, three?",
    "cuda.h 9369-9371: \"the reference count on the handle is incremented by 1\"",
    [] {
      two(
          [] {
            auto p = plain();
            CU(cuMemsetD32(p, 42, 1024));
            CU(cuCtxSynchronize());
            page->memory[0] = exported(p);
            at(1);
            reach(2);
          },
          [] {
            reach(1);
            CUdeviceptr a, b;
            CUresult r = open_at(&a, page->memory[0]), s = open_at(&b, page->memory[0]);
            answer("first %s, second %s%s, reads %s", N(r), N(s),
                   s        ? ""
                   : a == b ? " (same address)"
                            : " (another address)",
                   read(a).c_str());
            for (int i = 1; i <= 3; ++i) {
              CUresult c = CODE(cuIpcCloseMemHandle(a));
              answer("close %d %s, then reads %s", i, N(c), read(a).c_str());
            }
            at(2);
          });
    },
    8)
ROW(
    "ipc.open_after_free", "A handle opened after the exporter freed the memory", kIpc,
    [] {
      two(
          [] {
            auto p = plain(2 << 20);
            CU(cuMemsetD32(p, 42, 1024));
            CU(cuCtxSynchronize());
            page->memory[0] = exported(p);
            CU(cuMemFree(p));
            at(1);
            reach(2);
            auto q = plain(2 << 20);
            CU(cuMemsetD32(q, 99, 1024));
            CU(cuCtxSynchronize());
            answer("exporter allocates again: %s address, handle %s", p == q ? "same" : "other",
                   [&] {
                     auto h = exported(q);
                     return memcmp(&h, &page->memory[0], sizeof h) ? "differs" : "is the same";
                   }());
            at(3);
            reach(4);
          },
          [] {
            reach(1);
            CUdeviceptr a;
            CUresult r = open_at(&a, page->memory[0]);
            answer("open after the free: %s%s", N(r), r ? "" : (", reads " + read(a)).c_str());
            at(2);
            reach(3);
            r = open_at(&a, page->memory[0]);
            answer("old handle after the new allocation: %s%s", N(r),
                   r ? "" : (", reads " + read(a)).c_str());
            at(4);
          });
    },
    8)
static void reuse_under_mapping(size_t n) {
  two(
      [=] {
        auto p = plain(n);
        CU(cuMemsetD32(p, 42, 128));
        CU(cuCtxSynchronize());
        page->memory[0] = exported(p);
        at(1);
        reach(2);
        auto from = Clock::now();
        CUresult r = CODE(cuMemFree(p));
        detail("exporter's cuMemFree while mapped: %s, %.2f ms", N(r), ms(from));
        CUdeviceptr q = 0;
        int tries = 0;
        std::vector<CUdeviceptr> kept;
        for (; tries < 50 && q != p; ++tries) {
          q = plain(n);
          if (q != p) kept.push_back(q);
        }
        CU(cuMemsetD32(q, 99, 128));
        CU(cuCtxSynchronize());
        page->memory[1] = exported(q);
        answer("exporter gets %s address%s, new handle %s", p == q ? "the same" : "no such",
               tries > 1 ? text(" after %d tries", tries).c_str() : "",
               memcmp(&page->memory[0], &page->memory[1], sizeof(CUipcMemHandle)) ? "differs"
                                                                                  : "is the same");
        auto id = attribute(q, CU_POINTER_ATTRIBUTE_BUFFER_ID);
        (void)id;
        at(3);
        reach(4);
        detail("exporter's new memory holds %s after the importer wrote 7 to its old mapping",
               read(q).c_str());
        at(5);
        reach(6);
      },
      [] {
        reach(1);
        CUdeviceptr a, b, c;
        CUresult r = open_at(&a, page->memory[0]);
        answer("open %s, reads %s", N(r), read(a).c_str());
        at(2);
        reach(3);
        answer(
            "old mapping reads %s after the exporter's free and new allocation (42 = old, 99 = "
            "new)",
            read(a).c_str());
        r = open_at(&b, page->memory[1]);
        answer("new handle while the old is open: %s%s", N(r),
               r ? ""
                 : text("%s, reads %s", a == b ? " at the same address" : " at another address",
                        read(b).c_str())
                       .c_str());
        CODE(cuMemsetD32(a, 7, 1));
        CODE(cuCtxSynchronize());
        at(4);
        reach(5);
        CUresult k = CODE(cuIpcCloseMemHandle(a));
        r = open_at(&c, page->memory[1]);
        answer(
            "old closed (%s), new handle: %s%s", N(k), N(r),
            r ? ""
              : text("%s, reads %s", a == c ? " at the old address" : "", read(c).c_str()).c_str());
        at(6);
      });
}
ROW(
    "ipc.free_while_mapped",
    "The exporter frees while it is mapped and allocates again (4 KiB): does the mapping show new "
    "data, is the new handle another, can it be opened beside the old one?",
    "cuda.h 9376-9378: undefined behavior", [] { reuse_under_mapping(4096); }, 8)
ROW(
    "ipc.free_while_mapped_2MiB", "the same with 2 MiB", "cuda.h 9376-9378: undefined behavior",
    [] { reuse_under_mapping(2 << 20); }, 8)
ROW(
    "ipc.free_while_mapped_64MiB", "the same with 64 MiB", "cuda.h 9376-9378: undefined behavior",
    [] { reuse_under_mapping(64 << 20); }, 8)
ROW(
    "ipc.closed",
    "cuIpcCloseMemHandle twice; use after the close; a close with a queued use: does it wait?",
    kIpc,
    [] {
      two(
          [] {
            auto p = plain();
            CU(cuMemsetD32(p, 42, 1024));
            CU(cuCtxSynchronize());
            page->memory[0] = exported(p);
            at(1);
            reach(2);
          },
          [] {
            reach(1);
            CUdeviceptr a;
            CU(cuIpcOpenMemHandle(&a, page->memory[0], 1));
            auto s = stream();
            Gate& g = *new Gate;
            g.close_by_host(s);
            CU(cuMemsetD32Async(a, 5, 1, s));
            answer("close with a queued memset: %s",
                   waits(g, [=] { return CODE(cuIpcCloseMemHandle(a)); }).c_str());
            answer("the stream says %s", N(CODE(cuStreamSynchronize(s))));
            answer("second close %s", N(CODE(cuIpcCloseMemHandle(a))));
            answer("read after the close %s", read(a).c_str());
            at(2);
          });
    },
    8)
ROW(
    "ipc.exporter_leaves", "The exporter's process ends while its memory is mapped", kIpc,
    [] {
      two(
          [] {
            auto p = plain(2 << 20);
            CU(cuMemsetD32(p, 42, 1024));
            CU(cuCtxSynchronize());
            page->memory[0] = exported(p);
            at(1);
            reach(2);
            at(3);
            _exit(0);
          },
          [] {
            reach(1);
            CUdeviceptr a, b;
            CU(cuIpcOpenMemHandle(&a, page->memory[0], 1));
            at(2);
            reach(3);
            nap(500);
            answer("mapping reads %s", read(a).c_str());
            CUresult r = open_at(&b, page->memory[0]);
            answer("open again %s", N(r));
            answer("close %s", N(CODE(cuIpcCloseMemHandle(a))));
            r = open_at(&b, page->memory[0]);
            answer("open after the close %s", N(r));
          });
    },
    8)
ROW("ipc.same_process", "A handle opened in the process that exported it", kIpc, [] {
  init();
  auto p = plain();
  CUdeviceptr a;
  CUresult r = open_at(&a, exported(p));
  answer("%s%s", N(r), r ? "" : a == p ? " (same address)" : " (another address)");
})
ROW("ipc.handle",
    "Handle of the same pointer twice, of an interior pointer, of a neighbour in one block; of "
    "pool memory, managed memory, pinned memory; after free and allocation at the same address",
    kIpc, [] {
      init();
      auto p = plain(), q = plain();
      auto h = exported(p), h2 = exported(p);
      auto same = [](const CUipcMemHandle& a, const CUipcMemHandle& b) {
        return memcmp(&a, &b, sizeof a) ? "differs" : "is the same";
      };
      answer("twice: %s", same(h, h2));
      CUipcMemHandle i;
      CUresult r = CODE(cuIpcGetMemHandle(&i, p + 256));
      answer("interior: %s%s", N(r), r ? "" : text(", %s", same(h, i)).c_str());
      auto k = exported(q);
      answer("neighbour at %+lld: %s", static_cast<long long>(q - p), same(h, k));
      std::string where;
      for (size_t n = 0; n < sizeof h; ++n)
        if (h.reserved[n] != k.reserved[n]) where += text("%zu ", n);
      detail("bytes in which the neighbour's handle differs: %s", where.c_str());
      auto s = stream();
      CUdeviceptr m;
      CU(cuMemAllocAsync(&m, 4096, s));
      CU(cuStreamSynchronize(s));
      answer("pool memory: %s", N(CODE(cuIpcGetMemHandle(&i, m))));
      CUdeviceptr g = 0;
      if (CODE(cuMemAllocManaged(&g, 4096, CU_MEM_ATTACH_GLOBAL)) == 0)
        answer("managed: %s", N(CODE(cuIpcGetMemHandle(&i, g))));
      answer("pinned: %s", N(CODE(cuIpcGetMemHandle(&i, reinterpret_cast<CUdeviceptr>(pinned())))));
      for (size_t n : {size_t(4096), size_t(2) << 20}) {
        auto x = plain(n);
        auto hx = exported(x);
        CU(cuMemFree(x));
        auto y = plain(n);
        auto hy = exported(y);
        answer("freed and allocated again, %zu KiB: %s address, handle %s", n >> 10,
               x == y ? "same" : "other", same(hx, hy));
        where.clear();
        for (size_t b = 0; b < sizeof hx; ++b)
          if (hx.reserved[b] != hy.reserved[b]) where += text("%zu ", b);
        detail("%zu KiB: bytes that differ: %s", n >> 10, where.c_str());
      }
    })
ROW(
    "ipc.one_block",
    "Two small allocations of one block, both exported: can both be opened at once, and how far "
    "are they apart? A handle of an interior pointer: where does it point?",
    kIpc,
    [] {
      two(
          [] {
            auto p = plain(4096), q = plain(4096);
            CU(cuMemsetD32(p, 41, 1024));
            CU(cuMemsetD32(q, 42, 1024));
            CU(cuMemsetD32(p + 1024, 43, 1));
            CU(cuCtxSynchronize());
            page->memory[0] = exported(p);
            page->memory[1] = exported(q);
            page->words[0] = q - p;
            page->words[1] = CODE(cuIpcGetMemHandle(&page->memory[2], p + 1024));
            at(1);
            reach(2);
            CU(cuMemFree(p));
            at(3);
            reach(4);
          },
          [] {
            reach(1);
            CUdeviceptr a, b, c;
            CUresult r = open_at(&a, page->memory[0]), s = open_at(&b, page->memory[1]);
            answer("first %s, second %s; apart %lld (in the exporter %lld); read %s, %s", N(r),
                   N(s), s ? 0ll : static_cast<long long>(b - a),
                   static_cast<long long>(page->words[0]), r ? "-" : read(a).c_str(),
                   s ? "-" : read(b).c_str());
            if (page->words[1] == 0) {
              r = open_at(&c, page->memory[2]);
              answer("handle of an interior pointer: %s%s", N(r),
                     r ? ""
                       : text(", at %+lld of the base, reads %s (41 = the base, 43 = the interior)",
                              static_cast<long long>(c - a), read(c).c_str())
                             .c_str());
            }
            at(2);
            reach(3);
            answer("after the exporter freed the first, the second reads %s, the first %s",
                   s ? "-" : read(b).c_str(), read(a).c_str());
            at(4);
          });
    },
    8)
ROW(
    "ipc.importer_misuse",
    "In the importer: cuMemFree of the mapping, export of it again, cuMemGetAddressRange, "
    "BUFFER_ID, opening from a second context",
    kIpc,
    [] {
      two(
          [] {
            auto p = plain(4096);
            CU(cuMemsetD32(p, 42, 1024));
            CU(cuCtxSynchronize());
            page->memory[0] = exported(p);
            at(1);
            reach(2);
          },
          [] {
            reach(1);
            CUdeviceptr a, b;
            CU(cuIpcOpenMemHandle(&a, page->memory[0], 1));
            CUipcMemHandle h;
            answer("export again %s", N(CODE(cuIpcGetMemHandle(&h, a))));
            CUdeviceptr base;
            size_t n = 0;
            CUresult r = CODE(cuMemGetAddressRange(&base, &n, a));
            answer("address range %s, offset %lld, %zu bytes", N(r),
                   static_cast<long long>(a - base), n);
            auto id = attribute(a, CU_POINTER_ATTRIBUTE_BUFFER_ID, &r);
            CUresult close = CODE(cuIpcCloseMemHandle(a));
            CU(cuIpcOpenMemHandle(&b, page->memory[0], 1));
            answer("BUFFER_ID %s, after close (%s) and open: %s address, %s BUFFER_ID", N(r),
                   N(close), a == b ? "same" : "other",
                   attribute(b, CU_POINTER_ATTRIBUTE_BUFFER_ID) == id ? "same" : "other");
            CUcontext other;
            r = CODE(cuCtxCreate(&other, nullptr, 0, device));
            if (r == 0) {
              CUdeviceptr c;
              r = open_at(&c, page->memory[0]);
              answer("opened by a second context: %s%s", N(r),
                     r        ? ""
                     : c == b ? " (same address)"
                              : " (another address)");
              CU(cuCtxSetCurrent(context));
            }
            answer("cuMemFree of the mapping %s", N(CODE(cuMemFree(b))));
            at(2);
          });
    },
    8)
ROW(
    "ipc.open_limit", "How often can one handle be opened? And how many handles?", "no word",
    [] {
      two(
          [] {
            std::vector<CUdeviceptr> all;
            int i = 0;
            for (; i < 2000; ++i) {
              auto p = plain(2 << 20);
              if (CUresult r = CODE(cuIpcGetMemHandle(&page->memory[i], p))) {
                detail("export %d: %s", i, N(r));
                break;
              }
            }
            page->words[0] = static_cast<unsigned long long>(i);
            at(1);
            reach(2);
          },
          [] {
            reach(1);
            CUdeviceptr a, b;
            int i = 0;
            CUresult r = CUDA_SUCCESS;
            CU(cuIpcOpenMemHandle(&a, page->memory[0], 1));
            auto from = Clock::now();
            for (; i < 20000 && ms(from) < 1500; ++i)
              if ((r = open_at(&b, page->memory[0]))) break;
            answer("one handle: %d times more%s", i,
                   r ? text(", then %s", N(r)).c_str() : " without an error");
            int n = static_cast<int>(page->words[0]);
            r = CUDA_SUCCESS;
            from = Clock::now();
            for (i = 1; i < n && ms(from) < 3000; ++i)
              if ((r = open_at(&b, page->memory[i]))) break;
            answer("%d handles of 2 MiB%s", i,
                   r ? text(", then %s", N(r)).c_str() : " without an error");
            at(2);
          });
    },
    12)
ROW(
    "ipc.event",
    "Event handles: of an event destroyed before the open; destroyed while another process has it "
    "open; recorded and destroyed",
    "cuda.h 9229-9232, 9275-9276: use after cuEventDestroy of the exported event is undefined",
    [] {
      two(
          [] {
            auto flags = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
            auto a = event(flags), b = event(flags), c = event(flags);
            (void)a;
            CU(cuIpcGetEventHandle(&page->event[0], a));
            CU(cuEventDestroy(a));
            CU(cuIpcGetEventHandle(&page->event[1], b));
            at(1);
            reach(2);
            auto s = stream();
            Gate& g = *new Gate;
            g.close(s);
            CU(cuEventRecord(b, s));
            at(3);
            reach(4);
            CU(cuEventDestroy(b));
            at(5);
            reach(6);
            g.open();
            CU(cuStreamSynchronize(s));
            at(7);
            reach(8);
            (void)c;
          },
          [] {
            reach(1);
            CUevent a, b, b2;
            answer("destroyed before the open: %s",
                   N(CODE(cuIpcOpenEventHandle(&a, page->event[0]))));
            CU(cuIpcOpenEventHandle(&b, page->event[1]));
            CUresult r = CODE(cuIpcOpenEventHandle(&b2, page->event[1]));
            answer("opened twice: %s%s", N(r),
                   r         ? ""
                   : b == b2 ? " (same handle)"
                             : " (another handle)");
            answer("query before the record %s", N(CODE(cuEventQuery(b))));
            at(2);
            reach(3);
            answer("recorded and pending: query %s", N(CODE(cuEventQuery(b))));
            auto s = stream();
            auto p = plain();
            CU(cuStreamWaitEvent(s, b, 0));
            at(4);
            reach(5);
            CU(cuMemsetD32Async(p, 1, 1, s));
            answer("exporter destroyed it: query %s, the stream that waits %s",
                   N(CODE(cuEventQuery(b))), follows(s).c_str());
            at(6);
            reach(7);
            nap(20);
            answer("record over: query %s, stream %s, destroy %s", N(CODE(cuEventQuery(b))),
                   N(CODE(cuStreamQuery(s))), N(CODE(cuEventDestroy(b))));
            at(8);
          });
    },
    8)
ROW("ipc.fork_after_init",
    "A child forked after cuInit: what does its cuInit, or an allocation say?",
    "guide: not supported", [] {
      init();
      pid_t c = fork();
      if (!c) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        answer("cuInit %s", N(CODE(cuInit(0))));
        CUdeviceptr p;
        answer("cuMemAlloc %s", N(CODE(cuMemAlloc(&p, 4096))));
        _exit(0);
      }
      int st;
      waitpid(c, &st, 0);
      if (WIFSIGNALED(st)) answer("signal %d", WTERMSIG(st));
    })
