// SPDX-License-Identifier: Apache-2.0
// Symptoms: faults of this path, as a user of UCC would observe them.
#include "harness/run/scenario/symptoms.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::alltoallv {

extern const harness::SymptomTable symptoms;

namespace {

using harness::FaultKind;
using harness::Symptom;

constexpr Symptom kSymptoms[] = {
    {.kind = FaultKind::wild_access,
     .object = "missing region",
     .detail = "at 0x78",
     .sees = "SIGSEGV at 0x78, refcount of a null region; with --enable-assert an abort before it",
     .source = "ucc#1268; tl_cuda_cache.c: ucc_tl_cuda_unmap_memhandle"},
    {.kind = FaultKind::double_free,
     .object = "region",
     .use = "alltoallv_unmap",
     .sees = "nothing in a release build; with --enable-assert an abort at refcount >= 1",
     .source = "tl_cuda_cache.c:318"},
    {.kind = FaultKind::wrong_owner,
     .object = "device memory",
     .detail = "has it mapped for the team",
     .sees = "undefined; where the driver keeps exported memory for its importers, nothing",
     .source = "tl_cuda_team.c:219-290; cuda.h: cuIpcCloseMemHandle; ucx#10346"},
    {.kind = FaultKind::api_misuse,
     .object = "device memory",
     .use = "post_copies",
     .sees = "cudaErrorInvalidValue from cudaMemcpyAsync, told to the log; its peers wait for ever",
     .source = "alltoallv_ce.c:670-677: the status of triggered_post_setup is not looked at"},
    {.kind = FaultKind::api_misuse,
     .object = "device memory",
     .use = "post_batch_copies",
     .sees = "cudaErrorInvalidValue or SIGSEGV from cudaMemcpyBatchAsync; its peers wait for ever",
     .source = "alltoallv_ce.c:297-411: no is_direct, no proxies, peer_map_addr_src not filled in"},
    {.kind = FaultKind::wrong_value,
     .object = "destination",
     .sees = "UCC_OK, and other data: {}",
     .source = "ucc.h: a collective that is complete has written its destination"},
};

}  // namespace

const harness::SymptomTable symptoms{"alltoallv", kSymptoms};

}  // namespace scenarios::alltoallv
