// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/tests/sound_programs/entries.h"

#include <utility>

namespace harness::testing::sound {

const char* name_of(Entry entry) {
  static constexpr const char* kNames[] = {
#define CUDA_ROW(name, ...) #name,
#define CUDA_PTSZ(name, ...) #name "_ptsz",
#include "harness/driver/cuda/cuda.def"
      "cuGetProcAddress_v2", "none"};
  return kNames[raw(entry)];
}

/// Says if an entry asks for something that may not be so yet.
static bool may_be_not_ready(Entry entry) {
  return entry == Entry::cuStreamQuery || entry == Entry::cuStreamQuery_ptsz ||
         entry == Entry::cuEventQuery;
}

CUresult Calls::note(Entry entry, CUresult status) {
  const CUresult expected = std::exchange(expected_, CUDA_SUCCESS);
  if (status == expected) {
    ++counts_[raw(entry)];
  } else if (status != CUDA_ERROR_NOT_READY || !may_be_not_ready(entry)) {
    if (wrong_ == Entry::count) {
      wrong_ = entry;
      wrong_status_ = status;
    }
  }
  return status;
}

bool Calls::takes_twin(CUstream& on) {
  if (on == nullptr || coin_() % 2 == 0) return false;
  if (on == CU_STREAM_PER_THREAD && coin_() % 2 == 0) on = nullptr;
  return true;
}

}  // namespace harness::testing::sound
