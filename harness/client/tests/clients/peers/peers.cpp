// SPDX-License-Identifier: Apache-2.0
// Two processes that share memory and events of a device, with what is wrong in one of them, or a
// sound twin. Usage: client_peers HOW DEFECT [sound], where the second process starts by HOW: exec,
// or fork; or mpirun has started both.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr std::size_t kBytes = 4096;
constexpr unsigned kShared = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

void* library = nullptr;
int other = -1;  ///< The socket of the other process.
bool sound = false;

#define CALL(name, ...)                                                                    \
  do {                                                                                     \
    static const auto function = reinterpret_cast<decltype(&name)>(dlsym(library, #name)); \
    if (const CUresult status = function(__VA_ARGS__); status != CUDA_SUCCESS)             \
      std::fprintf(stderr, "%s returned %d\n", #name, static_cast<int>(status));           \
  } while (false)

void start() {
  CUcontext context = nullptr;
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  CALL(cuCtxSetCurrent, context);
}

CUdeviceptr allocate() {
  CUdeviceptr address = 0;
  CALL(cuMemAlloc_v2, &address, kBytes);
  return address;
}

CUstream make_stream() {
  CUstream made = nullptr;
  CALL(cuStreamCreate, &made, CU_STREAM_NON_BLOCKING);
  return made;
}

template <class Value>
void tell(const Value& value) {
  if (::send(other, &value, sizeof value, MSG_NOSIGNAL) != sizeof value) std::exit(3);
}
template <class Value>
Value hear() {
  Value value{};
  if (::recv(other, &value, sizeof value, MSG_WAITALL) != sizeof value) std::exit(4);
  return value;
}
void nod() { tell('x'); }
void wait_for_nod() { hear<char>(); }

CUipcMemHandle exported(CUdeviceptr address) {
  CUipcMemHandle handle{};
  CALL(cuIpcGetMemHandle, &handle, address);
  return handle;
}

CUdeviceptr opened(const CUipcMemHandle& handle) {
  CUdeviceptr address = 0;
  CALL(cuIpcOpenMemHandle_v2, &address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  return address;
}

// ---- recorded_too_early: the event is recorded before the last write ----------------------------

void recorded_too_early() {
  const CUdeviceptr memory = allocate();
  CUevent done = nullptr;
  CUipcEventHandle handle{};
  CUstream work = make_stream();
  CALL(cuEventCreate, &done, kShared);
  CALL(cuIpcGetEventHandle, &handle, done);
  tell(exported(memory));
  tell(handle);
  wait_for_nod();
  CALL(cuMemsetD8Async, memory, 1, kBytes / 2, work);
  if (!sound) CALL(cuEventRecord, done, work);
  CALL(cuMemsetD8Async, memory + kBytes / 2, 2, kBytes / 2, work);
  if (sound) CALL(cuEventRecord, done, work);
  nod();
  wait_for_nod();
  CALL(cuMemFree_v2, memory);
}

void recorded_too_early_importer() {
  const CUdeviceptr mapped = opened(hear<CUipcMemHandle>());
  const auto handle = hear<CUipcEventHandle>();
  CUevent written = nullptr;
  CALL(cuIpcOpenEventHandle, &written, handle);
  const CUdeviceptr own = allocate();
  CUstream work = make_stream();
  nod();
  wait_for_nod();
  CALL(cuStreamWaitEvent, work, written, 0);
  CALL(cuMemcpyDtoDAsync_v2, own, mapped, kBytes, work);
  CALL(cuStreamSynchronize, work);
  CALL(cuIpcCloseMemHandle, mapped);
  nod();
}

// ---- closed_in_flight: the importer closes while its own copy may still run ---------------------

void closed_in_flight() {
  const CUdeviceptr memory = allocate();
  CALL(cuMemsetD8_v2, memory, 1, kBytes);
  CALL(cuCtxSynchronize);
  tell(exported(memory));
  wait_for_nod();
  CALL(cuMemFree_v2, memory);
}

void closed_in_flight_importer() {
  const CUdeviceptr mapped = opened(hear<CUipcMemHandle>());
  const CUdeviceptr own = allocate();
  CUstream work = make_stream();
  CALL(cuMemcpyDtoDAsync_v2, own, mapped, kBytes, work);
  if (sound) CALL(cuStreamSynchronize, work);
  CALL(cuIpcCloseMemHandle, mapped);
  CALL(cuStreamSynchronize, work);
  nod();
}

// ---- cached_mapping: the importer keeps a mapping of memory that was freed and made again
// --------

void cached_mapping() {
  CUdeviceptr memory = allocate();
  tell(exported(memory));
  wait_for_nod();
  CALL(cuMemFree_v2, memory);
  memory = allocate();
  tell(exported(memory));
  wait_for_nod();
  CALL(cuMemFree_v2, memory);
}

void cached_mapping_importer() {
  CUdeviceptr mapped = opened(hear<CUipcMemHandle>());
  CALL(cuMemsetD8_v2, mapped, 1, 64);
  CALL(cuCtxSynchronize);
  if (sound) CALL(cuIpcCloseMemHandle, mapped);
  nod();
  const auto second = hear<CUipcMemHandle>();
  if (sound) mapped = opened(second);  // Else it is taken for the one that is open.
  CALL(cuMemsetD8_v2, mapped, 2, 64);
  CALL(cuCtxSynchronize);
  CALL(cuIpcCloseMemHandle, mapped);
  nod();
}

// ---- two_slots: a ring of two slots, whose second use nothing orders after the first ------------

void two_slots() {
  const CUdeviceptr memory = allocate();
  CUstream work = make_stream();
  tell(exported(memory));
  wait_for_nod();
  for (unsigned i = 0; i < 3; ++i) {
    CALL(cuMemsetD8Async, memory + i % 2 * (kBytes / 2), static_cast<unsigned char>(i), kBytes / 2,
         work);
    CALL(cuStreamSynchronize, work);
    nod();
    if (i != 0) wait_for_nod();  // The one before it is read.
  }
  wait_for_nod();
  CALL(cuMemFree_v2, memory);
}

void two_slots_importer() {
  const CUdeviceptr mapped = opened(hear<CUipcMemHandle>());
  const CUdeviceptr own = allocate();
  CUstream work = make_stream();
  nod();
  for (unsigned i = 0; i < 3; ++i) {
    wait_for_nod();
    CALL(cuMemcpyDtoDAsync_v2, own, mapped + i % 2 * (kBytes / 2), kBytes / 2, work);
    if (sound) CALL(cuStreamSynchronize, work);
    if (i != 0) nod();
  }
  CALL(cuStreamSynchronize, work);
  CALL(cuIpcCloseMemHandle, mapped);
  nod();
}

// ---- how the two start --------------------------------------------------------------------------

struct Defect {
  const char* name;
  void (*exporter)();
  void (*importer)();
};
constexpr Defect kDefects[] = {
    {"recorded_too_early", recorded_too_early, recorded_too_early_importer},
    {"closed_in_flight", closed_in_flight, closed_in_flight_importer},
    {"cached_mapping", cached_mapping, cached_mapping_importer},
    {"two_slots", two_slots, two_slots_importer},
};

int run(const char* name, bool exports, int end) {
  other = end;
  start();
  for (const Defect& defect : kDefects)
    if (std::strcmp(defect.name, name) == 0) {
      exports ? defect.exporter() : defect.importer();
      return 0;
    }
  return 5;
}

/// Both meet at a socket that is named after their job.
int meet(bool exports) {
  const char* job = std::getenv("PMIX_NAMESPACE");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "peers-%s",
                job != nullptr ? job : "");
  const int end = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (exports) {
    if (::bind(end, where, sizeof address) != 0 || ::listen(end, 1) != 0) return -1;
    return ::accept(end, nullptr, nullptr);
  }
  while (::connect(end, where, sizeof address) != 0) ::usleep(1000);
  return end;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::string how = words[1];
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 9;
  for (int i = 3; i < count; ++i) sound = sound || std::strcmp(words[i], "sound") == 0;
  if (how == "as") return run(words[2], false, std::atoi(words[count - 1]));
  if (how == "mpirun") {
    const bool exports = std::strcmp(std::getenv("OMPI_COMM_WORLD_RANK"), "0") == 0;
    return run(words[2], exports, meet(exports));
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 6;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    if (how == "fork") return run(words[2], false, ends[1]);
    const std::string number = std::to_string(ends[1]);
    ::execl("/proc/self/exe", words[0], "as", words[2], sound ? "sound" : "defect", number.c_str(),
            nullptr);
    return 7;
  }
  ::close(ends[1]);
  const int code = run(words[2], true, ends[0]);
  ::waitpid(child, nullptr, 0);
  return code;
}
