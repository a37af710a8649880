// SPDX-License-Identifier: Apache-2.0
// A program that frees memory which it has lent to the driver, in each way that there is. It knows
// nothing of us.
//
// Usage: client_lending WAY [fixed]. If it is fixed, the memory lives for as long as it is lent.
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void* find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return dlsym(library, name);
}
#define TEXT(name) #name
#define NAME(name) TEXT(name)  // With the version that cuda.h gives it.
#define CALL(name, ...) \
  check(reinterpret_cast<decltype(&name)>(find(NAME(name)))(__VA_ARGS__), #name)

constexpr size_t kBytes = 4096;

bool fixed = false;
CUstream stream = nullptr;
CUdeviceptr device = 0;
CUdeviceptr gate = 0;
long total = 0;

void check(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS || status == CUDA_ERROR_ILLEGAL_ADDRESS) return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  exit(5);
}

void begin() {
  CUcontext context = nullptr;
  void* pinned = nullptr;
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  CALL(cuCtxSetCurrent, context);
  CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CALL(cuMemAlloc, &device, kBytes);
  CALL(cuMemAllocHost, &pinned, 4);
  std::memset(pinned, 0, 4);
  gate = reinterpret_cast<CUdeviceptr>(pinned);
}

/// Work that is queued behind it stays queued until open().
void close() { CALL(cuStreamWaitValue32, stream, gate, 1, CU_STREAM_WAIT_VALUE_GEQ); }
void open() {
  CUstream other = nullptr;
  CALL(cuStreamCreate, &other, CU_STREAM_NON_BLOCKING);
  CALL(cuStreamWriteValue32, other, gate, 1, 0);
  CALL(cuStreamSynchronize, stream);
}

void add(void* data) { total += *static_cast<long*>(data); }
void add_and_free(void* data) {
  add(data);
  free(data);
}
void ignore(void*) {}
void called_back(CUstream, CUresult, void* data) { add(data); }

long* new_long() {
  auto* data = static_cast<long*>(malloc(kBytes));
  *data = 7;
  return data;
}

// ---- graphs -----------------------------------------------------------------------------------

class Graph {
 public:
  Graph() { CALL(cuGraphCreate, &graph_, 0); }
  ~Graph() {
    if (exec_ != nullptr) CALL(cuGraphExecDestroy, exec_);
    CALL(cuGraphDestroy, graph_);
  }

  static CUDA_MEMCPY3D copy_params(const void* source, size_t bytes = kBytes) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = source;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = device;
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return copy;
  }
  void copy_from(const void* source) {
    const CUDA_MEMCPY3D copy = copy_params(source);
    add_copy(copy);
  }
  void copy_to(void* target) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = device;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = target;
    copy.WidthInBytes = kBytes;
    copy.Height = copy.Depth = 1;
    add_copy(copy);
  }
  void call(CUhostFn function, void* data) {
    const CUDA_HOST_NODE_PARAMS host{function, data};
    CALL(cuGraphAddHostNode, &node_, graph_, nullptr, 0, &host);
  }
  template <class Work>
  void capture(Work work) {
    CALL(cuGraphDestroy, graph_);
    CALL(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    work();
    CALL(cuStreamEndCapture, stream, &graph_);
  }
  CUgraphExec instantiate() {
    CALL(cuGraphInstantiate, &exec_, graph_, 0);
    return exec_;
  }
  void launch() {
    if (exec_ == nullptr) instantiate();
    CALL(cuGraphLaunch, exec_, stream);
  }
  CUgraphNode node() const { return node_; }

 private:
  void add_copy(const CUDA_MEMCPY3D& copy) {
    CUcontext context = nullptr;
    CALL(cuCtxGetCurrent, &context);
    CALL(cuGraphAddMemcpyNode, &node_, graph_, nullptr, 0, &copy, context);
  }

  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
  CUgraphNode node_ = nullptr;
};

