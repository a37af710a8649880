// SPDX-License-Identifier: Apache-2.0
// Symptoms: faults of this path, as a user of CPython 3.12.1 would observe them: the reaction of a
// stock interpreter to the same bytes (README.md), or of the machine code of its functions.
#include "harness/run/scenario/symptoms.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::managed_dict {

extern const harness::SymptomTable symptoms;

namespace {

using harness::FaultKind;
using harness::Symptom;

constexpr Symptom kSymptoms[] = {
    {.kind = FaultKind::wild_access,
     .object = "null page",
     .use = "PyDict_SetItem",
     .detail = "SIGSEGV at 0xab",
     .sees = "{} in PyDict_SetItem: PyDict_Check reads the flags of a null type",
     .source = "3.12.1, Objects/dictobject.c: testb $0x20,0xab(%rax)"},
    {.kind = FaultKind::wild_access,
     .use = "PyDict_SetItem",
     .sees = "SIGSEGV in PyDict_SetItem: PyDict_Check reads the flags of what is no type",
     .source = "3.12.1, Objects/dictobject.c: testb $0x20,0xab(%rax)"},
    {.kind = FaultKind::wild_access,
     .use = "PyDict_GetItem",
     .sees = "{} in PyDict_GetItem: PyDict_Check reads the flags of what is no type",
     .source = "3.12.1, Objects/dictobject.c"},
    {.kind = FaultKind::wild_access,
     .use = "gc_collect_main",
     .sees = "SIGSEGV in gc_collect_main: tp_traverse is read from what is no type",
     .source = "3.12.1, Modules/gcmodule.c: subtract_refs() calls Py_TYPE(op)->tp_traverse"},
    {.kind = FaultKind::wrong_owner,
     .object = "values",
     .use = "subtype_dealloc",
     .sees =
         "nothing yet; PYTHONMALLOC=debug aborts at this free, and malloc under ASan reports it",
     .source = "3.12.1, Objects/typeobject.c: subtype_dealloc"},
    {.kind = FaultKind::wrong_value,
     .object = "cache entry",
     .sees = "a wrong value, silently: compiled code stores what the class had before",
     .source = "3.12.1: a type watcher must reach each cache"},
    {.kind = FaultKind::api_misuse,
     .object = "tagged word",
     .sees = "nothing yet: the size that the chunk of values is freed by is another one now",
     .source = "3.12.1, Objects/dictobject.c: free_values() subtracts the byte before them"},
};

}  // namespace

const harness::SymptomTable symptoms{"managed_dict", kSymptoms};

}  // namespace scenarios::managed_dict
