// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1: NVML for programs under `afterlife run`. It reports the simulated device, like
// libcuda.so.1. It depends on the C library only.
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/missed_calls.h"
#include "harness/client/inside/libnvml/interface.h"
#include "harness/devices/sim/identity.h"
#include "harness/devices/sim/limits.h"

namespace harness::nvml {

struct Device {};

namespace {

using devices::kMemoryBytes;

/// The first driver with CUDA 13.0, according to its release notes.
constexpr char kDriverVersion[] = "580.65.06";
constexpr char kNvmlVersion[] = "13.580.65.06";
constexpr unsigned kAmpere = 7;  ///< NVML_DEVICE_ARCH_AMPERE: compute capability 8.0.

Device the_device;
int initialized = 0;  ///< Number of initializations that were not shut down.

constexpr int attribute_value(CUdevice_attribute attribute) {
  switch (attribute) {
#define ATTRIBUTE(name, value)     \
  case CU_DEVICE_ATTRIBUTE_##name: \
    return value;
    using namespace devices;
#include "harness/devices/sim/attributes.def"
    default:
      return 0;
  }
}

Result ready() {
  return __atomic_load_n(&initialized, __ATOMIC_RELAXED) > 0 ? Result::SUCCESS
                                                             : Result::ERROR_UNINITIALIZED;
}

/// Checks the state, the device handle and the pointer for the result.
Result admit(const Device* device, const void* answer) {
  if (const Result error = ready(); error != Result::SUCCESS) return error;
  return device == &the_device && answer != nullptr ? Result::SUCCESS
                                                    : Result::ERROR_INVALID_ARGUMENT;
}

Result put(char* text, unsigned bytes, const char* value) {
  if (strlen(value) >= bytes) return Result::ERROR_INSUFFICIENT_SIZE;
  strcpy(text, value);
  return Result::SUCCESS;
}

void write_uuid(char (&text)[41]) {
  const unsigned char(&id)[16] = devices::kUuid;
  snprintf(text, sizeof text,
           "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0], id[1],
           id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13],
           id[14], id[15]);
}

/// Returns the device memory that the program has allocated; 0 without a driver or context.
unsigned long long used_bytes() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  size_t free = kMemoryBytes;
  size_t total = kMemoryBytes;
  const auto ask = reinterpret_cast<decltype(&cuMemGetInfo_v2)>(dlsym(driver, "cuMemGetInfo_v2"));
  const bool is_told = ask != nullptr && ask(&free, &total) == CUDA_SUCCESS;
  dlclose(driver);
  return is_told ? total - free : 0;
}

/// Fills in the common fields of both PCI structs.
template <class Info>
void write_place(Info& info) {
  info.domain = devices::kPciDomain;
  info.bus = devices::kPciBus;
  info.device = devices::kPciDevice;
  info.device_id = info.subsystem_id = 0;
  snprintf(info.bus_id, sizeof info.bus_id, "%08X:%02X:%02X.0", info.domain, info.bus, info.device);
}

constexpr const char* kNames[] = {
#define NVML_UNSUPPORTED(name) #name,
#include "harness/client/inside/libnvml/unsupported.def"
};
enum class Row : size_t {
#define NVML_UNSUPPORTED(name) name,
#include "harness/client/inside/libnvml/unsupported.def"
};
entries::MissedCalls calls("NVML_ERROR_NOT_SUPPORTED", kNames);

}  // namespace

#define AFTERLIFE_NVML extern "C" __attribute__((visibility("default"))) Result

// ---- the library ------------------------------------------------------------------------------

AFTERLIFE_NVML nvmlInitWithFlags(unsigned /*flags*/) {
  __atomic_fetch_add(&initialized, 1, __ATOMIC_RELAXED);
  return Result::SUCCESS;
}
AFTERLIFE_NVML nvmlInit_v2() { return nvmlInitWithFlags(0); }
AFTERLIFE_NVML nvmlInit() { return nvmlInitWithFlags(0); }

AFTERLIFE_NVML nvmlShutdown() {
  if (const Result error = ready(); error != Result::SUCCESS) return error;
  __atomic_fetch_sub(&initialized, 1, __ATOMIC_RELAXED);
  return Result::SUCCESS;
}

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(Result result) {
  switch (result) {
    case Result::SUCCESS:
      return "Success";
    case Result::ERROR_UNINITIALIZED:
      return "Uninitialized";
    case Result::ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case Result::ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case Result::ERROR_NOT_FOUND:
      return "Not Found";
    case Result::ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case Result::ERROR_ARGUMENT_VERSION_MISMATCH:
      return "Argument Version Mismatch";
    default:
      return "Unknown Error";
  }
}