/// Launches the graph, and frees before that or once it is done.
template <class Free>
void launch(Graph& graph, Free let_go) {
  if (!fixed) let_go();
  graph.launch();
  CALL(cuStreamSynchronize, stream);
  if (fixed) let_go();
}

void copy_node() {
  Graph graph;
  long* data = new_long();
  graph.copy_from(data);  // Lends the source.
  launch(graph, [data] { free(data); });
}

void copy_target() {
  Graph graph;
  long* data = new_long();
  graph.copy_to(data);
  launch(graph, [data] { free(data); });
}

void captured_copy() {
  Graph graph;
  auto data = std::make_unique<std::vector<long>>(kBytes / sizeof(long));
  graph.capture([&] { CALL(cuMemcpyHtoDAsync, device, data->data(), kBytes, stream); });
  launch(graph, [&] { data.reset(); });
}

void host_node() {
  Graph graph;
  auto* data = new long(7);
  graph.call(add, data);
  launch(graph, [data] { delete data; });
}

void captured_function() {
  Graph graph;
  long* data = new_long();
  graph.capture([&] { CALL(cuLaunchHostFunc, stream, add, data); });
  launch(graph, [data] { free(data); });
}

/// The launch may still be under way, whatever became of the graph.
void destroyed_graph() {
  long* data = new_long();
  close();
  {
    Graph graph;
    graph.call(add, data);
    graph.launch();
  }
  if (!fixed) free(data);
  open();
  if (fixed) free(data);
}

// ---- streams ----------------------------------------------------------------------------------

/// Lets what is queued continue, and frees before that or once it is done.
template <class Free>
void finish(Free let_go) {
  if (!fixed) let_go();
  open();
  if (fixed) let_go();
}

void host_function() {
  long* data = new_long();
  close();
  CALL(cuLaunchHostFunc, stream, add, data);  // Lends the data.
  finish([data] { free(data); });             // The end of the data.
}

void stream_callback() {
  long* data = new_long();
  close();
  CALL(cuStreamAddCallback, stream, called_back, data, 0);
  finish([data] { free(data); });
}

void moved() {
  long* data = new_long();
  close();
  CALL(cuLaunchHostFunc, stream, add, data);
  finish([&data] { data = static_cast<long*>(realloc(data, 1 << 20)); });
  free(data);
}

void unmapped() {
  void* data = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  close();
  CALL(cuLaunchHostFunc, stream, ignore, data);
  finish([data] { munmap(data, kBytes); });
}

void registered() {
  void* data = aligned_alloc(kBytes, kBytes);
  CALL(cuMemHostRegister, data, kBytes, 0);
  close();
  CALL(cuMemcpyHtoDAsync, device, data, kBytes, stream);
  if (!fixed) free(data);
  open();
  if (!fixed) return;
  CALL(cuMemHostUnregister, data);
  free(data);
}

[[gnu::noinline]] void lend_frame(long value) {
  long data[8] = {value};
  close();
  CALL(cuLaunchHostFunc, stream, add, data);
  if (fixed) open();
}

void frame() {
  lend_frame(7);
  if (!fixed) open();
}

void thread_frame() {
  CUcontext context = nullptr;
  CALL(cuCtxGetCurrent, &context);
  std::thread([context] {
    CALL(cuCtxSetCurrent, context);
    lend_frame(7);
  }).join();
  if (!fixed) open();
}

// ---- other calls ------------------------------------------------------------------------------

constexpr const char* kPtx =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";

void library_code() {
  char* code = strdup(kPtx);
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CALL(cuLibraryLoadData, &library, code, nullptr, nullptr, 0, &option, nullptr, 1);
  if (!fixed) free(code);
  CALL(cuLibraryGetKernel, &kernel, library, "nothing");
  CALL(cuLibraryUnload, library);
  if (fixed) free(code);
}

