// SPDX-License-Identifier: Apache-2.0
// How it works. NVTX calls these functions through its slots (harness/client/inside/libnvtx). Each
// takes the driver like a function of cuda.h, so its line is recorded and other threads wait.
#include <cstring>
#include <optional>

#include "harness/client/inside/libnvtx/interface.h"
#include "harness/devices/sim/regions/calls.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

using devices::RegionCalls;
using devices::SimDevice;

/// A call of NVTX, with the name of its function.
class NvtxCall {
 public:
  explicit NvtxCall(Label function) : process_(ProcessWorld::get()) {
    process_.begin_call(function);
    site_.emplace(process_.world().scheduler, function);
  }
  ~NvtxCall() {
    site_.reset();
    process_.unlock();
  }
  NvtxCall(const NvtxCall&) = delete;
  NvtxCall& operator=(const NvtxCall&) = delete;

  /// Returns whether the repair under trial leaves out this call.
  bool is_left_out() const { return process_.leaves_out(); }
  RegionCalls regions() const { return {static_cast<SimDevice&>(*process_.world().device)}; }

 private:
  ProcessWorld& process_;
  std::optional<SiteScope> site_;
};

/// Calls `act` for each element of a batch. Newer versions of NVTX may have larger elements.
template <class Element, class Act>
void for_each(const void* elements, std::size_t count, std::size_t bytes, Act act) {
  if (elements == nullptr || bytes < sizeof(Element)) return;
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, static_cast<const char*>(elements) + i * bytes, sizeof element);
    act(element, i);
  }
}

/// Returns the region of a reference, which is a number or an address.
std::uint32_t number_of(const RegionCalls& regions, std::uint32_t type, std::uintptr_t reference) {
  return type == nvtx::kByPointer ? regions.starting_at(reference)
                                  : static_cast<std::uint32_t>(reference);
}

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace
}  // namespace harness::entries

using harness::entries::NvtxCall;
namespace nvtx = harness::nvtx;

#pragma GCC visibility push(default)
extern "C" {

std::uintptr_t afterlife_nvtxMemHeapRegister(void*, const nvtx::Heap* heap) {
  if (heap == nullptr || heap->usage != nvtx::kSubAllocator) return 0;
  const NvtxCall call("nvtxMemHeapRegister");
  const bool is_named = heap->message_type == nvtx::kAscii && heap->message != nullptr;
  return call.regions().add_heap(is_named ? heap->message : "");
}

void afterlife_nvtxMemHeapUnregister(void*, std::uintptr_t heap) {
  if (heap == 0) return;
  const NvtxCall call("nvtxMemHeapUnregister");
  if (!call.is_left_out()) call.regions().end_all(static_cast<std::uint32_t>(heap), true);
}

void afterlife_nvtxMemHeapReset(void*, std::uintptr_t heap) {
  if (heap == 0) return;
  const NvtxCall call("nvtxMemHeapReset");
  if (!call.is_left_out()) call.regions().end_all(static_cast<std::uint32_t>(heap), false);
}

void afterlife_nvtxMemRegionsRegister(void*, const nvtx::Registered* batch) {
  if (batch == nullptr || batch->type != nvtx::kVirtualAddress || batch->heap == 0) return;
  const NvtxCall call("nvtxMemRegionsRegister");
  harness::entries::for_each<nvtx::Range>(
      batch->elements, batch->count, batch->element_bytes,
      [&](const nvtx::Range& range, std::size_t i) {
        const std::uint32_t number =
            call.regions().add(static_cast<std::uint32_t>(batch->heap),
                               harness::entries::address_of(range.address), range.bytes);
        if (batch->handles != nullptr) batch->handles[i] = number;
      });
}

void afterlife_nvtxMemRegionsResize(void*, const nvtx::Resized* batch) {
  if (batch == nullptr || batch->type != nvtx::kVirtualAddress) return;
  const NvtxCall call("nvtxMemRegionsResize");
  harness::entries::for_each<nvtx::Range>(
      batch->elements, batch->count, batch->element_bytes,
      [&](const nvtx::Range& range, std::size_t) {
        const auto regions = call.regions();
        regions.resize(regions.starting_at(harness::entries::address_of(range.address)),
                       range.bytes);
      });
}

void afterlife_nvtxMemRegionsUnregister(void*, const nvtx::Unregistered* batch) {
  if (batch == nullptr) return;
  const NvtxCall call("nvtxMemRegionsUnregister");
  if (call.is_left_out()) return;
  harness::entries::for_each<std::uintptr_t>(
      batch->elements, batch->count, batch->element_bytes,
      [&](std::uintptr_t reference, std::size_t) {
        const auto regions = call.regions();
        regions.end(harness::entries::number_of(regions, batch->reference_type, reference));
      });
}

void afterlife_nvtxMemRegionsName(void*, const nvtx::Named* batch) {
  if (batch == nullptr) return;
  const NvtxCall call("nvtxMemRegionsName");
  harness::entries::for_each<nvtx::Name>(
      batch->elements, batch->count, batch->element_bytes,
      [&](const nvtx::Name& name, std::size_t) {
        const auto regions = call.regions();
        const std::uint32_t number =
            harness::entries::number_of(regions, name.reference_type, name.region);
        auto& all = regions.sim.memory().regions();
        if (number == 0 || number > all.count() || name.name_type != nvtx::kAscii) return;
        all.at(number).name = name.name;
      });
}
}
#pragma GCC visibility pop
