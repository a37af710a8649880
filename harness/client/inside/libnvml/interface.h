// SPDX-License-Identifier: Apache-2.0
// Interface: the structs of NVML that libnvidia-ml.so.1 fills in, declared here so that its header
// nvml.h is not needed.
#pragma once

namespace harness::nvml {

enum class Result : int {
  SUCCESS = 0,
  ERROR_UNINITIALIZED = 1,
  ERROR_INVALID_ARGUMENT = 2,
  ERROR_NOT_SUPPORTED = 3,
  ERROR_NOT_FOUND = 6,
  ERROR_INSUFFICIENT_SIZE = 7,
  ERROR_ARGUMENT_VERSION_MISMATCH = 25,
  ERROR_UNKNOWN = 999,
};

/// A device. Its content is hidden from users of its handle.
struct Device;

/// nvmlPciInfo_t.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

/// nvmlPciInfoExt_v1_t.
struct PciInfoExt {
  unsigned version;
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  unsigned base_class;
  unsigned sub_class;
  char bus_id[32];
};

/// nvmlMemory_t. In bytes.
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

/// nvmlMemory_v2_t. In bytes.
struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};

/// nvmlUUID_v1_t.
struct Uuid {
  unsigned version;
  unsigned type;  ///< 1: text, 2: bytes.
  union {
    char text[41];
    unsigned char bytes[16];
  };
};

/// nvmlFieldValue_t.
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  int value_type;
  Result result;  ///< Whether this field is available.
  unsigned long long value;
};

/// Returns the version of a struct, like NVML_STRUCT_VERSION.
template <class Struct>
constexpr unsigned struct_version(unsigned version) {
  return static_cast<unsigned>(sizeof(Struct)) | version << 24;
}

}  // namespace harness::nvml
