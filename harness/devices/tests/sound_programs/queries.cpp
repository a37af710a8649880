// SPDX-License-Identifier: Apache-2.0
// The driver's answers about itself, its devices and errors.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

static void driver(Program& p) {
  cuInit(p.keep(Rule::init_flags_are_zero) ? 0 : 1);
  int version = 0;
  cuDriverGetVersion(&version);
  p.check(version == CUDA_VERSION, "the version");
  void* function = nullptr;
  const bool named = p.keep(Rule::functions_are_asked_by_name);
  cuGetProcAddress_v2(named ? "cuMemAlloc" : nullptr, &function, CUDA_VERSION,
                      CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
  p.check(function != nullptr, "an entry point");
}

static void another_process(Program& p) {
  const ProcessScope scope(World::current()->scheduler, ProcessId{4});
  if (p.keep(Rule::the_driver_is_initialized)) cuInit(0);
  int count = 0;
  cuDeviceGetCount(&count);
}

static void log_of_errors(Program& p) {
  CUlogsCallbackHandle registered = nullptr;
  cuLogsRegisterCallback([](void*, CUlogLevel, char*, std::size_t) {}, nullptr, &registered);
  CUlogIterator end = 0;
  cuLogsCurrent(&end, p.keep(Rule::log_flags_are_zero) ? 0 : 1);
  char buffer[64];
  std::size_t bytes = sizeof buffer;
  cuLogsDumpToMemory(&end, buffer, &bytes, 0);
  cuLogsDumpToFile(nullptr, "/dev/null", 0);
  if (!p.dropped()) cuLogsUnregisterCallback(registered);
}

static void device(Program& p) {
  int count = 0;
  cuDeviceGetCount(&count);
  CUdevice found = -1;
  cuDeviceGet(&found, p.keep(Rule::ordinals_are_below_the_count) ? count - 1 : count);
  char name[64] = {};
  cuDeviceGetName(name, sizeof name, 0);
  std::size_t bytes = 0;
  cuDeviceTotalMem_v2(&bytes, 0);
  int value = 0;
  const bool known = p.keep(Rule::device_attributes_are_known);
  cuDeviceGetAttribute(
      &value, known ? CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK : CU_DEVICE_ATTRIBUTE_MAX, 0);
}

static void names_of_the_device(Program& p) {
  CUuuid uuid{};
  char place[32] = {};
  int major = 0;
  int minor = 0;
  int can_access = 1;
  CUdevice found = -1;
  cuDeviceGetUuid_v2(&uuid, 0);
  cuDeviceGetPCIBusId(place, sizeof place, 0);
  cuDeviceGetByPCIBusId(&found, place);
  p.check(found == 0, "the device at its place");
  cuDeviceComputeCapability(&major, &minor, 0);
  cuDeviceCanAccessPeer(&can_access, 0, 0);
  cuDeviceGetExecAffinitySupport(&can_access, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0);
}

static void error(Program& p) {
  const CUresult some =
      p.keep(Rule::error_codes_are_known) ? CUDA_ERROR_INVALID_VALUE : static_cast<CUresult>(12345);
  const char* text = nullptr;
  cuGetErrorName(some, &text);
  p.check(text != nullptr && std::string_view(text) == "CUDA_ERROR_INVALID_VALUE", "the name");
  cuGetErrorString(some, &text);
}

Steps query_steps() {
  static constexpr Program::Step kSteps[] = {driver, another_process,     log_of_errors,
                                             device, names_of_the_device, error};
  return kSteps;
}

}  // namespace harness::testing::sound
