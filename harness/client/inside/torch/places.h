// SPDX-License-Identifier: Apache-2.0
// Places: CPU tensors with the addresses of device tensors, and the bytes that they use. Device
// memory of the simulated driver is host memory.
//
// Lifetime: the results refer to addresses only, not to a tensor or a storage of the device, which
// they would keep alive after the program has released it.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/driver/cuda/host_work.h"

namespace afterlife {

using Ranges = std::vector<AfterlifeRange>;

/// The tensors of one call. If device tensors share a storage, so do these.
class Places {
 public:
  /// Returns a CPU tensor over the bytes of `tensor`.
  at::Tensor over(const at::Tensor& tensor) {
    auto made = at::detail::make_tensor<c10::TensorImpl>(
        storage_of(tensor.storage()), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
    c10::TensorImpl* impl = made.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
    if (tensor.is_conj()) made._set_conj(true);
    if (tensor.is_neg()) made._set_neg(true);
    return made;
  }

 private:
  c10::Storage storage_of(const c10::Storage& device) {
    const c10::StorageImpl* key = device.unsafeGetStorageImpl();
    for (const auto& [known, host] : storages_)
      if (known == key) return host;
    void* address = const_cast<void*>(device.data());
    c10::Storage host(c10::Storage::use_byte_size_t(), device.nbytes(),
                      at::DataPtr(address, c10::Device(c10::DeviceType::CPU)));
    storages_.emplace_back(key, host);
    return host;
  }

  std::vector<std::pair<const c10::StorageImpl*, c10::Storage>> storages_;
};

/// A dimension, with its stride in bytes.
struct Extent {
  std::uint64_t stride;
  std::uint64_t size;
};

/// Returns the dimensions of a tensor, the innermost first. Contiguous dimensions are merged.
inline std::vector<Extent> extents_of(const at::Tensor& tensor) {
  const auto item = static_cast<std::uint64_t>(tensor.itemsize());
  std::vector<Extent> all;
  for (std::int64_t i = 0; i < tensor.dim(); ++i)
    if (tensor.size(i) != 1 && tensor.stride(i) != 0)
      all.push_back({static_cast<std::uint64_t>(tensor.stride(i)) * item,
                     static_cast<std::uint64_t>(tensor.size(i))});
  std::sort(all.begin(), all.end(),
            [](const Extent& left, const Extent& right) { return left.stride < right.stride; });
  std::vector<Extent> merged{{item, 1}};
  for (const Extent& next : all) {
    Extent& last = merged.back();
    if (next.stride == last.stride * last.size)
      last.size *= next.size;
    else
      merged.push_back(next);
  }
  return merged;
}

/// Adds the bytes of a tensor. If these are too many rows, adds the whole range as possibly used.
inline void add_ranges(Ranges& ranges, const at::Tensor& tensor, int use) {
  constexpr std::uint64_t kMostRows = 1024;
  constexpr std::uint64_t kMostRanges = 64;
  if (tensor.numel() == 0) return;
  const std::vector<Extent> extents = extents_of(tensor);
  const auto item = static_cast<std::uint64_t>(tensor.itemsize());
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(tensor.storage().data()) +
                              static_cast<std::uint64_t>(tensor.storage_offset()) * item;
  const std::uint64_t run = item * extents[0].size;
  const Extent rows = extents.size() > 1 ? extents[1] : Extent{0, 1};
  std::uint64_t count = 1;
  std::uint64_t end = run + rows.stride * (rows.size - 1);
  for (std::size_t i = 2; i < extents.size(); ++i) {
    count *= extents[i].size;
    end += extents[i].stride * (extents[i].size - 1);
  }
  if (count > kMostRanges || count * rows.size > kMostRows) {
    ranges.push_back({begin, end, 1, 0, use | AFTERLIFE_MAY});
    return;
  }
  for (std::uint64_t index = 0; index < count; ++index) {
    std::uint64_t offset = 0;
    std::uint64_t rest = index;
    for (std::size_t i = 2; i < extents.size(); ++i) {
      offset += rest % extents[i].size * extents[i].stride;
      rest /= extents[i].size;
    }
    ranges.push_back({begin + offset, run, rows.size, rows.stride, use});
  }
}

}  // namespace afterlife
