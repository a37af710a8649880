// SPDX-License-Identifier: Apache-2.0
// User objects: when and on which thread their destructors run.
#include "fate.h"
#include "gate.h"
#include "row.h"

static const char* kUser =
    "cuda.h 21300-21318, 5020: executed by a shared internal thread; cannot be waited on";
ROW("user_object.release",
    "cuUserObjectRelease drops the last reference: on which thread does the destructor run, "
    "and when?",
    kUser, [] {
      init();
      Fate f;
      auto u = object(f);
      answer("%s", watch(f, [=] { return CODE(cuUserObjectRelease(u, 1)); }).c_str());
      auto s = stream();
      detail("host functions run on %s", host_thread(s) == f.thread
                                             ? "the same thread as the destructor"
                                             : "a thread other than the destructor's");
    })
ROW("user_object.graph_destroy", "cuGraphDestroy drops the last reference", kUser, [] {
  init();
  Fate f;
  auto u = object(f);
  auto g = graph();
  CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
  answer("%s", watch(f, [=] { return CODE(cuGraphDestroy(g)); }).c_str());
})
ROW("user_object.graph_release", "cuGraphReleaseUserObject drops the last reference", kUser, [] {
  init();
  Fate f;
  auto u = object(f);
  auto g = graph();
  CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
  answer("%s", watch(f, [=] { return CODE(cuGraphReleaseUserObject(g, u, 1)); }).c_str());
})
ROW("user_object.exec_destroy",
    "cuGraphExecDestroy drops the last reference: never launched, and launched before", kUser, [] {
      init();
      for (bool launched : {false, true}) {
        static Fate fs[2];
        Fate& f = fs[launched];
        auto u = object(f);
        auto g = graph();
        auto p = plain();
        add_set(g, p, 1);
        CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
        auto x = instantiate(g);
        CU(cuGraphDestroy(g));
        nap(50);
        if (f.thread) answer("ran at cuGraphDestroy already");
        auto s = stream();
        if (launched) {
          CU(cuGraphLaunch(x, s));
          CU(cuStreamSynchronize(s));
        }
        answer("%s: %s", launched ? "launched" : "not launched",
               watch(f, [=] { return CODE(cuGraphExecDestroy(x)); }).c_str());
      }
    })
ROW("user_object.last_launch",
    "the executable is destroyed with a launch in flight, whose end drops the last reference",
    kUser, [] {
      init();
      Fate f;
      auto u = object(f);
      auto g = graph();
      auto p = plain();
      add_set(g, p, 1);
      CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
      auto x = instantiate(g);
      CU(cuGraphDestroy(g));
      auto s = stream();
      long h = host_thread(s);
      Gate& gate = *new Gate;
      gate.close(s);
      CU(cuGraphLaunch(x, s));
      f.zero = Clock::now();
      {
        Later later(gate, 300);
        CUresult r = CODE(cuGraphExecDestroy(x));
        answer(
            "cuGraphExecDestroy %s",
            text("%s (%s)", gate.opened ? "waits for the launch" : "does not wait", N(r)).c_str());
      }
      double open = ms(f.zero, gate.when);
      CUresult r = CODE(cuStreamSynchronize(s));
      double sync = ms(f.zero);
      bool before = f.thread != 0;
      nap(200);
      bool idle = f.thread != 0;
      if (!idle) {
        CODE(cuCtxSynchronize());
        auto q = plain();
        CODE(cuMemFree(q));
        nap(500);
      }
      answer("destructor %s", !f.thread ? "never ran (700 ms, two more calls)"
                                        : text("on %s, %s",
                                               f.thread == tid() ? "the CALLER'S thread"
                                               : f.thread == h   ? "the host functions' thread"
                                                                 : "another thread",
                                               f.at < open ? "BEFORE the launch ran"
                                               : before    ? "before the synchronisation returned"
                                               : idle      ? "after the synchronisation returned"
                                                           : "only when another call was made")
                                              .c_str());
      detail("gate opened %.1f, synchronised %.1f (%s), destructor %.1f ms", open, sync, N(r),
             f.at.load());
    })
ROW("user_object.last_launch_unwatched",
    "the same, and no one calls the driver after the gate opens: does the destructor run by "
    "itself?",
    kUser, [] {
      init();
      Fate f;
      auto u = object(f);
      auto g = graph();
      auto p = plain();
      add_set(g, p, 1);
      CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
      auto x = instantiate(g);
      CU(cuGraphDestroy(g));
      auto s = stream();
      Gate& gate = *new Gate;
      gate.close(s);
      CU(cuGraphLaunch(x, s));
      CU(cuGraphExecDestroy(x));
      gate.open();
      f.zero = Clock::now();
      for (int i = 0; i < 2000 && !f.thread; ++i) usleep(500);
      if (f.thread) {
        answer("yes, %.2f ms after", f.at.load());
        return;
      }
      auto q = plain();
      CODE(cuMemFree(q));
      nap(100);
      answer("not within 1 s; after cuMemAlloc and cuMemFree: %s", f.thread ? "yes" : "no");
      CODE(cuStreamSynchronize(s));
      nap(100);
      answer("after cuStreamSynchronize: %s", f.thread ? "yes" : "no");
    })
