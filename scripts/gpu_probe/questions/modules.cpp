// SPDX-License-Identifier: Apache-2.0
// Modules that are unloaded while their kernels are in use.
#include "gate.h"
#include "row.h"

ROW("module.unload_queued",
    "cuModuleUnload with a launch of its kernel queued: does it wait, and what becomes of the "
    "launch?",
    "cuda.h 7449-7455: says nothing about work in flight", [] {
      init();
      kernel("add_one");
      CUmodule m;
      CUfunction f;
      CU(cuModuleLoadData(&m, kernels_image.data()));
      CU(cuModuleGetFunction(&f, m, "add_one"));
      auto p = plain();
      CU(cuMemsetD32(p, 1, 1));
      auto s = stream();
      int n = 1;
      void* a[] = {&p, &n};
      launch_one(f, s, a);
      CU(cuStreamSynchronize(s));
      Gate& g = *new Gate;
      g.close_by_host(s);
      launch_one(f, s, a);
      answer("%s", waits(g, [=] { return CODE(cuModuleUnload(m)); }).c_str());
      CUresult r = CODE(cuStreamSynchronize(s));
      int v = -1;
      CUresult c = CODE(cuMemcpyDtoH(&v, p, 4));
      answer("then the stream says %s, the value is %d (3 = the launch ran; read: %s)", N(r), v,
             N(c));
    })
ROW("module.unload_running", "cuModuleUnload with its kernel running", "cuda.h 7449-7455", [] {
  init();
  kernel("spin");
  CUmodule m;
  CUfunction f;
  CU(cuModuleLoadData(&m, kernels_image.data()));
  CU(cuModuleGetFunction(&f, m, "spin"));
  auto p = plain();
  auto s = stream();
  Gate& g = *new Gate;
  unsigned long long ns = 2000000000ull;
  int v = 9;
  void* a[] = {&g.flag, &ns, &p, &v};
  launch_one(f, s, a);
  nap(20);
  answer("%s", waits(g, [=] { return CODE(cuModuleUnload(m)); }).c_str());
  CUresult r = CODE(cuStreamSynchronize(s));
  int w = -1;
  CODE(cuMemcpyDtoH(&w, p, 4));
  answer("then the stream says %s, the value is %d (9 = it ran)", N(r), w);
})
ROW("module.graph_of_unloaded", "A graph's kernel node, its module unloaded before the launch",
    "cuda.h cuModuleUnload", [] {
      init();
      kernel("add_one");
      CUmodule m;
      CUfunction f;
      CU(cuModuleLoadData(&m, kernels_image.data()));
      CU(cuModuleGetFunction(&f, m, "add_one"));
      auto p = plain();
      CU(cuMemsetD32(p, 1, 1));
      int n = 1;
      void* a[] = {&p, &n};
      auto g = graph();
      add_kernel(g, f, a);
      auto x = instantiate(g);
      CU(cuModuleUnload(m));
      auto s = stream();
      CUresult l = CODE(cuGraphLaunch(x, s));
      CUresult r = CODE(cuStreamSynchronize(s));
      answer("launch %s, stream %s", N(l), N(r));
      answer("value %d (2 = it ran)", value(p));
    })
