// What CUDA's documentation leaves open, asked of the driver: one row per question, each in a child
// of its own with a deadline, so that a hang or a crash is an answer. Built without a driver
// (libcuda.so.1 is opened at run time); CUDA 13's cuda.h, documented calls only. Usage: may [--only
// PART] [--list] [--kernels FILE] [--conditional FILE] [--out FOLDER] [--budget SECONDS] [--jobs N]
// [--self-test]
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

// ---- the driver, each call with its newest symbol by cuda.h's own macros
struct Stop {
  std::string why;
};
template <class F>
struct Call;
template <class... P>
struct Call<CUresult(P...)> {
  CUresult (*at)(P...) = nullptr;
  const char* name = "";
  CUresult operator()(P... p) const;
};
#define FUNCTIONS(F)                                                                               \
  F(cuInit)                                                                                        \
  F(cuDriverGetVersion)                                                                            \
  F(cuDeviceGet)                                                                                   \
  F(cuDeviceGetCount)                                                                              \
  F(cuDeviceGetName)                                                                               \
  F(cuDeviceGetAttribute) F(cuDevicePrimaryCtxRetain) F(cuDeviceGetGraphMemAttribute) F(           \
      cuDeviceGraphMemTrim) F(cuCtxCreate) F(cuCtxSetCurrent) F(cuCtxSynchronize) F(cuCtxSetLimit) \
      F(cuGetErrorName) F(cuModuleLoadData) F(cuModuleUnload) F(cuModuleGetFunction) F(            \
          cuLibraryLoadData) F(cuLibraryUnload) F(cuFuncGetAttribute) F(cuFuncSetAttribute)        \
          F(cuMemAlloc) F(cuMemFree) F(cuMemAllocHost) F(cuMemFreeHost) F(cuMemAllocManaged) F(    \
              cuMemHostRegister) F(cuMemHostUnregister) F(cuMemGetInfo) F(cuMemGetAddressRange)    \
              F(cuPointerGetAttribute) F(cuMemAllocAsync) F(cuMemFreeAsync) F(                     \
                  cuMemAllocFromPoolAsync) F(cuMemPoolCreate) F(cuMemPoolDestroy)                  \
                  F(cuMemPoolTrimTo) F(cuMemPoolGetAttribute) F(cuMemPoolSetAttribute) F(          \
                      cuDeviceGetDefaultMemPool) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemcpyDtoD)   \
                      F(cuMemcpyHtoDAsync) F(cuMemcpyDtoHAsync) F(cuMemcpyDtoDAsync) F(            \
                          cuMemsetD32) F(cuMemsetD32Async) F(cuStreamCreate) F(cuStreamDestroy)    \
                          F(cuStreamQuery) F(cuStreamSynchronize) F(cuStreamWaitEvent) F(          \
                              cuStreamWaitValue32) F(cuStreamBeginCapture) F(cuStreamEndCapture)   \
                              F(cuStreamIsCapturing) F(cuEventCreate) F(cuEventDestroy) F(         \
                                  cuEventRecord) F(cuEventQuery) F(cuEventSynchronize)             \
                                  F(cuLaunchKernel) F(cuLaunchHostFunc) F(cuGraphCreate) F(        \
                                      cuGraphDestroy) F(cuGraphInstantiate) F(cuGraphLaunch)       \
                                      F(cuGraphExecDestroy) F(cuGraphExecUpdate) F(                \
                                          cuGraphAddKernelNode) F(cuGraphAddMemcpyNode)            \
                                          F(cuGraphAddMemsetNode) F(cuGraphAddEmptyNode) F(        \
                                              cuGraphAddEventRecordNode) F(cuGraphAddMemAllocNode) \
                                              F(cuGraphAddMemFreeNode) F(cuGraphAddNode)           \
                                                  F(cuGraphConditionalHandleCreate)                \
                                                      F(cuGraphExecMemsetNodeSetParams)            \
                                                          F(cuGraphRetainUserObject) F(            \
                                                              cuGraphReleaseUserObject)            \
                                                              F(cuUserObjectCreate) F(             \
                                                                  cuUserObjectRelease)             \
                                                                  F(cuIpcGetMemHandle) F(          \
                                                                      cuIpcOpenMemHandle)          \
                                                                      F(cuIpcCloseMemHandle) F(    \
                                                                          cuIpcGetEventHandle)     \
                                                                          F(cuIpcOpenEventHandle)
struct Driver {
#define DECLARE(f) Call<decltype(::f)> f;
  FUNCTIONS(DECLARE)
} cu;
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
static bool open_driver() {
  void* lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!lib) {
    fprintf(stderr, "%s\n", dlerror());
    return false;
  }
#define LOAD(f)        \
  cu.f.name = TEXT(f); \
  cu.f.at = reinterpret_cast<decltype(cu.f.at)>(dlsym(lib, TEXT(f)));
  FUNCTIONS(LOAD)
  return true;
}

