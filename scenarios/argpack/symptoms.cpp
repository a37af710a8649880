// SPDX-License-Identifier: Apache-2.0
// Symptoms: faults of this path, as a user of Taichi 1.7.4 observes them. Lines are of ba0e81dce5.
//
// glibc writes a freed chunk's links over an ArgPack's {device, alloc_id}: after a deletion, the
// result of a look-up is no valid handle.
#include "harness/run/scenario/symptoms.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::argpack {

extern const harness::SymptomTable symptoms;

namespace {

using harness::FaultKind;
using harness::Symptom;

constexpr Symptom kSymptoms[] = {
    {.kind = FaultKind::use_after_free,
     .object = "ArgPack",
     .config = "backend=gfx",
     .sees = "SIGSEGV: the alloc_id left in the freed ArgPack is followed as an address",
     .source = "runtime/gfx/runtime.cpp:486-490, rhi/vulkan: an alloc_id is an address"},
    {.kind = FaultKind::use_after_free,
     .object = "ArgPack",
     .sees = "RuntimeError: invalid DeviceAllocation; SIGSEGV where the freed bytes look valid",
     .source = "runtime/cuda/kernel_launcher.cpp:127-130, rhi/cuda/cuda_device.h"},
    {.kind = FaultKind::recycled_use,
     .object = "ArgPack",
     .sees = "a wrong value, silently: the kernel reads the pack that got the address",
     .source = "runtime/cuda/kernel_launcher.cpp:127-130"},
    {.kind = FaultKind::recycled_use,
     .object = "DeviceAllocation",
     .sees = "a wrong value, silently: the kernel reads what got the alloc_id",
     .source = "rhi/vulkan: freed nodes are handed out again, the last first"},
    {.kind = FaultKind::wrong_owner,
     .object = "ArgPack",
     .use = "delete_argpack/stale",
     .sees = "nothing yet: a live pack of the new program is gone, and its next use fails",
     .source = "program/program.cpp:428-443; quadrants#172"},
    {.kind = FaultKind::use_after_free,
     .object = "argument buffer",
     .sees = "SIGSEGV in set_struct_arg: the host writes through a device pointer",
     .source = "program/launch_context_builder.cpp:166-171"},
    {.kind = FaultKind::use_after_free,
     .object = "HostStorage",
     .sees = "a wrong value, silently; SIGSEGV where the array was large and is unmapped",
     .source = "runtime/cuda/kernel_launcher.cpp: the copy from the saved host pointer"},
    {.kind = FaultKind::use_after_free,
     .object = "device memory",
     .death = "reset",
     .config = "backend=cpu",
     .sees = "SIGSEGV: the call goes on with memory that ti.reset() has unmapped",
     .source = "rhi/common/host_memory_pool.cpp:114-122, runtime/cpu/kernel_launcher.cpp:48-67"},
    {.kind = FaultKind::use_after_free,
     .object = "device memory",
     .use = "walk_packs",
     .sees = "a wrong value, silently; CUDA_ERROR_ILLEGAL_ADDRESS once the pool gives it back",
     .source = "cuda.h: CU_MEMPOOL_ATTR_RELEASE_THRESHOLD"},
    {.kind = FaultKind::retention,
     .object = "device memory",
     .sees = "memory that grows with every such pack until ti.reset(): no deletion is retried",
     .source = "program/program.cpp:428-443"},
};

}  // namespace

const harness::SymptomTable symptoms{"argpack", kSymptoms};

}  // namespace scenarios::argpack
