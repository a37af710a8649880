// SPDX-License-Identifier: Apache-2.0
// External: memory that Taichi does not own: numpy arrays on the host, torch tensors on the device.
#pragma once

#include <cuda.h>

#include "targets/argpack/layout.h"

namespace targets::argpack {

/// A numpy buffer. `v.ctypes.data` is its raw address.
struct HostStorage {
  explicit HostStorage(const ExternalBlock& initial) : block(initial) {}
  ExternalBlock block;
};

/// Storage of one array, on the host or the device. Moves when it is resized.
struct External {
  Storage storage = Storage::host;
  harness::Owned<HostStorage> host;
  CUdeviceptr device = 0;
  std::uint32_t export_count = 0;  ///< Number of views that pin the storage.
};

class ExternalArrays;

/// Payload of a wrapper: numpy.ndarray or torch.Tensor.
struct ExternalPayload {
  ExternalArrays* maker;
  ThingId thing;
  std::int32_t value;  ///< Base of its initial elements.
  External external;
};

/// Returns element `index` of an array made with `value`.
inline float external_element(std::int32_t value, std::uint32_t index) {
  return static_cast<float>(value) + 0.1f * static_cast<float>(index);
}

}  // namespace targets::argpack