void link_output() {
  char* log = static_cast<char*>(malloc(kBytes));
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE};
  void* values[] = {log, reinterpret_cast<void*>(kBytes), reinterpret_cast<void*>(1)};
  CUlinkState state = nullptr;
  void* image = nullptr;
  size_t bytes = 0;
  CALL(cuLinkCreate, 3, options, values, &state);
  CALL(cuLinkAddData, state, CU_JIT_INPUT_PTX, const_cast<char*>(kPtx), std::strlen(kPtx) + 1,
       "nothing", 0, nullptr, nullptr);
  if (!fixed) free(log);
  CALL(cuLinkComplete, state, &image, &bytes);
  CALL(cuLinkDestroy, state);
  if (fixed) free(log);
}

// ---- what is allowed --------------------------------------------------------------------------

void freed_in_function() {
  close();
  CALL(cuLaunchHostFunc, stream, add_and_free, new_long());
  open();
}

/// A copy from pageable memory has used it when the call returns.
void pageable() {
  long* data = new_long();
  CALL(cuMemcpyHtoDAsync, device, data, kBytes, stream);
  free(data);
  CALL(cuStreamSynchronize, stream);
}

/// A graph that never runs uses nothing.
void never_launched() {
  Graph graph;
  long* data = new_long();
  graph.call(add, data);
  graph.copy_from(data);
  graph.instantiate();
  free(data);
}

void given_others() {
  Graph graph;
  long *data = new_long(), *other = new_long();
  graph.copy_from(data);
  const CUgraphExec exec = graph.instantiate();
  CUcontext context = nullptr;
  CALL(cuCtxGetCurrent, &context);
  const CUDA_MEMCPY3D copy = Graph::copy_params(other);
  CALL(cuGraphExecMemcpyNodeSetParams, exec, graph.node(), &copy, context);
  free(data);
  graph.launch();
  CALL(cuStreamSynchronize, stream);
  free(other);
}

void disabled() {
  Graph graph;
  long* data = new_long();
  graph.copy_from(data);
  CALL(cuGraphNodeSetEnabled, graph.instantiate(), graph.node(), 0);
  free(data);
  graph.launch();
  CALL(cuStreamSynchronize, stream);
}

/// It is there as before, but for its end.
void shrunk() {
  long* data = new_long();
  close();
  CALL(cuLaunchHostFunc, stream, add, data);
  data = static_cast<long*>(realloc(data, 64));
  open();
  add(data);  // Or the compiler does without it.
  free(data);
}

/// Memory that is lent again at the same address is another one.
void lent_again() {
  for (int i = 0; i < 20; ++i) {
    long* data = new_long();
    Graph graph;
    graph.copy_from(data);
    graph.call(add, data);
    graph.launch();
    CALL(cuStreamSynchronize, stream);
    free(data);
  }
}

/// A number is not memory.
void numbers() {
  close();
  for (long i = 0; i < 20; ++i) CALL(cuLaunchHostFunc, stream, ignore, reinterpret_cast<void*>(i));
  open();
}

struct Way {
  const char* name;
  void (*function)();
};
constexpr Way kWays[] = {
#define WAY(name) {#name, name}
    WAY(copy_node),
    WAY(copy_target),
    WAY(captured_copy),
    WAY(host_node),
    WAY(captured_function),
    WAY(destroyed_graph),
    WAY(host_function),
    WAY(stream_callback),
    WAY(moved),
    WAY(unmapped),
    WAY(registered),
    WAY(frame),
    WAY(thread_frame),
    WAY(library_code),
    WAY(link_output),
    WAY(freed_in_function),
    WAY(pageable),
    WAY(never_launched),
    WAY(given_others),
    WAY(disabled),
    WAY(shrunk),
    WAY(lent_again),
    WAY(numbers)};

}  // namespace

int main(int count, char** words) {
  fixed = count > 2 && std::string_view(words[2]) == "fixed";
  for (const Way& way : kWays)
    if (count > 1 && std::string_view(words[1]) == way.name) {
      begin();
      way.function();
      return 0;
    }
  return 3;
}