ROW("user_object.graph_destroy_in_flight",
    "graph destroyed, then executable destroyed, both after the launch ended but before the "
    "host was told",
    kUser, [] {
      init();
      Fate f;
      auto u = object(f);
      auto g = graph();
      auto p = plain();
      add_set(g, p, 1);
      CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
      auto x = instantiate(g);
      auto s = stream();
      CU(cuGraphLaunch(x, s));
      nap(100);
      CU(cuGraphDestroy(g));
      answer("%s", watch(f, [=] { return CODE(cuGraphExecDestroy(x)); }).c_str());
    })
ROW("user_object.blocking_destructor",
    "a destructor sleeps 400 ms: does the call that dropped the reference wait, does "
    "another destructor, a host function, another thread's call?",
    kUser, [] {
      init();
      auto s = stream();
      auto p = plain();
      static Fate a, b;
      a.hold = 400;
      auto u = object(a), v = object(b);
      auto g = graph(), g2 = graph();
      CU(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
      CU(cuGraphRetainUserObject(g2, v, 1, CU_GRAPH_USER_OBJECT_MOVE));
      std::thread other([&] {
        CODE(cuCtxSetCurrent(context));
        for (int i = 0; i < 2000 && !a.thread; ++i) usleep(200);
        auto f = Clock::now();
        CUdeviceptr q;
        CODE(cuMemAlloc(&q, 4096));
        detail("cuMemAlloc of another thread took %.2f ms", ms(f));
        f = Clock::now();
        CODE(cuMemsetD32Async(p, 1, 1, s));
        detail("cuMemsetD32Async of another thread took %.2f ms", ms(f));
        f = Clock::now();
        static Fate h;
        CODE(cuLaunchHostFunc(s, ends, &h));
        CODE(cuStreamSynchronize(s));
        detail("a host function and its synchronisation took %.2f ms", ms(f));
      });
      a.zero = b.zero = Clock::now();
      CODE(cuGraphDestroy(g));
      double one = ms(a.zero);
      CODE(cuGraphDestroy(g2));
      double two = ms(a.zero);
      other.join();
      for (int i = 0; i < 2000 && !b.thread; ++i) usleep(500);
      answer(
          "first cuGraphDestroy back after %.1f ms, second after %.1f ms, second destructor at "
          "%.1f ms (of 400)",
          one, two, b.at.load());
    })
ROW("user_object.driver_calls",
    "what do driver calls answer inside a destructor, and inside a host function?",
    "cuda.h 21303, 18070: NOT_PERMITTED, \"but this is not required\"", [] {
      init();
      auto p = plain(), q = plain();
      auto s = stream(), s2 = stream();
      auto e = event();
      auto m = [=](CUdeviceptr p) {
        std::string t;
        auto add = [&](const char* n, CUresult r) { t += std::string(n) + " " + name(r) + ", "; };
        size_t a, b;
        CUstream ns;
        add("cuMemGetInfo", CODE(cuMemGetInfo(&a, &b)));
        add("cuEventQuery", CODE(cuEventQuery(e)));
        add("cuStreamQuery", CODE(cuStreamQuery(s2)));
        add("cuCtxSetCurrent", CODE(cuCtxSetCurrent(context)));
        add("cuStreamCreate", CODE(cuStreamCreate(&ns, 1)));
        add("cuMemFreeAsync", CODE(cuMemFreeAsync(0, s2)));
        add("cuMemsetD32Async", CODE(cuMemsetD32Async(p, 1, 1, s2)));
        add("cuMemFree", CODE(cuMemFree(p)));
        return t;
      };
      static Fate h, d;
      h.act = [=] { detail("host function: %s", m(p).c_str()); };
      CU(cuLaunchHostFunc(s, ends, &h));
      CU(cuStreamSynchronize(s));
      answer("host function: see detail");
      auto u = object(d);
      static std::atomic<bool> over{false};
      d.act = [=] {
        detail("destructor: %s", m(q).c_str());
        over = true;
      };
      CU(cuUserObjectRelease(u, 1));
      for (int i = 0; i < 4000 && !over; ++i) usleep(500);
      answer("destructor: %s", over ? "see detail" : "its calls had not returned after 2 s");
    })
ROW("user_object.behind_host_function",
    "does a blocked host function keep a destructor from running?", "cuda.h 21303, 18072", [] {
      init();
      auto s = stream();
      static Fate f;
      auto u = object(f);
      Gate& g = *new Gate;
      g.close_by_host(s, true);
      Later later(g, 1500);
      answer("%s", watch(f, [=] { return CODE(cuUserObjectRelease(u, 1)); }).c_str());
      answer("the gate was %s then", g.opened ? "open" : "still closed");
    })
