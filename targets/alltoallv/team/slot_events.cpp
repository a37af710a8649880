#include "targets/alltoallv/team/slot_events.h"

#include <bit>

namespace targets::alltoallv {

Status SlotEvents::find_own(std::uint32_t slot, CUevent& event) {
  if (own_[slot] == nullptr) {
    constexpr unsigned kShared = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    CUevent made = nullptr;
    if (cuEventCreate(&made, kShared) != CUDA_SUCCESS) return Status::driver_error;
    own_[slot] = made;
  }
  event = own_[slot];
  return Status::ok;
}

Status SlotEvents::find_of_peer(std::uint32_t slot, std::uint32_t peer, Entry& entry,
                                CUevent& event) {
  event = of_peers_[slot][peer];
  if (event != nullptr) return Status::ok;
  const Published published{
      read_wide(entry.published, &Published::event, harness::Generation::any)};
  CUevent opened = nullptr;
  if (cuIpcOpenEventHandle(&opened, std::bit_cast<CUipcEventHandle>(published.event)) !=
      CUDA_SUCCESS)
    return Status::driver_error;
  event = of_peers_[slot][peer] = opened;
  return Status::ok;
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
