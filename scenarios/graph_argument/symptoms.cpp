// SPDX-License-Identifier: Apache-2.0
// Symptoms: faults of this path, as a user of cuda.core would observe them.
//
// Memory that was freed to a pool stays mapped until the pool releases it, at a synchronization at
// which it holds more than its threshold: until then a stale use succeeds with wrong data.
#include "harness/run/scenario/symptoms.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::graph_argument {

extern const harness::SymptomTable symptoms;

namespace {

using harness::FaultKind;
using harness::Symptom;

constexpr Symptom kSymptoms[] = {
    {.kind = FaultKind::recycled_use,
     .object = "device memory",
     .sees = "a wrong value, silently: the kernel works on the buffer that got the memory",
     .source = "cuda-python#2039: crash or memory corruption"},
    {.kind = FaultKind::use_after_free,
     .object = "device memory",
     .sees = "a wrong value, silently; CUDA_ERROR_ILLEGAL_ADDRESS once the pool gives it back",
     .source = "cuda-python#2039; cuda.h: CU_MEMPOOL_ATTR_RELEASE_THRESHOLD"},
    {.kind = FaultKind::data_race,
     .object = "device memory",
     .sees = "a wrong value now and then, silently",
     .source = "cuda.h: CU_MEMPOOL_ATTR_RELEASE_THRESHOLD"},
    {.kind = FaultKind::retention,
     .object = "device memory",
     .sees = "GPU memory that grows, and is freed by no one",
     .source = "cuda.h: cuGraphRetainUserObject"},
    {.kind = FaultKind::deadlock,
     .detail = "waits for driver lock",
     .sees = "the process hangs: one thread is in take_gil, another in libcuda",
     .source = "numba-cuda#317, #321"},
    {.kind = FaultKind::lock_cycle,
     .detail = "waits for driver lock",
     .sees = "the process hangs now and then: one thread is in take_gil, another in libcuda",
     .source = "numba-cuda#317, #321"},
};

}  // namespace

const harness::SymptomTable symptoms{"graph_argument", kSymptoms};

}  // namespace scenarios::graph_argument
