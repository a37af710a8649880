// SPDX-License-Identifier: Apache-2.0
#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/symptoms.h"

namespace harness::testing::toy {

extern const SymptomTable symptoms;

namespace {

constexpr Symptom kRows[] = {
    {.kind = FaultKind::use_after_free,
     .object = "Box",
     .sees = "an empty box",
     .source = "the toy's own word"},
};

}  // namespace

const SymptomTable symptoms{"toy", kRows};

}  // namespace harness::testing::toy