// ---- what a row says, in memory that the parent still has when the child is gone
struct Page {
  std::atomic_flag busy;
  char answer[6000], detail[12000], step[200];
  bool failed;
  std::atomic<int> stage;
  CUipcMemHandle memory[4096];
  CUipcEventHandle event[2];
  unsigned long long words[64];
};
static Page* page;
static void append(char* to, size_t size, const char* between, const char* format, va_list list) {
  while (page->busy.test_and_set()) usleep(10);
  size_t n = strlen(to);
  if (n && n + 3 < size) n += static_cast<size_t>(snprintf(to + n, size - n, "%s", between));
  if (n < size) vsnprintf(to + n, size - n, format, list);
  page->busy.clear();
}
__attribute__((format(printf, 1, 2))) static void answer(const char* f, ...) {
  va_list l;
  va_start(l, f);
  append(page->answer, sizeof page->answer, "; ", f, l);
  va_end(l);
}
__attribute__((format(printf, 1, 2))) static void detail(const char* f, ...) {
  va_list l;
  va_start(l, f);
  append(page->detail, sizeof page->detail, "; ", f, l);
  va_end(l);
}
__attribute__((format(printf, 1, 2))) static std::string text(const char* f, ...) {
  char b[1000];
  va_list l;
  va_start(l, f);
  vsnprintf(b, sizeof b, f, l);
  va_end(l);
  return b;
}
template <class... P>
CUresult Call<CUresult(P...)>::operator()(P... p) const {
  if (!at) throw Stop{std::string("the driver has no ") + name};
  return at(p...);
}
static std::string name(CUresult r) {
  const char* n = nullptr;
  if (cu.cuGetErrorName.at) cu.cuGetErrorName.at(r, &n);
  std::string s = n ? n : text("code %d", r);
  return r == 0 ? "ok" : s.rfind("CUDA_ERROR_", 0) == 0 ? s.substr(11) + text("(%d)", r) : s;
}
static const char* N(CUresult r) {
  static thread_local std::string kept[8];
  static thread_local int i;
  std::string& s = kept[i++ % 8];
  s = name(r);
  return s.c_str();
}
#define CU(x)                                                \
  do {                                                       \
    snprintf(page->step, sizeof page->step, "%s", #x);       \
    CUresult r_ = cu.x;                                      \
    if (r_) throw Stop{std::string(#x) + " -> " + name(r_)}; \
  } while (0)
#define CODE(x) (snprintf(page->step, sizeof page->step, "%s", #x), cu.x)

using Clock = std::chrono::steady_clock;
static double ms(Clock::time_point from, Clock::time_point to = Clock::now()) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}
static void nap(double milliseconds) { usleep(static_cast<useconds_t>(milliseconds * 1000)); }
static long tid() { return syscall(SYS_gettid); }

// ---- the device, kernels, small things
static std::string kernels_image, conditional_image;
static CUcontext context;
static CUdevice device;
static CUmodule module_;
static void init() {
  CU(cuInit(0));
  CU(cuDeviceGet(&device, 0));
  CU(cuDevicePrimaryCtxRetain(&context, device));
  CU(cuCtxSetCurrent(context));
}
static CUfunction kernel(const char* f) {
  if (kernels_image.empty()) throw Stop{"no kernel: no fatbin"};
  if (!module_)
    if (CUresult r = CODE(cuModuleLoadData(&module_, kernels_image.data()))) {
      module_ = nullptr;
      throw Stop{"no kernel: cuModuleLoadData -> " + name(r)};
    }
  CUfunction k;
  if (CUresult r = CODE(cuModuleGetFunction(&k, module_, f)))
    throw Stop{std::string("no kernel: ") + f + " -> " + name(r)};
  return k;
}
static CUfunction find(const char* f) {
  try {
    return kernel(f);
  } catch (Stop&) {
    return nullptr;
  }
}
static CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream s;
  CU(cuStreamCreate(&s, flags));
  return s;
}
static CUdeviceptr plain(size_t n = 4096) {
  CUdeviceptr p;
  CU(cuMemAlloc(&p, n));
  return p;
}
template <class T = int>
static T* pinned(size_t n = 4096) {
  void* h;
  CU(cuMemAllocHost(&h, n));
  memset(h, 0, n);
  return static_cast<T*>(h);
}
static CUevent event(unsigned flags = CU_EVENT_DISABLE_TIMING) {
  CUevent e;
  CU(cuEventCreate(&e, flags));
  return e;
}
static CUgraph graph() {
  CUgraph g;
  CU(cuGraphCreate(&g, 0));
  return g;
}
static CUgraphExec instantiate(CUgraph g) {
  CUgraphExec x;
  CU(cuGraphInstantiate(&x, g, 0));
  return x;
}
static CUDA_MEMSET_NODE_PARAMS set_params(CUdeviceptr p, unsigned value, size_t words = 1) {
  CUDA_MEMSET_NODE_PARAMS m;
  memset(&m, 0, sizeof m);
  m.dst = p;
  m.value = value;
  m.elementSize = 4;
  m.width = words;
  m.height = 1;
  return m;
}
static CUgraphNode add_set(CUgraph g, CUdeviceptr p, unsigned value,
                           std::vector<CUgraphNode> after = {}) {
  auto m = set_params(p, value);
  CUgraphNode n;
  CU(cuGraphAddMemsetNode(&n, g, after.data(), after.size(), &m, context));
  return n;
}
static CUgraphNode add_copy(CUgraph g, const void* host_from, void* host_to, CUdeviceptr p,
                            std::vector<CUgraphNode> after = {}) {
  CUDA_MEMCPY3D c;
  memset(&c, 0, sizeof c);
  c.WidthInBytes = 4;
  c.Height = c.Depth = 1;
  if (host_from) {
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host_from;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = p;
  } else {
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = p;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = host_to;
  }
  CUgraphNode n;
  CU(cuGraphAddMemcpyNode(&n, g, after.data(), after.size(), &c, context));
  return n;
}
static CUgraphNode add_kernel(CUgraph g, CUfunction f, void** a,
                              std::vector<CUgraphNode> after = {}) {
  CUDA_KERNEL_NODE_PARAMS k;
  memset(&k, 0, sizeof k);
  k.func = f;
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = a;
  CUgraphNode n;
  CU(cuGraphAddKernelNode(&n, g, after.data(), after.size(), &k));
  return n;
}
static void launch_one(CUfunction f, CUstream s, void** a) {
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
}
static void add_one(CUstream s, CUdeviceptr p) {
  int n = 1;
  void* a[] = {&p, &n};
  launch_one(kernel("add_one"), s, a);
}
static int value(CUdeviceptr p) {
  int v = -1;
  CU(cuMemcpyDtoH(&v, p, 4));
  return v;
}
static CUmemoryPool pool() {
  CUmemPoolProps q;
  memset(&q, 0, sizeof q);
  q.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  q.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool p;
  CU(cuMemPoolCreate(&p, &q));
  cuuint64_t all = ~0ull;
  CU(cuMemPoolSetAttribute(p, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
  return p;
}
static unsigned long long attribute(CUdeviceptr p, CUpointer_attribute a,
                                    CUresult* code = nullptr) {
  unsigned long long v = 0;
  CUresult r = CODE(cuPointerGetAttribute(&v, a, p));
  if (code) *code = r;
  return v;
}

// A gate keeps a stream busy until it is opened, or 2 s have passed: a kernel that spins, or a host
// function that waits. Where host functions run inside cuLaunchHostFunc, a wait for a value in
// memory.
struct Gate {
  unsigned* flag;
  std::atomic<bool> opened{false}, started{false}, gave_up{false}, inside{false};
  std::atomic<long> thread{0};
  Clock::time_point when;
  const char* by = "host function";
  static Gate*& launching() {
    static thread_local Gate* g;
    return g;
  }
  Gate() : flag(pinned<unsigned>(64)) {}
  static void CUDA_CB hold(void* self) {
    Gate& g = *static_cast<Gate*>(self);
    g.thread = tid();
    g.started = true;
    if (launching() == &g) {
      g.inside = true;
      return;
    }
    auto from = Clock::now();
    while (!g.opened) {
      if (ms(from) > 2000) {
        g.gave_up = true;
        return;
      }
      usleep(50);
    }
  }
  void close_by_host(CUstream s, bool only = false) {
    launching() = this;
    CUresult r = CODE(cuLaunchHostFunc(s, hold, this));
    launching() = nullptr;
    if (r) throw Stop{"cuLaunchHostFunc -> " + name(r)};
    if (!inside) {
      wait_started();
      return;
    }
    if (only)
      throw Stop{"not asked: host functions run on the caller's thread inside cuLaunchHostFunc"};
    static bool told = false;
    if (!told)
      detail(
          "host functions run inside cuLaunchHostFunc here, so the gate is a cuStreamWaitValue32");
    told = true;
    by = "stream wait";
    CU(cuStreamWaitValue32(s, reinterpret_cast<CUdeviceptr>(flag), 1, CU_STREAM_WAIT_VALUE_EQ));
  }
  void close_by_kernel(CUstream s, CUdeviceptr p = 0, int v = 0) {
    unsigned long long ns = 2000000000ull;
    void* a[] = {&flag, &ns, &p, &v};
    launch_one(kernel("spin"), s, a);
    by = "kernel";
    nap(20);
  }
  void close(CUstream s) {
    if (find("spin"))
      close_by_kernel(s);
    else
      close_by_host(s);
  }
  void wait_started() {
    auto from = Clock::now();
    while (!started && ms(from) < 500) usleep(100);
    if (!started) detail("the host function had not started after 500 ms");
  }
  void open() {
    if (opened) return;
    when = Clock::now();
    *reinterpret_cast<volatile unsigned*>(flag) = 1;
    opened = true;
  }
  const char* kind() const { return by; }
};
struct Later {
  std::atomic<bool> off{false};
  std::thread t;
  Later(Gate& g, double after)
      : t([&g, after, this] {
          auto from = Clock::now();
          while (!off && ms(from) < after) usleep(200);
          g.open();
        }) {}
  ~Later() {
    off = true;
    t.join();
  }
};

// Does the call return while the gate is closed? It opens 300 ms later in any case.
static std::string waits(Gate& g, const std::function<CUresult()>& call) {
  Later later(g, 300);
  auto from = Clock::now();
  CUresult r = call();
  double took = ms(from);
  bool early = !g.opened;
  return text("%s (%s, %.3f ms)", early ? "does not wait" : "waits", N(r), took);
}

struct Row {
  std::string id, question, doc;
  std::function<void()> run;
  int seconds = 5;
  bool beside = false;
};
static std::vector<Row> rows;
struct Add {
  Add(std::string id, std::string question, std::string doc, std::function<void()> run,
      int seconds = 5, bool beside = false) {
    rows.push_back({id, question, doc, run, seconds, beside});
  }
};

// ---- calls that are asked in two ways: during a capture, and while the device or a host function
// is busy
struct World {
  CUstream s1 = stream(), s2 = stream();
  CUdeviceptr p = plain();
  CUdeviceptr pooled() {
    CUdeviceptr q;
    CU(cuMemAllocAsync(&q, 4096, s2));
    CU(cuStreamSynchronize(s2));
    return q;
  }
  CUevent done() {
    CUevent e = event();
    CU(cuEventRecord(e, s2));
    CU(cuStreamSynchronize(s2));
    return e;
  }
  CUmodule module() {
    kernel("add_one");
    CUmodule m;
    CU(cuModuleLoadData(&m, kernels_image.data()));
    return m;
  }
  CUgraphExec exec() {
    CUgraph g = graph();
    add_set(g, p, 1);
    CUgraphExec x = instantiate(g);
    CU(cuGraphLaunch(x, s2));
    CU(cuStreamSynchronize(s2));
    return x;
  }
};
using Act = std::function<CUresult()>;
enum Where { anywhere, capture_only, busy_only };
struct Asked {
  std::string name, doc;
  std::function<Act(World&)> prepare;
  Where where = anywhere;
};
static void CUDA_CB nothing(void*) {}
static std::vector<Asked> asked() {
  std::vector<Asked> t;
#define ASK(n, doc, ...)             \
  t.push_back({n, doc,               \
               [](World& w) -> Act { \
                 (void)w;            \
                 __VA_ARGS__         \
               },                    \
               anywhere});
#define ASK_IN(where, n, doc, ...)   \
  t.push_back({n, doc,               \
               [](World& w) -> Act { \
                 (void)w;            \
                 __VA_ARGS__         \
               },                    \
               where});
  ASK(
      "cuMemAlloc", "cuda.h cuMemAlloc; 15442-15467", return [] {
        CUdeviceptr q;
        return CODE(cuMemAlloc(&q, 4096));
      };)
  ASK(
      "cuMemAlloc/64MiB", "cuda.h cuMemAlloc", return [] {
        CUdeviceptr q;
        return CODE(cuMemAlloc(&q, 64 << 20));
      };)
  ASK(
      "cuMemFree", "cuda.h 8684: \"may perform implicit synchronization\"", auto q = plain();
      return [q] { return CODE(cuMemFree(q)); };)
  ASK(
      "cuMemFree/of_pool_memory", "cuda.h 8680: no implicit synchronization", auto q = w.pooled();
      return [q] { return CODE(cuMemFree(q)); };)
  ASK(
      "cuMemAllocHost", "cuda.h cuMemAllocHost", return [] {
        void* h;
        return CODE(cuMemAllocHost(&h, 4096));
      };)
  ASK(
      "cuMemFreeHost", "cuda.h 8795-8801", auto h = pinned();
      return [h] { return CODE(cuMemFreeHost(h)); };)
  ASK(
      "cuMemHostRegister", "cuda.h cuMemHostRegister", void* h = aligned_alloc(4096, 4096);
      return [h] { return CODE(cuMemHostRegister(h, 4096, 0)); };)
  ASK(
      "cuMemHostUnregister", "cuda.h cuMemHostUnregister", void* h = aligned_alloc(4096, 4096);
      CU(cuMemHostRegister(h, 4096, 0)); return [h] { return CODE(cuMemHostUnregister(h)); };)
  ASK(
      "cuMemAllocAsync", "cuda.h 13324", return [s = w.s2] {
        CUdeviceptr q;
        return CODE(cuMemAllocAsync(&q, 4096, s));
      };)
  ASK(
      "cuMemAllocAsync/64MiB", "cuda.h 13324", return [s = w.s2] {
        CUdeviceptr q;
        return CODE(cuMemAllocAsync(&q, 64 << 20, s));
      };)
  ASK(
      "cuMemFreeAsync", "cuda.h cuMemFreeAsync", auto q = w.pooled();
      return [q, s = w.s2] { return CODE(cuMemFreeAsync(q, s)); };)
  ASK_IN(
      capture_only, "cuMemFreeAsync/into_the_capture", "cuda.h 19755-19800", auto q = w.pooled();
      return [q, s = w.s1] { return CODE(cuMemFreeAsync(q, s)); };)
  ASK(
      "cuMemGetInfo", "cuda.h cuMemGetInfo", return [] {
        size_t a, b;
        return CODE(cuMemGetInfo(&a, &b));
      };)
  ASK(
      "cuMemGetAddressRange", "cuda.h cuMemGetAddressRange", return [p = w.p] {
        CUdeviceptr b;
        size_t n;
        return CODE(cuMemGetAddressRange(&b, &n, p));
      };)
  ASK(
      "cuPointerGetAttribute", "cuda.h cuPointerGetAttribute", return [p = w.p] {
        unsigned long long v;
        return CODE(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
      };)
  ASK(
      "cuMemPoolCreate", "cuda.h cuMemPoolCreate", return [] {
        CUmemPoolProps q;
        memset(&q, 0, sizeof q);
        q.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        q.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        CUmemoryPool m;
        return CODE(cuMemPoolCreate(&m, &q));
      };)
  ASK(
      "cuMemPoolDestroy", "cuda.h cuMemPoolDestroy", auto m = pool();
      return [m] { return CODE(cuMemPoolDestroy(m)); };)
  ASK(
      "cuMemPoolTrimTo", "cuda.h cuMemPoolTrimTo", auto m = pool();
      return [m] { return CODE(cuMemPoolTrimTo(m, 0)); };)
  ASK(
      "cuMemPoolGetAttribute", "cuda.h cuMemPoolGetAttribute; 15442-15467", auto m = pool();
      return [m] {
        cuuint64_t v;
        return CODE(cuMemPoolGetAttribute(m, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &v));
      };)
  ASK(
      "cuMemPoolSetAttribute", "cuda.h cuMemPoolSetAttribute; 15442-15467", auto m = pool();
      return [m] {
        cuuint64_t v = 0;
        return CODE(cuMemPoolSetAttribute(m, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
      };)
  ASK(
      "cuDeviceGetAttribute", "cuda.h cuDeviceGetAttribute", return [] {
        int v;
        return CODE(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
      };)
  ASK(
      "cuEventCreate", "cuda.h cuEventCreate", return [] {
        CUevent e;
        return CODE(cuEventCreate(&e, 0));
      };)
  ASK(
      "cuEventDestroy", "cuda.h 16109-16112", auto e = w.done();
      return [e] { return CODE(cuEventDestroy(e)); };)
  ASK(
      "cuEventQuery", "cuda.h cuEventQuery; 15463-15466", auto e = w.done();
      return [e] { return CODE(cuEventQuery(e)); };)
  ASK(
      "cuEventSynchronize", "cuda.h cuEventSynchronize", auto e = w.done();
      return [e] { return CODE(cuEventSynchronize(e)); };)
  ASK(
      "cuEventRecord", "cuda.h cuEventRecord", auto e = event();
      return [e, s = w.s2] { return CODE(cuEventRecord(e, s)); };)
  ASK_IN(
      capture_only, "cuStreamWaitEvent/into_the_capture", "cuda.h cuStreamWaitEvent",
      auto e = w.done();
      return [e, s = w.s1] { return CODE(cuStreamWaitEvent(s, e, 0)); };)
  ASK(
      "cuStreamCreate", "cuda.h cuStreamCreate", return [] {
        CUstream s;
        return CODE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
      };)
  ASK(
      "cuStreamDestroy", "cuda.h cuStreamDestroy", auto s = stream();
      return [s] { return CODE(cuStreamDestroy(s)); };)
  ASK_IN(
      busy_only, "cuStreamDestroy/of_the_busy_one",
      "cuda.h 15802-15805: \"will return immediately\"",
      return [s = w.s1] { return CODE(cuStreamDestroy(s)); };)
  ASK(
      "cuStreamQuery", "cuda.h cuStreamQuery",
      return [s = w.s2] { return CODE(cuStreamQuery(s)); };)
  ASK(
      "cuStreamQuery/of_the_same_stream", "cuda.h cuStreamQuery",
      return [s = w.s1] { return CODE(cuStreamQuery(s)); };)
  ASK(
      "cuStreamSynchronize", "cuda.h cuStreamSynchronize",
      return [s = w.s2] { return CODE(cuStreamSynchronize(s)); };)
  ASK(
      "cuStreamWaitEvent", "cuda.h cuStreamWaitEvent", auto e = w.done();
      return [e, s = w.s2] { return CODE(cuStreamWaitEvent(s, e, 0)); };)
  ASK(
      "cuCtxSynchronize", "cuda.h cuCtxSynchronize",
      return [] { return CODE(cuCtxSynchronize()); };)
  ASK(
      "cuCtxSetLimit", "cuda.h cuCtxSetLimit",
      return [] { return CODE(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20)); };)
  ASK(
      "cuMemcpyHtoD", "cuda.h cuMemcpyHtoD", return [p = w.p] {
        int v = 1;
        return CODE(cuMemcpyHtoD(p, &v, 4));
      };)
  ASK(
      "cuMemcpyDtoD", "cuda.h cuMemcpyDtoD",
      return [p = w.p] { return CODE(cuMemcpyDtoD(p, p + 8, 4)); };)
  ASK(
      "cuMemcpyHtoDAsync/pinned", "cuda.h cuMemcpyHtoDAsync", auto h = pinned();
      return [p = w.p, h, s = w.s2] { return CODE(cuMemcpyHtoDAsync(p, h, 4, s)); };)
  ASK(
      "cuMemcpyHtoDAsync/pageable", "cuda.h cuMemcpyHtoDAsync", return [p = w.p, s = w.s2] {
        static int v = 1;
        return CODE(cuMemcpyHtoDAsync(p, &v, 4, s));
      };)
  ASK_IN(
      busy_only, "cuMemcpyHtoDAsync/pageable_on_the_busy_stream",
      "cuda.h cuMemcpyHtoDAsync; API synchronization behavior", return [p = w.p, s = w.s1] {
        static int v = 1;
        return CODE(cuMemcpyHtoDAsync(p, &v, 4, s));
      };)
  ASK_IN(
      busy_only, "cuMemcpyHtoDAsync/pageable_1MiB_on_the_busy_stream",
      "cuda.h cuMemcpyHtoDAsync; API synchronization behavior", auto q = plain(1 << 20);
      return [q, s = w.s1] {
        static char v[1 << 20];
        return CODE(cuMemcpyHtoDAsync(q, v, sizeof v, s));
      };)
  ASK_IN(
      busy_only, "cuMemcpyDtoHAsync/pageable_on_the_busy_stream",
      "cuda.h cuMemcpyDtoHAsync; API synchronization behavior", return [p = w.p, s = w.s1] {
        static int v = 1;
        return CODE(cuMemcpyDtoHAsync(&v, p, 4, s));
      };)
  ASK("cuMemsetD32", "cuda.h cuMemsetD32", return [p = w.p] { return CODE(cuMemsetD32(p, 1, 1)); };)
  ASK(
      "cuMemsetD32Async", "cuda.h cuMemsetD32Async",
      return [p = w.p, s = w.s2] { return CODE(cuMemsetD32Async(p, 1, 1, s)); };)
  ASK(
      "cuModuleLoadData", "cuda.h cuModuleLoadData", kernel("add_one"); return [] {
        CUmodule m;
        return CODE(cuModuleLoadData(&m, kernels_image.data()));
      };)
  ASK(
      "cuModuleUnload", "cuda.h 7449-7455; 15442-15467", auto m = w.module();
      return [m] { return CODE(cuModuleUnload(m)); };)
  ASK(
      "cuModuleGetFunction", "cuda.h cuModuleGetFunction", auto m = w.module(); return [m] {
        CUfunction f;
        return CODE(cuModuleGetFunction(&f, m, "add_one"));
      };)
  ASK(
      "cuLibraryLoadData", "cuda.h cuLibraryLoadData", kernel("add_one"); return [] {
        CUlibrary l;
        return CODE(
            cuLibraryLoadData(&l, kernels_image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
      };)
  ASK(
      "cuLibraryUnload", "cuda.h 8005-8021; 15442-15467", kernel("add_one"); CUlibrary l;
      CU(cuLibraryLoadData(&l, kernels_image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
      return [l] { return CODE(cuLibraryUnload(l)); };)
  ASK(
      "cuFuncGetAttribute", "cuda.h cuFuncGetAttribute", auto f = kernel("add_one"); return [f] {
        int v;
        return CODE(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
      };)
  ASK(
      "cuFuncSetAttribute", "cuda.h cuFuncSetAttribute", auto f = kernel("add_one"); return [f] {
        return CODE(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
      };)
  ASK(
      "cuLaunchKernel", "cuda.h cuLaunchKernel", auto f = kernel("add_one");
      return [f, p = w.p, s = w.s2]() mutable {
        int n = 1;
        void* a[] = {&p, &n};
        return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
      };)
  ASK_IN(
      busy_only, "cuLaunchKernel/on_the_busy_stream", "cuda.h cuLaunchKernel",
      auto f = kernel("add_one");
      return [f, p = w.p, s = w.s1]() mutable {
        int n = 1;
        void* a[] = {&p, &n};
        return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, nullptr));
      };)
  ASK_IN(
      busy_only, "cuLaunchKernel/on_the_legacy_stream", "cuda.h cuLaunchKernel",
      auto f = kernel("add_one");
      return [f, p = w.p]() mutable {
        int n = 1;
        void* a[] = {&p, &n};
        return CODE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, a, nullptr));
      };)
  ASK(
      "cuLaunchHostFunc", "cuda.h 18072",
      return [s = w.s2] { return CODE(cuLaunchHostFunc(s, nothing, nullptr)); };)
  ASK_IN(
      busy_only, "cuLaunchHostFunc+cuStreamSynchronize",
      "cuda.h 18072-18075: \"may be serialized\"", return [s = w.s2] {
        CUresult r = CODE(cuLaunchHostFunc(s, nothing, nullptr));
        return r ? r : CODE(cuStreamSynchronize(s));
      };)
  ASK(
      "cuGraphCreate", "cuda.h cuGraphCreate", return [] {
        CUgraph g;
        return CODE(cuGraphCreate(&g, 0));
      };)
  ASK(
      "cuGraphInstantiate", "cuda.h cuGraphInstantiate", auto g = graph(); add_set(g, w.p, 1);
      return [g] {
        CUgraphExec x;
        return CODE(cuGraphInstantiate(&x, g, 0));
      };)
  ASK(
      "cuGraphLaunch", "cuda.h cuGraphLaunch", auto x = w.exec();
      return [x, s = w.s2] { return CODE(cuGraphLaunch(x, s)); };)
  ASK(
      "cuGraphExecDestroy", "cuda.h 21081", auto x = w.exec();
      return [x] { return CODE(cuGraphExecDestroy(x)); };)
  ASK(
      "cuGraphDestroy", "cuda.h cuGraphDestroy", auto g = graph(); add_set(g, w.p, 1);
      return [g] { return CODE(cuGraphDestroy(g)); };)
  ASK(
      "cuUserObjectRelease", "cuda.h 21300", CUuserObject u;
      CU(cuUserObjectCreate(&u, nullptr, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
      return [u] { return CODE(cuUserObjectRelease(u, 1)); };)
  ASK(
      "cuIpcGetMemHandle", "cuda.h cuIpcGetMemHandle", return [p = w.p] {
        CUipcMemHandle h;
        return CODE(cuIpcGetMemHandle(&h, p));
      };)
  ASK(
      "cuIpcGetEventHandle", "cuda.h cuIpcGetEventHandle",
      auto e = event(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
      return [e] {
        CUipcEventHandle h;
        return CODE(cuIpcGetEventHandle(&h, e));
      };)
  return t;
}
static void in_capture(const Asked& a) {
  const struct {
    const char* name;
    CUstreamCaptureMode mode;
  } modes[] = {{"global", CU_STREAM_CAPTURE_MODE_GLOBAL},
               {"thread_local", CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
               {"relaxed", CU_STREAM_CAPTURE_MODE_RELAXED}};
  init();
  for (auto& m : modes)
    for (bool own : {true, false}) {
      World w;
      Act act = a.prepare(w);
      CU(cuStreamBeginCapture(w.s1, m.mode));
      CU(cuMemsetD32Async(w.p, 3, 1, w.s1));
      CUresult r = CUDA_SUCCESS;
      std::string why;
      if (own)
        r = act();
      else
        std::thread([&] {
          try {
            CU(cuCtxSetCurrent(context));
            r = act();
          } catch (Stop& s) {
            why = s.why;
          }
        }).join();
      if (!why.empty()) throw Stop{why};
      CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
      CUresult q = CODE(cuStreamIsCapturing(w.s1, &status));
      CUgraph g = nullptr;
      CUresult e = CODE(cuStreamEndCapture(w.s1, &g));
      answer("%s/%s %s%s", m.name, own ? "own" : "other", N(r),
             e ? text(", capture ended with %s", N(e)).c_str() : "");
      if (q || status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        detail("%s/%s: status before the end %s", m.name, own ? "own" : "other",
               status == CU_STREAM_CAPTURE_STATUS_INVALIDATED ? "invalidated"
               : status == CU_STREAM_CAPTURE_STATUS_NONE      ? "none"
                                                              : N(q));
      CODE(cuStreamSynchronize(w.s1));
    }
}
static void while_busy(const Asked& a) {
  init();
  for (bool by_kernel : {false, true}) {
    if (by_kernel && !find("spin")) {
      answer("kernel: not asked (no kernel spin)");
      break;
    }
    World w;
    Act act = a.prepare(w);
    Gate& g = *new Gate;
    Clock::time_point from = Clock::now();
    if (by_kernel)
      g.close_by_kernel(w.s1, w.p, 1);
    else
      g.close_by_host(w.s1);
    answer("%s: %s", g.kind(), waits(g, act).c_str());
    CODE(cuCtxSynchronize());
    detail("%s: all over after %.0f ms%s", g.kind(), ms(from),
           g.gave_up ? ", the gate gave up after 2 s" : "");
  }
}
static bool asked_added = [] {
  for (auto& a : asked()) {
    if (a.where != busy_only)
      new Add(
          "capture." + a.name,
          "" + a.name + " during a capture (mode/thread): code, and is the capture invalidated?",
          a.doc, [a] { in_capture(a); }, 5, true);
    if (a.where != capture_only)
      new Add(
          "busy." + a.name,
          "does " + a.name +
              " wait for a host function that blocks, or for a running kernel, on another "
              "non-blocking stream?",
          a.doc, [a] { while_busy(a); }, 6);
  }
  return true;
}();

// ---- freeing what is in use
#define ROW(...) static Add TEXT_JOIN(row_, __LINE__)(__VA_ARGS__);
#define TEXT_JOIN_(a, b) a##b
#define TEXT_JOIN(a, b) TEXT_JOIN_(a, b)
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

// ---- user objects
struct Fate {
  std::atomic<long> thread{0};
  std::atomic<double> at{0};
  Clock::time_point zero = Clock::now();
  double hold = 0;
  Gate* gate = nullptr;
  std::function<void()> act;
};
static void CUDA_CB ends(void* v) {
  Fate& f = *static_cast<Fate*>(v);
  f.at = ms(f.zero);
  f.thread = tid();
  if (f.act) f.act();
  if (f.hold > 0) nap(f.hold);
  if (f.gate) Gate::hold(f.gate);
}
static CUuserObject object(Fate& f, unsigned count = 1) {
  CUuserObject u;
  CU(cuUserObjectCreate(&u, &f, ends, count, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  return u;
}
static long host_thread(CUstream s) {
  static Fate f;
  f.thread = 0;
  CU(cuLaunchHostFunc(s, ends, &f));
  CU(cuStreamSynchronize(s));
  return f.thread;
}
static std::string watch(Fate& f, const std::function<CUresult()>& call) {
  f.zero = Clock::now();
  f.thread = 0;
  CUresult r = call();
  double back = ms(f.zero);
  bool before = f.thread != 0;
  for (int i = 0; i < 2000 && !f.thread; ++i) usleep(500);
  if (!f.thread) return text("%s, destructor not run within 1 s", N(r));
  return text("%s, on %s, started %s the call returned (call %.3f ms, destructor at %.3f ms)", N(r),
              f.thread == tid() ? "the CALLER'S thread" : "another thread",
              before ? "before" : "after", back, f.at.load());
}
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
    "the same, and nobody calls the driver after the gate opens: does the destructor run by "
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

// ---- host functions
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

// ---- order between streams
static std::string follows(CUstream s) {
  nap(60);
  CUresult q = CODE(cuStreamQuery(s));
  return q == CUDA_ERROR_NOT_READY ? "waits" : q == 0 ? "does not wait" : name(q);
}
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

// ---- modules
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

// ---- graphs
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

// ---- which memory comes back
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

// ---- IPC between two processes. Both start before cuInit; reach() and at() are their turns.
static void reach(int n) {
  auto from = Clock::now();
  while (page->stage < n) {
    if (page->stage >= 1000) throw Stop{"the other process gave up"};
    if (ms(from) > 4000) throw Stop{text("waited in vain for turn %d", n)};
    usleep(50);
  }
}
static void at(int n) { page->stage = n; }
static void process(const char* who, const std::function<void()>& f) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int rc = 0;
  try {
    f();
  } catch (Stop& s) {
    page->failed = true;
    answer("%s: could not go on: %s", who, s.why.c_str());
    page->stage = 1000;
    rc = 1;
  }
  _exit(rc);
}
static void two(const std::function<void()>& exporter, const std::function<void()>& importer) {
  page->stage = 0;
  pid_t c[2];
  for (int i = 0; i < 2; ++i)
    if (!(c[i] = fork()))
      process(i ? "importer" : "exporter", [&] {
        init();
        if (i)
          importer();
        else
          exporter();
      });
  for (int left = 2; left;) {
    int st;
    pid_t p = wait(&st);
    if (p < 0) break;
    --left;
    const char* who = p == c[1] ? "importer" : "exporter";
    if (WIFSIGNALED(st)) {
      answer("%s: signal %d in %s", who, WTERMSIG(st), page->step);
      page->stage = 1000;
    }
  }
}
static CUipcMemHandle exported(CUdeviceptr p) {
  CUipcMemHandle h;
  CU(cuIpcGetMemHandle(&h, p));
  return h;
}
static CUresult open_at(CUdeviceptr* p, const CUipcMemHandle& h) {
  *p = 0;
  return CODE(cuIpcOpenMemHandle(p, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
}
static std::string read(CUdeviceptr p) {
  int v = -1;
  CUresult r = CODE(cuMemcpyDtoH(&v, p, 4));
  return r ? name(r) : text("%d", v);
}
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

// ---- costs
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

// ---- one child per row
static std::string json(const std::string& s) {
  std::string o = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      o += '\\';
      o += static_cast<char>(c);
    } else if (c < 32 || c > 126)
      o += text("\\u%04x", c);
    else
      o += static_cast<char>(c);
  }
  return o + '"';
}
static std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
static Page* new_page() {
  void* m = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return new (m) Page{};
}
static void in_child(const Row& row) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  try {
    row.run();
  } catch (Stop& s) {
    page->failed = true;
    answer("%s", s.why.rfind("no kernel", 0) == 0 || s.why.rfind("not asked", 0) == 0
                     ? s.why.c_str()
                     : ("could not go on: " + s.why).c_str());
  }
  _exit(0);  // Not exit(): the driver's own clean-up would wait for what still runs.
}
struct Running {
  const Row* row;
  Page* page;
  Clock::time_point from, until;
};
int main(int argc, char** argv) {
  std::string only, out, folder = argv[0];
  folder = folder.find('/') == std::string::npos ? "." : folder.substr(0, folder.rfind('/'));
  std::string kernels = folder + "/may.fatbin", conditional = folder + "/may_conditional.fatbin";
  double budget = 160;
  int jobs = 1;
  bool list = false, self = false;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    auto next = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (a == "--only")
      only = next();
    else if (a == "--kernels")
      kernels = next();
    else if (a == "--conditional")
      conditional = next();
    else if (a == "--out")
      out = next();
    else if (a == "--budget")
      budget = atof(next());
    else if (a == "--jobs")
      jobs = atoi(next());
    else if (a == "--list")
      list = true;
    else if (a == "--self-test")
      self = true;
    else {
      fprintf(stderr, "unknown: %s\n", argv[i]);
      return 1;
    }
  }
  if (self) {
    rows.clear();
    Add("self.answer", "quotes \" and \\ and control characters", "-",
        [] { answer("one \"two\" \\ three\n\x01"); });
    Add(
        "self.hang", "hangs, with a child of its own that hangs", "-",
        [] {
          answer("began");
          if (!fork())
            for (;;) pause();
          for (;;) pause();
        },
        1);
    Add("self.crash", "signal", "-", [] { raise(SIGSEGV); });
    Add("self.leave", "leaves a child behind", "-", [] {
      if (!fork())
        for (;;) pause();
      answer("left");
    });
    Add("self.exit", "exits", "-", [] { _exit(3); });
    Add("self.stop", "a failing call", "-", [] { CU(cuMemFree(1)); });
  }
  auto rank = [](const Row& r) {
    return r.id.rfind("capture.", 0) == 0 ? 1 : r.id.rfind("busy.", 0) == 0 ? 2 : 0;
  };  // What is asked of few calls first.
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return rank(a) < rank(b); });
  if (list) {
    for (auto& r : rows) printf("%-48s %s\n", r.id.c_str(), r.question.c_str());
    return 0;
  }
  if (!open_driver()) {
    fprintf(stderr, "no driver\n");
    return 2;
  }
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32",
         0);  // Loading must not wait for a gate; streams must not share a queue.
  kernels_image = file(kernels);
  conditional_image = file(conditional);
  if (!kernels_image.empty()) kernels_image += '\0';
  // A child that has the device open all the while: it says which device it is, and keeps each
  // row's start short.
  page = new_page();
  Page* first = page;
  std::string device_name;
  int version = 0;
  pid_t keeper = fork();
  if (!keeper) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      init();
      int n = 0;
      CU(cuDriverGetVersion(&n));
      page->words[0] = static_cast<unsigned long long>(n);
      CU(cuDeviceGetName(page->detail, 200, device));
      page->stage = 1;
    } catch (Stop& s) {
      answer("%s", s.why.c_str());
      _exit(2);
    }
    for (;;) pause();
  }
  auto began = Clock::now();
  int st = 0;
  while (first->stage != 1 && ms(began) < 30000 && waitpid(keeper, &st, WNOHANG) == 0) usleep(1000);
  if (first->stage != 1) {
    fprintf(stderr, "no device: %s\n",
            first->answer[0] ? first->answer : "the driver did not come up");
    kill(keeper, SIGKILL);
    waitpid(keeper, &st, 0);
    return 2;
  }
  version = static_cast<int>(first->words[0]);
  device_name = first->detail;
  std::string driver = text("CUDA %d.%d", version / 1000, version % 1000 / 10);
  {
    std::ifstream in("/sys/module/nvidia/version");
    std::string v;
    if (in >> v) driver += " / " + v;
  }
  printf("%s, driver %s; kernels: %s\n", device_name.c_str(), driver.c_str(),
         kernels_image.empty() ? "none" : kernels.c_str());
  fflush(stdout);
  FILE* lines = nullptr;
  FILE* table = nullptr;
  if (!out.empty()) {
    mkdir(out.c_str(), 0777);
    lines = fopen((out + "/may.jsonl").c_str(), "w");
    table = fopen((out + "/may.txt").c_str(), "w");
    if (!lines || !table) {
      perror(out.c_str());
      kill(keeper, SIGKILL);
      return 1;
    }
  }
  struct Told {
    std::string id, question, doc, answer, detail;
    double ms;
  };
  std::vector<Told> told;
  std::map<pid_t, Running> running;
  size_t next = 0;
  int timed_out = 0, crashed = 0, skipped = 0;
  auto tell = [&](const Row& r, std::string a, std::string d, double took) {
    told.push_back({r.id, r.question, r.doc, a, d, took});
    std::string line = "{\"row\":" + json(r.id) + ",\"question\":" + json(r.question) +
                       ",\"doc\":" + json(r.doc) + ",\"answer\":" + json(a) +
                       ",\"detail\":" + json(d) + ",\"milliseconds\":" + text("%.0f", took) +
                       ",\"driver\":" + json(driver) + ",\"device\":" + json(device_name) + "}";
    if (lines) {
      fprintf(lines, "%s\n", line.c_str());
      fflush(lines);
    } else {
      puts(line.c_str());
      fflush(stdout);
    }
  };
  for (auto from = Clock::now();;) {
    while (next < rows.size()) {
      const Row& r = rows[next];
      if (!only.empty() && r.id.find(only) == std::string::npos) {
        ++next;
        continue;
      }
      bool alone = !r.beside || jobs < 2;
      if (!running.empty() && (alone || !running.begin()->second.row->beside ||
                               static_cast<int>(running.size()) >= jobs))
        break;
      if (ms(from) > budget * 1000) {
        ++skipped;
        tell(r, "not asked: out of time", "", 0);
        ++next;
        continue;
      }
      Page* p = new_page();
      page = p;
      pid_t c = fork();
      if (c < 0) {
        perror("fork");
        return 1;
      }
      if (!c) in_child(r);
      setpgid(c, c);
      running[c] = {&r, p, Clock::now(), Clock::now() + std::chrono::seconds(r.seconds)};
      ++next;
      if (alone) break;
    }
    if (running.empty()) {
      if (next >= rows.size()) break;
      continue;
    }
    usleep(500);
    for (auto i = running.begin(); i != running.end();) {
      pid_t c = i->first;
      Running& r = i->second;
      int s = 0;
      pid_t w = waitpid(c, &s, WNOHANG);
      bool late = w == 0 && Clock::now() > r.until;
      if (w == 0 && !late) {
        ++i;
        continue;
      }
      kill(-c, SIGKILL);
      if (late) {
        while (waitpid(c, &s, WNOHANG) == 0 && Clock::now() < r.until + std::chrono::seconds(2))
          usleep(1000);
      }
      std::string a = r.page->answer;
      if (late) {
        ++timed_out;
        a += std::string(a.empty() ? "" : "; ") + "timed out in " +
             (r.page->step[0] ? r.page->step : "no call");
      } else if (WIFSIGNALED(s)) {
        ++crashed;
        a +=
            std::string(a.empty() ? "" : "; ") + text("signal %d in %s", WTERMSIG(s), r.page->step);
      } else if (WEXITSTATUS(s))
        a += std::string(a.empty() ? "" : "; ") +
             text("left with %d in %s", WEXITSTATUS(s), r.page->step);
      if (a.empty()) a = "no answer";
      tell(*r.row, a, r.page->detail, ms(r.from));
      munmap(r.page, sizeof(Page));
      i = running.erase(i);
    }
  }
  kill(keeper, SIGKILL);
  waitpid(keeper, &st, 0);
  for (FILE* f : {stdout, table})
    if (f) {
      fprintf(f, "\n%s, driver %s\n", device_name.c_str(), driver.c_str());
      for (auto& t : told) {
        fprintf(f, "\n%s  [%s]\n  %s\n", t.id.c_str(), t.doc.c_str(), t.question.c_str());
        size_t from = 0;
        for (size_t to; (to = t.answer.find("; ", from)) != std::string::npos; from = to + 2)
          fprintf(f, "    = %s\n", t.answer.substr(from, to - from).c_str());
        fprintf(f, "    = %s\n", t.answer.substr(from).c_str());
        if (!t.detail.empty()) fprintf(f, "      (%s)\n", t.detail.c_str());
      }
      fprintf(f, "\n%zu rows, %d timed out, %d crashed, %d not asked; %.0f s\n", told.size(),
              timed_out, crashed, skipped, ms(began) / 1000);
    }
  if (lines) fclose(lines);
  if (table) fclose(table);
  return 0;
}