AFTERLIFE_NVML nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  if (const Result error = ready(); error != Result::SUCCESS) return error;
  return version != nullptr ? put(version, bytes, kDriverVersion) : Result::ERROR_INVALID_ARGUMENT;
}

AFTERLIFE_NVML nvmlSystemGetNVMLVersion(char* version, unsigned bytes) {
  return version != nullptr ? put(version, bytes, kNvmlVersion) : Result::ERROR_INVALID_ARGUMENT;
}

AFTERLIFE_NVML nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return Result::ERROR_INVALID_ARGUMENT;
  *version = CUDA_VERSION;
  return Result::SUCCESS;
}
AFTERLIFE_NVML nvmlSystemGetCudaDriverVersion(int* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

AFTERLIFE_NVML nvmlUnitGetCount(unsigned* count) {
  if (const Result error = admit(&the_device, count); error != Result::SUCCESS) return error;
  *count = 0;
  return Result::SUCCESS;
}

// ---- devices ----------------------------------------------------------------------------------

AFTERLIFE_NVML nvmlDeviceGetCount_v2(unsigned* count) {
  if (const Result error = admit(&the_device, count); error != Result::SUCCESS) return error;
  *count = 1;
  return Result::SUCCESS;
}
AFTERLIFE_NVML nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }

AFTERLIFE_NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
  if (const Result error = admit(&the_device, device); error != Result::SUCCESS) return error;
  if (index != 0) return Result::ERROR_INVALID_ARGUMENT;
  *device = &the_device;
  return Result::SUCCESS;
}
AFTERLIFE_NVML nvmlDeviceGetHandleByIndex(unsigned index, Device** device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

AFTERLIFE_NVML nvmlDeviceGetHandleByUUID(const char* uuid, Device** device) {
  if (const Result error = admit(&the_device, device); error != Result::SUCCESS) return error;
  if (uuid == nullptr) return Result::ERROR_INVALID_ARGUMENT;
  char own[41];
  write_uuid(own);
  if (strcmp(uuid, own) != 0) return Result::ERROR_NOT_FOUND;
  *device = &the_device;
  return Result::SUCCESS;
}

AFTERLIFE_NVML nvmlDeviceGetHandleByUUIDV(const Uuid* uuid, Device** device) {
  if (const Result error = admit(&the_device, device); error != Result::SUCCESS) return error;
  if (uuid == nullptr || uuid->type < 1 || uuid->type > 2) return Result::ERROR_INVALID_ARGUMENT;
  if (uuid->version != struct_version<Uuid>(1)) return Result::ERROR_ARGUMENT_VERSION_MISMATCH;
  if (uuid->type == 1) return nvmlDeviceGetHandleByUUID(uuid->text, device);
  if (memcmp(uuid->bytes, devices::kUuid, sizeof devices::kUuid) != 0)
    return Result::ERROR_NOT_FOUND;
  *device = &the_device;
  return Result::SUCCESS;
}

AFTERLIFE_NVML nvmlDeviceGetHandleByPciBusId_v2(const char* text, Device** device) {
  if (const Result error = admit(&the_device, device); error != Result::SUCCESS) return error;
  if (text == nullptr) return Result::ERROR_INVALID_ARGUMENT;
  const devices::PciPlace place = devices::read_pci_place(text);
  if (place == devices::PciPlace::none) return Result::ERROR_INVALID_ARGUMENT;
  if (place == devices::PciPlace::other) return Result::ERROR_NOT_FOUND;
  *device = &the_device;
  return Result::SUCCESS;
}
AFTERLIFE_NVML nvmlDeviceGetHandleByPciBusId(const char* text, Device** device) {
  return nvmlDeviceGetHandleByPciBusId_v2(text, device);
}

// ---- properties -------------------------------------------------------------------------------

AFTERLIFE_NVML nvmlDeviceGetName(Device* device, char* name, unsigned bytes) {
  const Result error = admit(device, name);
  return error != Result::SUCCESS ? error : put(name, bytes, devices::kDeviceName);
}

AFTERLIFE_NVML nvmlDeviceGetUUID(Device* device, char* uuid, unsigned bytes) {
  if (const Result error = admit(device, uuid); error != Result::SUCCESS) return error;
  char own[41];
  write_uuid(own);
  return put(uuid, bytes, own);
}

/// Returns a number to the program.
static Result tell(Device* device, unsigned* answer, unsigned value) {
  if (const Result error = admit(device, answer); error != Result::SUCCESS) return error;
  *answer = value;
  return Result::SUCCESS;
}

AFTERLIFE_NVML nvmlDeviceGetIndex(Device* device, unsigned* index) {
  return tell(device, index, 0);
}
AFTERLIFE_NVML nvmlDeviceGetMinorNumber(Device* device, unsigned* number) {
  return tell(device, number, 0);
}
AFTERLIFE_NVML nvmlDeviceGetMultiGpuBoard(Device* device, unsigned* is_one) {
  return tell(device, is_one, 0);
}
AFTERLIFE_NVML nvmlDeviceGetArchitecture(Device* device, unsigned* architecture) {
  return tell(device, architecture, kAmpere);
}
AFTERLIFE_NVML nvmlDeviceGetComputeMode(Device* device, unsigned* mode) {
  return tell(device, mode,
              static_cast<unsigned>(attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)));
}

