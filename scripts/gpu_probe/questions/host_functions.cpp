// SPDX-License-Identifier: Apache-2.0
// Host functions: threads, order, and what they may call.
#include "fate.h"
#include "gate.h"
#include "row.h"

ROW("host_function.threads",
    "do host functions of two streams run on one thread, and is it the same each time?",
    "cuda.h 18072-18075: \"may be serialized\"", [] {
      init();
      auto a = stream(), b = stream();
      long one = host_thread(a), two = host_thread(b), again = host_thread(a);
      answer("two streams: %s; one stream twice: %s; %s", one == two ? "one thread" : "two threads",
             one == again ? "one thread" : "two threads",
             one == tid() ? "the caller's" : "not the caller's");
    })
ROW("host_function.starves",
    "does a host function that blocks keep another stream's host function from running?",
    "cuda.h 18072-18075: \"may be serialized\"", [] {
      init();
      auto a = stream(), b = stream();
      static Fate f;
      Gate& g = *new Gate;
      g.close_by_host(a, true);
      {
        Later later(g, 500);
        f.zero = Clock::now();
        CU(cuLaunchHostFunc(b, ends, &f));
        CU(cuStreamSynchronize(b));
        bool open = g.opened;
        answer("%s (started after %.2f ms), %s", open ? "yes: serialized" : "no", f.at.load(),
               f.thread == g.thread ? "same thread" : "other thread");
      }
      CODE(cuStreamSynchronize(a));
    })
ROW("host_function.starves_copies",
    "does a blocked host function keep other streams' kernels, memsets and copies from "
    "running?",
    "cuda.h 18072", [] {
      init();
      auto a = stream(), b = stream();
      auto p = plain();
      auto h = pinned();
      Gate& g = *new Gate;
      g.close_by_host(a, true);
      Later later(g, 500);
      CU(cuMemsetD32Async(p, 4, 1, b));
      CU(cuMemcpyDtoHAsync(h, p, 4, b));
      CU(cuStreamSynchronize(b));
      answer("memset and copy: %s", g.opened ? "wait" : "run");
      if (find("add_one")) {
        add_one(b, p);
        CU(cuStreamSynchronize(b));
        answer("kernel: %s", g.opened ? "waits" : "runs");
      }
    })
ROW(
    "host_function.queue_depth",
    "How many calls fit in a stream behind a gate before one of them blocks?", "no word in cuda.h",
    [] {
      init();
      for (int kind = 0; kind < 3; ++kind) {
        auto s = stream();
        auto p = plain();
        auto e = event();
        CUfunction f = kind == 0 ? find("add_one") : nullptr;
        if (kind == 0 && !f) {
          answer("kernels: not asked (no kernel)");
          continue;
        }
        Gate& g = *new Gate;
        g.close(s);
        std::atomic<int> i{0};
        std::atomic<bool> over{false};
        int stuck_at = -1;
        std::thread w([&] {
          int last = -1;
          auto since = Clock::now(), from = since;
          while (!over) {
            usleep(1000);
            if (i != last) {
              last = i;
              since = Clock::now();
            }
            if (ms(since) > 150 || ms(from) > 1500) {
              if (ms(since) > 150) stuck_at = last;
              g.open();
              return;
            }
          }
        });
        int n = 1;
        void* a[] = {&p, &n};
        for (; i < 20000 && !g.opened; ++i) {
          CUresult r = kind == 0   ? CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr))
                       : kind == 1 ? CODE(cuMemsetD32Async(p, 1, 1, s))
                                   : CODE(cuEventRecord(e, s));
          if (r) {
            detail("%s", N(r));
            break;
          }
        }
        int put = i;
        over = true;
        w.join();
        g.open();
        const char* k = kind == 0 ? "kernels" : kind == 1 ? "memsets" : "event records";
        if (stuck_at >= 0)
          answer("%s: call %d blocked (gate: %s)", k, stuck_at, g.kind());
        else
          answer("%s: %d put without blocking", k, put);
        CODE(cuStreamSynchronize(s));
      }
    },
    10)
