// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/team/slot_events.h"

#include <bit>

namespace targets::alltoallv {

CUevent SlotEvents::own(std::uint32_t slot, Entry& entry) {
  CUevent& event = own_[slot];
  if (event != nullptr) return event;
  constexpr unsigned kShared = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  while (cuEventCreate(&event, kShared) != CUDA_SUCCESS) {
  }
  CUipcEventHandle handle;
  while (cuIpcGetEventHandle(&handle, event) != CUDA_SUCCESS) {
  }
  entry.published.write({std::bit_cast<Handle>(handle)}, harness::Generation::any);
  return event;
}

CUevent SlotEvents::of_peer(std::uint32_t slot, std::uint32_t peer, Entry& entry) {
  CUevent& event = of_peers_[slot][peer];
  if (event != nullptr) return event;
  const Published published{
      read_wide(entry.published, &Published::event, harness::Generation::any)};
  while (cuIpcOpenEventHandle(&event, std::bit_cast<CUipcEventHandle>(published.event)) !=
         CUDA_SUCCESS) {
  }
  return event;
}

void SlotEvents::close_of_peers() {
  for (auto& events : of_peers_)
    for (CUevent& event : events)
      if (event != nullptr) cuEventDestroy(std::exchange(event, nullptr));
}

void SlotEvents::destroy_own() {
  for (CUevent& event : own_)
    if (event != nullptr) cuEventDestroy(std::exchange(event, nullptr));
}

}  // namespace targets::alltoallv
