// SPDX-License-Identifier: Apache-2.0
// Found: the object that a call asked for, or the error that it returns.
#pragma once

#include <cuda.h>

namespace harness::devices {

/// Lifetime: borrows the object. The error is CUDA_SUCCESS exactly if there is an object.
template <class T>
class [[nodiscard]] Found {
 public:
  Found(T& object) : object_(&object) {}
  Found(CUresult error) : error_(error) {}

  explicit operator bool() const { return object_ != nullptr; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  CUresult error() const { return error_; }

 private:
  T* object_ = nullptr;
  CUresult error_ = CUDA_SUCCESS;
};

}  // namespace harness::devices
