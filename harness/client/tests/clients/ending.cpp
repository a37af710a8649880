// SPDX-License-Identifier: Apache-2.0
// A program whose functions do not return when the driver calls them. It knows nothing of us.
//
// Usage: client_ending KIND HOW. KIND: host_function, stream_callback, host_node, destructor,
// occupancy. HOW: pthread_exit, no_tables (the same, with a frame that cannot be unwound), cancel,
// exit, block, throw, longjmp, waiter (the thread that waits for it is cancelled), none.
// Exit code 0: the driver serves the program as before; 7: `exit` ended it.
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

void* find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return dlsym(library, name);
}
#define TEXT(name) #name
#define NAME(name) TEXT(name)  // With the version that cuda.h gives it.
#define CALL(name, ...) \
  check(reinterpret_cast<decltype(&name)>(find(NAME(name)))(__VA_ARGS__), #name)

std::string_view how;
CUcontext context = nullptr;
CUfunction kernel = nullptr;
std::atomic<bool> is_called{false};
std::atomic<bool> never{false};
std::atomic<pthread_t> called_on{};
jmp_buf before_call;

void check(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  _exit(5);
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) usleep(1000);
}

// ---- what the driver calls --------------------------------------------------------------------

extern "C" void end_without_tables();
asm(R"(
  .text
  .type end_without_tables, @function
end_without_tables:
  push %rbx
  xor %edi, %edi
  call pthread_exit@PLT
  ud2
  .size end_without_tables, .-end_without_tables
)");

void end() {
  called_on = pthread_self();
  is_called = true;
  if (how == "pthread_exit") pthread_exit(nullptr);
  if (how == "no_tables") end_without_tables();
  if (how == "exit") exit(7);
  if (how == "throw") throw 3;
  if (how == "longjmp") longjmp(before_call, 1);
  if (how == "cancel" || how == "block" || how == "waiter") wait_for(never);
}

void CUDA_CB end_function(void*) { end(); }
void CUDA_CB end_callback(CUstream, CUresult, void*) { end(); }
size_t CUDA_CB end_occupancy(int) { return end(), 0; }
void CUDA_CB set_flag(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }

// ---- having it called -------------------------------------------------------------------------

CUstream make_stream() {
  CUstream stream = nullptr;
  CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  return stream;
}

void launch_node(CUstream stream) {
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec executable = nullptr;
  const CUDA_HOST_NODE_PARAMS params{end_function, nullptr};
  CALL(cuGraphCreate, &graph, 0);
  CALL(cuGraphAddHostNode, &node, graph, nullptr, 0, &params);
  CALL(cuGraphInstantiate, &executable, graph, 0);
  CALL(cuGraphLaunch, executable, stream);
}

void drop_object() {
  CUuserObject object = nullptr;
  CALL(cuUserObjectCreate, &object, nullptr, end_function, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  CALL(cuUserObjectRelease, object, 1);
}

void load_kernel() {
  CUmodule module = nullptr;
  const char* ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  CALL(cuModuleLoadData, &module, ptx);
  CALL(cuModuleGetFunction, &kernel, module, "nothing");
}

void ask_occupancy() {
  int grid_size = 0;
  int block_size = 0;
  if (setjmp(before_call) != 0) return;
  const auto ask = reinterpret_cast<decltype(&cuOccupancyMaxPotentialBlockSize)>(
      find("cuOccupancyMaxPotentialBlockSize"));
  const CUresult status = ask(&grid_size, &block_size, kernel, end_occupancy, 0, 0);
  check(how == "throw" && status == CUDA_ERROR_UNKNOWN ? CUDA_SUCCESS : status, "occupancy");
}

/// A driver that calls on the calling thread may end it: that is not the first one.
void call(std::string_view kind, CUstream stream) {
  if (kind == "host_function") CALL(cuLaunchHostFunc, stream, end_function, nullptr);
  if (kind == "stream_callback") CALL(cuStreamAddCallback, stream, end_callback, nullptr, 0);
  if (kind == "host_node") launch_node(stream);
  if (kind == "destructor") drop_object();
  if (kind != "occupancy") return;
  load_kernel();
  std::thread asking([] {
    CALL(cuCtxSetCurrent, context);
    ask_occupancy();
  });
  if (how == "block") return asking.detach();
  if (how == "cancel") wait_for(is_called), pthread_cancel(called_on);
  asking.join();
}

// ---- what still works -------------------------------------------------------------------------

void cancel_waiter(CUstream stream) {
  pthread_t waiting{};
  const auto wait = [](void* on) -> void* {
    CALL(cuCtxSetCurrent, context);
    CALL(cuStreamSynchronize, static_cast<CUstream>(on));
    return nullptr;
  };
  pthread_create(&waiting, nullptr, wait, stream);
  usleep(50'000);
  pthread_cancel(waiting);
  pthread_join(waiting, nullptr);
}

/// Memory, and a stream that has nothing to do with the function.
void use_driver() {
  CUdeviceptr address = 0;
  CUstream other = make_stream();
  CALL(cuMemAllocAsync, &address, 64, other);
  CALL(cuMemsetD8Async, address, 1, 64, other);
  CALL(cuMemFreeAsync, address, other);
  CALL(cuStreamSynchronize, other);
}

/// A function that ended its thread is over, and the driver calls the next ones.
void call_more(CUstream stream) {
  std::atomic<bool> is_next_called{false};
  std::atomic<bool> is_object_gone{false};
  CUuserObject object = nullptr;
  CALL(cuLaunchHostFunc, stream, set_flag, &is_next_called);
  CALL(cuUserObjectCreate, &object, &is_object_gone, set_flag, 1,
       CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  CALL(cuUserObjectRelease, object, 1);
  CALL(cuStreamSynchronize, stream);
  CALL(cuCtxSynchronize);
  wait_for(is_next_called);
  wait_for(is_object_gone);
}

}  // namespace

int main(int, char** arguments) {
  const std::string_view kind = arguments[1];
  how = arguments[2];
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  CALL(cuCtxSetCurrent, context);
  CUstream stream = make_stream();
  call(kind, stream);
  wait_for(is_called);
  if (how == "cancel" && kind != "occupancy") pthread_cancel(called_on);
  if (how == "waiter") cancel_waiter(stream);
  use_driver();
  if (how != "block" && how != "waiter") call_more(stream);
  return 0;
}
