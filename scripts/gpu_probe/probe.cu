// SPDX-License-Identifier: Apache-2.0
// Ready-to-run probes for the open questions, for a machine with an H200. Each probe runs in its
// own child with a time limit.
#include <cuda.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#define CU(x)                           \
  do {                                  \
    CUresult r_ = (x);                  \
    if (r_) {                           \
      const char* n_ = "?";             \
      cuGetErrorName(r_, &n_);          \
      printf("    %s -> %s\n", #x, n_); \
      fflush(stdout);                   \
      return 1;                         \
    }                                   \
  } while (0)
__global__ void add_one(int* a) { *a += 1; }
static CUfunction fn(const void* host) {
  cudaFunction_t f;
  if (cudaGetFuncBySymbol(&f, host)) return nullptr;
  return (CUfunction)f;
}
static int init() {
  CU(cuInit(0));
  CUdevice d;
  CUcontext c;
  CU(cuDeviceGet(&d, 0));
  CU(cuDevicePrimaryCtxRetain(&c, d));
  CU(cuCtxSetCurrent(c));
  return 0;
}
static unsigned long long bufid(CUdeviceptr p) {
  unsigned long long v = 0;
  CUresult r = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_BUFFER_ID, p);
  return r ? ~0ull - r : v;
}
static unsigned long long blkid(CUdeviceptr p) {
  unsigned long long v = 0;
  CUresult r = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, p);
  return r ? ~0ull - r : v;
}
static int attrs() {
  if (init()) return 1;
  int v;
  for (int a : {92, 93, 94, 122, 123, 115, 98}) {
    v = -1;
    cuDeviceGetAttribute(&v, (CUdevice_attribute)a, 0);
    printf("    attr %d = %d\n", a, v);
  }
  return 0;
}
static int aba(bool pool) {
  if (init()) return 1;
  CUstream s;
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CUdeviceptr p, q;
  auto al = [&](CUdeviceptr* x) {
    return pool ? cuMemAllocAsync(x, 4096, s) : cuMemAlloc(x, 4096);
  };
  auto fr = [&](CUdeviceptr x) { return pool ? cuMemFreeAsync(x, s) : cuMemFree(x); };
  CU(al(&p));
  CU(cuStreamSynchronize(s));
  auto b0 = bufid(p), k0 = blkid(p);
  CU(fr(p));
  CU(cuStreamSynchronize(s));
  auto bf = bufid(p);
  CU(al(&q));
  CU(cuStreamSynchronize(s));
  auto b1 = bufid(q), k1 = blkid(q);
  printf(
      "    same address=%d  BUFFER_ID before=%llu after free=%lld after realloc=%llu  BLOCK_ID "
      "%llu -> %llu  => ABA visible through BUFFER_ID: %s\n",
      p == q, b0, (long long)bf, b1, k0, k1,
      p != q     ? "n/a"
      : b0 != b1 ? "YES"
                 : "NO");
  return 0;
}
static int graph_aba() {
  if (init()) return 1;
  CUstream s;
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CUdeviceptr p, q;
  CU(cuMemAllocAsync(&p, 4, s));
  CU(cuStreamSynchronize(s));
  CUgraph g;
  CU(cuGraphCreate(&g, 0));
  CUDA_KERNEL_NODE_PARAMS k;
  memset(&k, 0, sizeof k);
  k.func = fn((const void*)add_one);
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  void* a[] = {&p};
  k.kernelParams = a;
  CUgraphNode n;
  CU(cuGraphAddKernelNode(&n, g, nullptr, 0, &k));
  size_t off, sz;
  CU(cuFuncGetParamInfo(k.func, 0, &off, &sz));
  CUDA_KERNEL_NODE_PARAMS o;
  CU(cuGraphKernelNodeGetParams(n, &o));
  CUdeviceptr held;
  memcpy(&held, o.kernelParams[0], 8);
  printf("    cuFuncGetParamInfo off=%zu size=%zu; node holds %#llx (alloc %#llx)\n", off, sz, held,
         p);
  CU(cuMemFreeAsync(p, s));
  CU(cuStreamSynchronize(s));
  CU(cuMemAllocAsync(&q, 4, s));
  int seven = 7, r = 0;
  CU(cuMemcpyHtoDAsync(q, &seven, 4, s));
  CUgraphExec x;
  CU(cuGraphInstantiate(&x, g, 0));
  CU(cuGraphLaunch(x, s));
  CU(cuStreamSynchronize(s));
  CU(cuMemcpyDtoH(&r, q, 4));
  printf("    recycled=%d innocent buffer %d (want 7): silent corruption=%d\n", p == q, r, r != 7);
  return 0;
}
static int gate(bool from_thread) {
  if (init()) return 1;
  unsigned* h;
  CU(cuMemHostAlloc((void**)&h, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  *h = 0;
  CUdeviceptr d;
  CU(cuMemHostGetDevicePointer(&d, h, 0));
  CUstream s, t;
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  CUdeviceptr p;
  CU(cuMemAlloc(&p, 8));
  CU(cuMemsetD32(p, 0, 2));
  std::thread th;
  if (from_thread)
    th = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      *(volatile unsigned*)h = 1;
    });
  CU(cuStreamWaitValue32(s, d, 1, CU_STREAM_WAIT_VALUE_GEQ));
  void* a[] = {&p};
  auto t0 = std::chrono::steady_clock::now();
  CU(cuLaunchKernel(fn((const void*)add_one), 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
  double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
  CUdeviceptr p2 = p + 4;
  void* b[] = {&p2};
  CU(cuLaunchKernel(fn((const void*)add_one), 1, 1, 1, 1, 1, 1, 0, t, b, nullptr));
  CU(cuStreamSynchronize(t));
  CUresult q = cuStreamQuery(s);
  printf(
      "    gated launch returned in %.2f ms; other stream ran; gated stream query=%d (600 = still "
      "waiting: gate holds)\n",
      ms, q);
  if (!from_thread) *(volatile unsigned*)h = 1;
  CU(cuStreamSynchronize(s));
  if (th.joinable()) th.join();
  printf("    gate opened, stream finished\n");
  return 0;
}
static int gate_capture() {
  if (init()) return 1;
  unsigned* h;
  CU(cuMemHostAlloc((void**)&h, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  *h = 0;
  CUdeviceptr d;
  CU(cuMemHostGetDevicePointer(&d, h, 0));
  CUstream s;
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUresult r = cuStreamWaitValue32(s, d, 1, CU_STREAM_WAIT_VALUE_GEQ);
  const char* nm = "?";
  cuGetErrorName(r, &nm);
  printf("    wait-value under capture: %s\n", nm);
  CUgraph g;
  CU(cuStreamEndCapture(s, &g));
  size_t n = 0;
  CU(cuGraphGetNodes(g, nullptr, &n));
  printf("    captured nodes: %zu\n", n);
  return 0;
}
struct Sh {
  CUipcMemHandle h;
  volatile int stage;
};
static int ipc_two() {
  auto* sh = (Sh*)mmap(nullptr, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t c = fork();
  if (!c) {
    while (sh->stage != 1) usleep(100);
    if (init()) _exit(1);
    CUdeviceptr q;
    CUresult r = cuIpcOpenMemHandle(&q, sh->h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    const char* n = "?";
    cuGetErrorName(r, &n);
    printf("    importer process: %s\n", n);
    fflush(stdout);
    sh->stage = 2;
    while (sh->stage != 3) usleep(100);
    int v = 0;
    CUresult rr = r ? r : cuMemcpyDtoH(&v, q, 4);
    cuGetErrorName(rr, &n);
    printf("    importer reads after exporter freed: %s value=%d\n", n, v);
    fflush(stdout);
    _exit(0);
  }
  if (init()) return 1;
  CUdeviceptr p;
  CU(cuMemAlloc(&p, 4096));
  CU(cuMemsetD32(p, 42, 1024));
  CU(cuIpcGetMemHandle(&sh->h, p));
  CUdeviceptr self;
  CUresult r = cuIpcOpenMemHandle(&self, sh->h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  const char* n = "?";
  cuGetErrorName(r, &n);
  printf("    open in the exporting process: %s\n", n);
  fflush(stdout);
  sh->stage = 1;
  while (sh->stage != 2) usleep(100);
  CUipcMemHandle h1 = sh->h;
  CU(cuMemFree(p));
  CUdeviceptr q;
  CU(cuMemAlloc(&q, 4096));
  CU(cuMemsetD32(q, 99, 1024));
  CUipcMemHandle h2;
  CU(cuIpcGetMemHandle(&h2, q));
  printf("    realloc same address=%d, handle bytes equal=%d\n", p == q,
         !memcmp(&h1, &h2, sizeof h1));
  fflush(stdout);
  sh->stage = 3;
  waitpid(c, nullptr, 0);
  return 0;
}
int main(int argc, char** argv) {
  std::string only = argc > 1 ? argv[1] : "";
  struct {
    const char* n;
    std::function<int()> f;
  } t[] = {{"attrs", attrs},
           {"aba_pool", [] { return aba(true); }},
           {"aba_malloc", [] { return aba(false); }},
           {"graph_aba", graph_aba},
           {"gate_host", [] { return gate(false); }},
           {"gate_thread", [] { return gate(true); }},
           {"gate_capture", gate_capture},
           {"ipc_two", ipc_two}};
  for (auto& p : t) {
    if (!only.empty() && only != p.n) continue;
    printf("%s:\n", p.n);
    fflush(stdout);
    pid_t c = fork();
    if (!c) {
      alarm(30);
      int r = p.f();
      fflush(stdout);
      _exit(r);
    }
    int st;
    waitpid(c, &st, 0);
    printf("    [%s] %s %d\n", p.n, WIFSIGNALED(st) ? "signal" : "exit",
           WIFSIGNALED(st) ? WTERMSIG(st) : WEXITSTATUS(st));
    fflush(stdout);
  }
}