AFTERLIFE_NVML nvmlDeviceGetCudaComputeCapability(Device* device, int* major, int* minor) {
  if (const Result error = admit(device, minor); error != Result::SUCCESS) return error;
  if (major == nullptr) return Result::ERROR_INVALID_ARGUMENT;
  *major = attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  *minor = attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return Result::SUCCESS;
}

AFTERLIFE_NVML nvmlDeviceGetPciInfo_v3(Device* device, PciInfo* place) {
  if (const Result error = admit(device, place); error != Result::SUCCESS) return error;
  write_place(*place);
  snprintf(place->bus_id_legacy, sizeof place->bus_id_legacy, "%04X:%02X:%02X.0", place->domain,
           place->bus, place->device);
  return Result::SUCCESS;
}
AFTERLIFE_NVML nvmlDeviceGetPciInfo_v2(Device* device, PciInfo* place) {
  return nvmlDeviceGetPciInfo_v3(device, place);
}
AFTERLIFE_NVML nvmlDeviceGetPciInfo(Device* device, PciInfo* place) {
  return nvmlDeviceGetPciInfo_v3(device, place);
}

AFTERLIFE_NVML nvmlDeviceGetPciInfoExt(Device* device, PciInfoExt* place) {
  if (const Result error = admit(device, place); error != Result::SUCCESS) return error;
  if (place->version != struct_version<PciInfoExt>(1))
    return Result::ERROR_ARGUMENT_VERSION_MISMATCH;
  write_place(*place);
  place->base_class = 3;  // A display controller: PCI Code and ID Assignment Specification.
  place->sub_class = 2;   // A 3D controller.
  return Result::SUCCESS;
}

AFTERLIFE_NVML nvmlDeviceGetMemoryInfo(Device* device, Memory* memory) {
  if (const Result error = admit(device, memory); error != Result::SUCCESS) return error;
  const unsigned long long used = used_bytes();
  *memory = {kMemoryBytes, kMemoryBytes - used, used};
  return Result::SUCCESS;
}

AFTERLIFE_NVML nvmlDeviceGetMemoryInfo_v2(Device* device, MemoryV2* memory) {
  if (const Result error = admit(device, memory); error != Result::SUCCESS) return error;
  if (memory->version != struct_version<MemoryV2>(2))
    return Result::ERROR_ARGUMENT_VERSION_MISMATCH;
  const unsigned long long used = used_bytes();
  *memory = {memory->version, kMemoryBytes, 0, kMemoryBytes - used, used};
  return Result::SUCCESS;
}

/// Marks all fields as not available: the device has no links to others, counters or limits.
AFTERLIFE_NVML nvmlDeviceGetFieldValues(Device* device, int count, FieldValue* values) {
  if (const Result error = admit(device, values); error != Result::SUCCESS) return error;
  if (count <= 0) return Result::ERROR_INVALID_ARGUMENT;
  for (FieldValue* each = values; each != values + count; ++each)
    each->result = Result::ERROR_NOT_SUPPORTED;
  return Result::SUCCESS;
}

// ---- other functions --------------------------------------------------------------------------

#define NVML_UNSUPPORTED(name)                  \
  AFTERLIFE_NVML name() {                       \
    calls.note(static_cast<size_t>(Row::name)); \
    return Result::ERROR_NOT_SUPPORTED;         \
  }
#include "harness/client/inside/libnvml/unsupported.def"

}  // namespace harness::nvml
