// SPDX-License-Identifier: Apache-2.0
// Graphs: updates, memory nodes, conditionals, and when host memory is read.
#include "gate.h"
#include "order.h"
#include "row.h"

static const char* kUpdate =
    "cuda.h cuGraphExecUpdate 21100-21212: nothing on the parameters after a failure";
static const char* result_name(CUgraphExecUpdateResult r) {
  const char* n[] = {"SUCCESS",           "ERROR",
                     "TOPOLOGY_CHANGED",  "NODE_TYPE_CHANGED",
                     "FUNCTION_CHANGED",  "PARAMETERS_CHANGED",
                     "NOT_SUPPORTED",     "UNSUPPORTED_FUNCTION_CHANGE",
                     "ATTRIBUTES_CHANGED"};
  return r < 9 ? n[r] : "?";
}
ROW("graph.failed_update",
    "A cuGraphExecUpdate that fails: does the executable keep all its old parameters, and does it "
    "still launch?",
    kUpdate, [] {
      init();
      auto s = stream();
      auto p = plain();
      for (int kind = 0; kind < 4; ++kind) {
        auto f = kind == 3 ? find("add_one") : nullptr;
        if (kind == 3 && !f) {
          answer("kernel first: not asked (no kernel)");
          break;
        }
        auto g = graph(), h = graph();
        CUdeviceptr q = p + 64;
        int n = 1;
        void* ap[] = {&p, &n};
        void* aq[] = {&q, &n};
        CU(cuMemsetD32(p, 0, 64));
        CUgraphNode last, e;
        if (kind == 0 || kind == 3) {
          auto a = kind ? add_kernel(g, f, ap) : add_set(g, p, 1);
          last = add_set(g, p + 4, 1, {a});
          auto b = kind ? add_kernel(h, f, aq) : add_set(h, p, 2);
          CU(cuGraphAddEmptyNode(&e, h, &b, 1));
        } else if (kind == 1) {
          add_set(g, p, 1);
          add_set(h, p, 2);
          add_set(h, p + 4, 2);
        } else {
          auto a = add_set(g, p, 1);
          auto b = add_set(g, p + 4, 1, {a});
          last = add_set(g, p + 8, 1, {b});
          auto c = add_set(h, p, 2);
          add_set(h, p + 4, 2, {c});
          add_set(h, p + 8, 2, {c});
        }
        (void)last;
        auto x = instantiate(g);
        CUgraphExecUpdateResultInfo info;
        memset(&info, 0, sizeof info);
        CUresult r = CODE(cuGraphExecUpdate(x, h, &info));
        CUresult l = CODE(cuGraphLaunch(x, s));
        CUresult y = CODE(cuStreamSynchronize(s));
        const char* k[] = {"other node type in second place", "one node more", "S18 more exits",
                           "kernel first, other node type second"};
        answer("%s: update %s %s, launch %s, sync %s, %s", k[kind], N(r), result_name(info.result),
               N(l), N(y),
               kind == 3       ? value(p) == 1 && value(q) == 0 ? "old parameters"
                                 : value(q)                     ? "NEW parameters"
                                                                : "neither"
               : value(p) == 1 ? "old parameters"
               : value(p) == 2 ? "NEW parameters"
                               : "neither");
        detail("%s: error node %s", k[kind], info.errorNode ? "given" : "null");
      }
    })
ROW("graph.update_in_flight",
    "cuGraphExecMemsetNodeSetParams or cuGraphExecUpdate with a launch queued: does that launch "
    "see the new value, does the call wait?",
    "cuda.h 20743: \"only affect future launches\"; cuGraphExecUpdate 21100-21212", [] {
      init();
      for (bool update : {false, true}) {
        auto s = stream();
        auto p = plain();
        auto g = graph(), h = graph();
        auto n = add_set(g, p, 1);
        add_set(h, p, 2);
        auto x = instantiate(g);
        Gate& gate = *new Gate;
        gate.close(s);
        CU(cuGraphLaunch(x, s));
        auto m = set_params(p, 2);
        CUgraphExecUpdateResultInfo info;
        std::string w = waits(gate, [&] {
          return update ? CODE(cuGraphExecUpdate(x, h, &info))
                        : CODE(cuGraphExecMemsetNodeSetParams(x, n, &m, context));
        });
        CODE(cuStreamSynchronize(s));
        answer("%s: %s, the queued launch wrote %d (1 = old)",
               update ? "cuGraphExecUpdate" : "cuGraphExecMemsetNodeSetParams", w.c_str(),
               value(p));
      }
    })
