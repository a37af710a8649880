// SPDX-License-Identifier: Apache-2.0
// Interface: the data that NVTX's memory extension passes to a tool, declared here so that its
// public headers (nvToolsExtMem.h, nvtxDetail/nvtxExtTypes.h) are not needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harness::nvtx {

inline constexpr std::uint16_t kMemoryModule = 1;    ///< NVTX_EXT_MODULEID_MEM.
inline constexpr std::uint32_t kSubAllocator = 1;    ///< NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR.
inline constexpr std::uint32_t kVirtualAddress = 1;  ///< NVTX_MEM_TYPE_VIRTUAL_ADDRESS.
inline constexpr std::uint32_t kAscii = 1;           ///< NVTX_MESSAGE_TYPE_ASCII.
inline constexpr std::uint32_t kByPointer = 1;       ///< NVTX_MEM_REGION_REF_TYPE_POINTER.

/// nvtxExtModuleSegment_t.
struct Segment {
  std::size_t id;
  std::size_t slot_count;
  std::intptr_t* slots;
};

/// nvtxExtModuleInfo_t.
struct ModuleInfo {
  std::uint16_t version;
  std::uint16_t bytes;
  std::uint16_t module;
  std::uint16_t compatible;
  std::size_t segment_count;
  Segment* segments;
  std::intptr_t (*get_export)(std::uint32_t);
  const void* info;
};

/// nvtxMemVirtualRangeDesc_t.
struct Range {
  std::size_t bytes;
  const void* address;
};

/// nvtxMemHeapDesc_v1.
struct Heap {
  std::uint16_t compatible;
  std::uint16_t bytes;
  std::uint32_t reserved;
  std::uint32_t usage;
  std::uint32_t type;
  std::size_t place_bytes;
  const void* place;
  std::uint32_t category;
  std::uint32_t message_type;
  const char* message;
};

/// nvtxMemRegionsRegisterBatch_v1. Our handles are numbers.
struct Registered {
  std::uint16_t compatible;
  std::uint16_t bytes;
  std::uint32_t type;
  std::uintptr_t heap;
  std::size_t count;
  std::size_t element_bytes;
  const void* elements;
  std::uintptr_t* handles;
};

/// nvtxMemRegionsResizeBatch_v1.
struct Resized {
  std::uint16_t compatible;
  std::uint16_t bytes;
  std::uint32_t type;
  std::size_t count;
  std::size_t element_bytes;
  const void* elements;
};

/// nvtxMemRegionsUnregisterBatch_v1.
struct Unregistered {
  std::uint16_t compatible;
  std::uint16_t bytes;
  std::uint32_t reference_type;
  std::size_t count;
  std::size_t element_bytes;
  const void* elements;
};

/// nvtxMemRegionNameDesc_v1.
struct Name {
  std::uint32_t reference_type;
  std::uint32_t name_type;
  std::uintptr_t region;
  const char* name;
  std::uint32_t category;
  std::uint32_t reserved;
};

/// nvtxMemRegionsNameBatch_v1.
struct Named {
  std::uint16_t compatible;
  std::uint16_t bytes;
  std::uint32_t reserved;
  std::size_t count;
  std::size_t element_bytes;
  const void* elements;
  std::size_t reserved_too;
};

/// The functions of the simulated driver for the extension, in the order of their slots.
inline constexpr const char* kFunctions[] = {
    "afterlife_nvtxMemHeapRegister",  "afterlife_nvtxMemHeapUnregister",
    "afterlife_nvtxMemHeapReset",     "afterlife_nvtxMemRegionsRegister",
    "afterlife_nvtxMemRegionsResize", "afterlife_nvtxMemRegionsUnregister",
    "afterlife_nvtxMemRegionsName",
};

}  // namespace harness::nvtx
