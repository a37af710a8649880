// Symptoms: faults of this path as a user of UCC meets them.
#include "harness/scenario/symptoms.h"

#include "harness/fault/kinds.h"

namespace scenarios::alltoallv {

extern const harness::SymptomTable symptoms;

namespace {

using harness::FaultKind;
using harness::Symptom;

constexpr Symptom kRows[] = {
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
};

}  // namespace

const harness::SymptomTable symptoms{"alltoallv", kRows};

}  // namespace scenarios::alltoallv