ROW("graph.exec_destroyed_in_flight",
    "cuGraphExecDestroy (and cuGraphDestroy) with a launch queued: does it wait, does the launch "
    "still happen?",
    "cuda.h 21081-21083: freed asynchronously on completion", [] {
      init();
      auto s = stream();
      auto p = plain();
      CU(cuMemsetD32(p, 0, 1));
      auto g = graph();
      add_set(g, p, 6);
      auto x = instantiate(g);
      Gate& gate = *new Gate;
      gate.close(s);
      CU(cuGraphLaunch(x, s));
      CU(cuGraphDestroy(g));
      answer("%s", waits(gate, [=] { return CODE(cuGraphExecDestroy(x)); }).c_str());
      CUresult r = CODE(cuStreamSynchronize(s));
      answer("stream %s, value %d (6 = it ran)", N(r), value(p));
    })
ROW("graph.same_exec_twice",
    "Two launches of one executable into two streams: does the second wait for the first?",
    "guide: launches of one executable do not overlap", [] {
      init();
      auto a = stream(), b = stream();
      auto p = plain();
      auto g = graph();
      add_set(g, p, 6);
      auto x = instantiate(g);
      Gate& gate = *new Gate;
      gate.close(a);
      Later later(gate, 500);
      CU(cuGraphLaunch(x, a));
      CU(cuGraphLaunch(x, b));
      answer("the second stream %s", follows(b).c_str());
      gate.open();
      CODE(cuCtxSynchronize());
    })
ROW("graph.kernel_params",
    "Are a kernel node's parameters copied when it is added (the buffers are overwritten "
    "afterwards)?",
    "cuda.h cuGraphAddKernelNode: nothing on kernelParams after the call (guide: copied)", [] {
      init();
      auto f = kernel("add_one");
      auto p = plain(), q = plain();
      CU(cuMemsetD32(p, 0, 1));
      CU(cuMemsetD32(q, 0, 1));
      CUdeviceptr held = p;
      int n = 1;
      void* a[] = {&held, &n};
      auto g = graph();
      add_kernel(g, f, a);
      held = q;
      auto x = instantiate(g);
      n = 0;
      a[0] = nullptr;
      auto s = stream();
      CU(cuGraphLaunch(x, s));
      CU(cuStreamSynchronize(s));
      answer("%s", value(p) == 1 && value(q) == 0 ? "copied when added"
                   : value(q)                     ? "read at instantiation"
                                                  : "read later");
    })
