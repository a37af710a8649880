// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/gpu/ipc.h"

#include <algorithm>
#include <cstring>

namespace harness::devices {

void Imports::begin() {
  exported_memory_.clear();
  exported_events_.clear();
  mappings_.clear();
  shareable_.clear();
  opened_.clear();
  failures_.begin();
}

template <class Handle>
Imports::Key Imports::key(const Handle& handle) {
  Key key;
  static_assert(sizeof handle == sizeof key);
  std::memcpy(key.data(), &handle, sizeof key);
  return key;
}

void Imports::remember(const CUipcMemHandle& handle, const Exported& exported) {
  const auto [known, is_new] = exported_memory_.try_emplace(key(handle), exported);
  if (is_new || known->second.birth == exported.birth) return;
  for (Mapping& mapping : mappings_)
    if (mapping.exported == known->second.birth) mapping.exported = exported.birth;
  known->second = exported;
}

const Imports::Exported* Imports::find(const CUipcMemHandle& handle) const {
  const auto known = exported_memory_.find(key(handle));
  return known != exported_memory_.end() ? &known->second : nullptr;
}

Imports::Mapping* Imports::find(ProcessId importer, std::uint64_t address) {
  const auto holds = [&](const Mapping& mapping) {
    return mapping.importer == importer && address - mapping.address < mapping.bytes;
  };
  const auto found = std::find_if(mappings_.rbegin(), mappings_.rend(), holds);
  return found != mappings_.rend() ? &*found : nullptr;
}

bool Imports::any_open(BirthId exported) const {
  return std::any_of(mappings_.begin(), mappings_.end(), [&](const Mapping& mapping) {
    return mapping.exported == exported && mapping.open_count > 0;
  });
}

CUipcEventHandle Imports::remember(const ExportedEvent& exported) {
  CUipcEventHandle handle{};
  std::memcpy(&handle, &exported.event, sizeof exported.event);
  exported_events_[key(handle)] = exported;
  return handle;
}

const Imports::ExportedEvent* Imports::find(const CUipcEventHandle& handle) const {
  const auto known = exported_events_.find(key(handle));
  return known != exported_events_.end() ? &known->second : nullptr;
}

CUevent Imports::open(CUevent exported) {
  // Not a canonical address, so neither the program nor the driver can have this value.
  const std::uint64_t number = 0xc0db'0000'0000'0000 + 16 * (opened_.size() + 1);
  const auto name = reinterpret_cast<CUevent>(number);
  opened_[name] = exported;
  return name;
}

CUevent Imports::exported(CUevent event) const {
  if (opened_.empty()) return nullptr;
  const auto known = opened_.find(event);
  return known != opened_.end() ? known->second : nullptr;
}

}  // namespace harness::devices
