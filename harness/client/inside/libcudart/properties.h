// SPDX-License-Identifier: Apache-2.0
// Properties: fills in the structure with the properties of a device.
#pragma once

#include <cstring>

#include "harness/client/inside/libcudart/call.h"

namespace harness::cudart {

/// A property that is a driver attribute.
template <class Properties>
struct Property {
  CUdevice_attribute attribute;
  void (*set)(Properties& properties, int value);
};

/// Fills in each row of the table, and the properties that are not attributes.
template <class Properties, std::size_t kCount>
CUresult fill(Properties& properties, CUdevice device, const Property<Properties> (&rows)[kCount]) {
  CUuuid uuid{};
  CUresult error = driver.cuDeviceGetName(properties.name, sizeof properties.name, device);
  if (error == CUDA_SUCCESS) error = driver.cuDeviceGetUuid_v2(&uuid, device);
  if (error == CUDA_SUCCESS) error = driver.cuDeviceTotalMem_v2(&properties.totalGlobalMem, device);
  std::memcpy(&properties.uuid, &uuid, sizeof uuid);
  for (const Property<Properties>& row : rows) {
    int value = 0;
    if (error == CUDA_SUCCESS) error = driver.cuDeviceGetAttribute(&value, row.attribute, device);
    row.set(properties, value);
  }
  return error;
}

/// Errors: cudaErrorInvalidValue for null; the driver's error for a device that does not exist.
template <class Properties, std::size_t kCount>
cudaError_t get_properties(Properties* properties, int ordinal,
                           const Property<Properties> (&rows)[kCount]) {
  return initialized([&] {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUdevice device = 0;
    if (const CUresult error = driver.cuDeviceGet(&device, ordinal)) return error;
    *properties = {};
    return fill(*properties, device, rows);
  });
}

}  // namespace harness::cudart

/// Makes the table row of a line of properties.def.
#define CUDART_PROPERTY_ROW(Properties, field, name)                     \
  {CU_DEVICE_ATTRIBUTE_##name, [](Properties& properties, int value) {   \
     properties.field = static_cast<decltype(+properties.field)>(value); \
   }},