static void memcpy_node(bool pin, bool captured) {
  init();
  auto s = stream();
  auto p = plain();
  int* h = pin ? pinned() : static_cast<int*>(malloc(4096));
  *h = 1;
  CUgraph g;
  if (captured) {
    auto c = stream();
    CU(cuStreamBeginCapture(c, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUresult r = CODE(cuMemcpyHtoDAsync(p, h, 4, c));
    if (r) {
      answer("refused: %s", N(r));
      return;
    }
    CU(cuStreamEndCapture(c, &g));
  } else {
    g = graph();
    add_copy(g, h, nullptr, p);
  }
  *h = 2;
  auto x = instantiate(g);
  *h = 3;
  CU(cuGraphLaunch(x, s));
  CU(cuStreamSynchronize(s));
  int first = value(p);
  *h = 4;
  Gate& gate = *new Gate;
  gate.close_by_host(s);
  Later later(gate, 300);
  auto from = Clock::now();
  CU(cuGraphLaunch(x, s));
  double took = ms(from);
  bool open = gate.opened;
  *h = 5;
  gate.open();
  CU(cuStreamSynchronize(s));
  int second = value(p);
  answer("first launch brought the value of %s; second, queued behind a gate, that of %s",
         first == 1   ? "adding"
         : first == 2 ? "before the instantiation"
         : first == 3 ? "the launch"
                      : "?",
         second == 4   ? "the launch call"
         : second == 5 ? "the execution"
         : second == 3 ? "the first launch"
                       : "?");
  detail("values %d, %d; the launch call took %.1f ms%s", first, second, took,
         open ? " and waited for the gate" : "");
}
static const char* kHostNode = "cuda.h cuGraphAddMemcpyNode: not said when host memory is read";
ROW("graph.memcpy_node.pinned", "When is pinned host memory of a memcpy node read?", kHostNode,
    [] { memcpy_node(true, false); })
ROW("graph.memcpy_node.pageable", "When is pageable host memory of a memcpy node read?", kHostNode,
    [] { memcpy_node(false, false); })
ROW("graph.memcpy_node.captured_pinned", "When is pinned host memory of a captured copy read?",
    kHostNode, [] { memcpy_node(true, true); })
ROW("graph.memcpy_node.captured_pageable", "When is pageable host memory of a captured copy read?",
    kHostNode, [] { memcpy_node(false, true); })
ROW("graph.event_node_of_destroyed_event",
    "An event record node whose event is destroyed before the instantiation, or before the launch",
    "cuda.h cuGraphAddEventRecordNode", [] {
      init();
      for (bool late : {true, false}) {
        auto s = stream();
        auto e = event();
        auto g = graph();
        CUgraphNode n;
        CU(cuGraphAddEventRecordNode(&n, g, nullptr, 0, e));
        CUgraphExec x;
        if (!late) CU(cuEventDestroy(e));
        CUresult i = CODE(cuGraphInstantiate(&x, g, 0));
        if (late) CU(cuEventDestroy(e));
        CUresult l = i ? i : CODE(cuGraphLaunch(x, s));
        answer("destroyed before the %s: instantiate %s, launch %s, sync %s",
               late ? "launch" : "instantiation", N(i), N(l), N(CODE(cuStreamSynchronize(s))));
      }
    })
static CUdeviceptr add_alloc(CUgraph g, CUgraphNode* n, std::vector<CUgraphNode> after,
                             size_t bytes = 2 << 20) {
  CUDA_MEM_ALLOC_NODE_PARAMS a;
  memset(&a, 0, sizeof a);
  a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  a.bytesize = bytes;
  CU(cuGraphAddMemAllocNode(n, g, after.data(), after.size(), &a));
  return a.dptr;
}
static CUgraphNode add_free(CUgraph g, CUdeviceptr p, std::vector<CUgraphNode> after) {
  CUgraphNode n;
  CU(cuGraphAddMemFreeNode(&n, g, after.data(), after.size(), p));
  return n;
}
static unsigned long long graph_memory(CUgraphMem_attribute a) {
  cuuint64_t v = 0;
  CU(cuDeviceGetGraphMemAttribute(device, a, &v));
  return v;
}
ROW("graph.alloc_nodes",
    "two allocation nodes of one graph whose lives do not overlap: one address? one physical "
    "memory?",
    "guide, graph memory nodes: address and physical memory reuse; cuda.h 19755", [] {
      init();
      auto s = stream();
      for (bool overlap : {false, true}) {
        auto g = graph();
        CUgraphNode an, bn;
        int* back = pinned();
        auto a = add_alloc(g, &an, {});
        auto w = add_set(g, a, 41, {an});
        CUdeviceptr b;
        CUgraphNode last;
        if (!overlap) {
          auto fa = add_free(g, a, {w});
          b = add_alloc(g, &bn, {fa});
          last = add_copy(g, nullptr, back, b, {bn});
        } else {
          b = add_alloc(g, &bn, {w});
          last = add_copy(g, nullptr, back, b, {bn});
          last = add_free(g, a, {last});
        }
        add_free(g, b, {last});
        auto x = instantiate(g);
        *back = -1;
        CU(cuGraphLaunch(x, s));
        CU(cuStreamSynchronize(s));
        answer(
            "%s: %s address, the second begins with %s; graph memory used high %llu KiB, reserved "
            "high %llu KiB",
            overlap ? "overlapping (control)" : "one after the other", a == b ? "same" : "other",
            *back == 41 ? "the first one's value" : text("%d", *back).c_str(),
            graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >> 10,
            graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) >> 10);
      }
    })
ROW("graph.alloc_nodes_two_graphs",
    "two graphs with an allocation node each, launched one after the other into one stream, "
    "or into two",
    "guide, graph memory nodes: physical page sharing between graphs of a stream", [] {
      init();
      for (bool two : {false, true}) {
        auto s = stream(), t = two ? stream() : s;
        CUdeviceptr a[2];
        CUgraphExec x[2];
        int* back = pinned();
        for (int i = 0; i < 2; ++i) {
          auto g = graph();
          CUgraphNode n;
          a[i] = add_alloc(g, &n, {}, 32 << 20);
          auto m = i ? add_copy(g, nullptr, back, a[i], {n}) : add_set(g, a[i], 43, {n});
          add_free(g, a[i], {m});
          x[i] = instantiate(g);
        }
        unsigned long long before = graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
        CU(cuGraphLaunch(x[0], s));
        unsigned long long one = graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
        *back = -1;
        CU(cuGraphLaunch(x[1], t));
        CU(cuCtxSynchronize());
        unsigned long long both = graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
        answer("%s: %s address, the second begins with %s; reserved %llu, %llu, %llu MiB",
               two ? "two streams" : "one stream", a[0] == a[1] ? "same" : "other",
               *back == 43 ? "the first one's value" : text("%d", *back).c_str(), before >> 20,
               one >> 20, both >> 20);
        CODE(cuDeviceGraphMemTrim(device));
      }
    })
ROW("graph.alloc_node_launches",
    "An allocation node not freed in the graph: address at the next launch after cuMemFreeAsync; "
    "launch again without a free",
    "cuda.h 19755-19800", [] {
      init();
      auto s = stream();
      auto g = graph();
      CUgraphNode n;
      auto a = add_alloc(g, &n, {});
      add_set(g, a, 44, {n});
      auto x = instantiate(g);
      CU(cuGraphLaunch(x, s));
      CU(cuStreamSynchronize(s));
      auto id = attribute(a, CU_POINTER_ATTRIBUTE_BUFFER_ID);
      answer("second launch without a free: %s", N(CODE(cuGraphLaunch(x, s))));
      CODE(cuStreamSynchronize(s));
      answer("free %s", N(CODE(cuMemFreeAsync(a, s))));
      CUresult l = CODE(cuGraphLaunch(x, s));
      CODE(cuStreamSynchronize(s));
      answer("launch after the free %s, value %d, BUFFER_ID %s", N(l), value(a),
             attribute(a, CU_POINTER_ATTRIBUTE_BUFFER_ID) == id ? "the same" : "another");
    })
// A graph: [setter, if there is one] -> IF handle { counter += 1 }.
ROW("graph.conditional_default",
    "a conditional handle with flags 0, not set in the second launch: which value? And the "
    "first launch without a set?",
    "cuda.h 21568-21569, 1856: the default is applied only with ASSIGN_DEFAULT", [] {
      init();
      auto counted = kernel("add_one");
      CUmodule cm = nullptr;
      CUfunction setter = nullptr;
      std::string why = "no fatbin";
      if (!conditional_image.empty()) {
        CUresult r = CODE(cuModuleLoadData(&cm, conditional_image.data()));
        if (r == 0) r = CODE(cuModuleGetFunction(&setter, cm, "set_condition"));
        if (r == 0 && CODE(cuModuleGetFunction(&counted, cm, "add_one")))
          counted = kernel("add_one");
        if (r) {
          setter = nullptr;
          why = name(r);
        }
      }
      if (!setter)
        answer("setting kernel not there (%s): only launches that set nothing", why.c_str());
      for (int first : {0, 1})
        for (unsigned flags : {0u, unsigned(CU_GRAPH_COND_ASSIGN_DEFAULT)}) {
          auto s = stream();
          auto what = plain(), count = plain();
          CU(cuMemsetD32(count, 0, 1));
          auto g = graph();
          CUgraphConditionalHandle h;
          CU(cuGraphConditionalHandleCreate(&h, g, context, static_cast<unsigned>(first), flags));
          std::vector<CUgraphNode> after;
          if (setter) {
            void* a[] = {&h, &what};
            after.push_back(add_kernel(g, setter, a));
          }
          CUgraphNodeParams np;
          memset(&np, 0, sizeof np);
          np.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
          np.conditional.handle = h;
          np.conditional.type = CU_GRAPH_COND_TYPE_IF;
          np.conditional.size = 1;
          np.conditional.ctx = context;
          CUgraphNode n;
          CU(cuGraphAddNode(&n, g, after.data(), nullptr, after.size(), &np));
          int one = 1;
          void* a[] = {&count, &one};
          add_kernel(np.conditional.phGraph_out[0], counted, a);
          auto x = instantiate(g);
          std::string seen;
          int last = 0;
          for (int set : {-1, 1, -1, -1, 0, -1}) {
            if (!setter && set >= 0) continue;
            CU(cuMemsetD32(what, static_cast<unsigned>(set), 1));
            CU(cuCtxSynchronize());
            CU(cuGraphLaunch(x, s));
            CU(cuStreamSynchronize(s));
            int now = value(count);
            seen += text("%s%s -> %s", seen.empty() ? "" : ", ",
                         set < 0 ? "no set"
                         : set   ? "set 1"
                                 : "set 0",
                         now > last ? "ran" : "skipped");
            last = now;
          }
          answer("default %d, flags %s: %s", first, flags ? "ASSIGN_DEFAULT" : "0", seen.c_str());
        }
    })
