// SPDX-License-Identifier: Apache-2.0
// libafterlife_nvtx.so: the tool that NVTX loads under `afterlife run` (NVTX_INJECTION64_PATH). It
// makes NVTX report the memory of suballocators to our driver; ranges and marks are ignored. Until
// then, it depends on the C library only.
#include <iterator>

#include "harness/base/handed_over.h"
#include "harness/client/inside/libnvtx/interface.h"

#define AFTERLIFE_NVTX extern "C" __attribute__((visibility("default"))) int

AFTERLIFE_NVTX InitializeInjectionNvtx2(void* /*get_export_table*/) { return 1; }

/// Fills in the slots of the memory extension. Returns 0 for other extensions, which have no
/// listener.
AFTERLIFE_NVTX InitializeInjectionNvtxExtension(harness::nvtx::ModuleInfo* info) {
  if (info->module != harness::nvtx::kMemoryModule || info->segment_count < 1) return 0;
  void* driver = harness::entries::open_beside("libcuda.so.1");
  if (driver == nullptr) return 0;
  const harness::nvtx::Segment& segment = info->segments[0];
  for (std::size_t i = 0; i < std::size(harness::nvtx::kFunctions) && i < segment.slot_count; ++i)
    segment.slots[i] = reinterpret_cast<std::intptr_t>(dlsym(driver, harness::nvtx::kFunctions[i]));
  return 1;
}
