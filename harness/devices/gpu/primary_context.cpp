// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/gpu/primary_context.h"

namespace harness::devices {

/// The driver with which this process keeps the context; null while it does not.
static const DriverTable* keeper = nullptr;

void PrimaryContext::begin() {
  handle_ = nullptr;
  count_ = 0;
  is_changed_ = is_reset_ = false;
}

void PrimaryContext::end(bool is_broken) {
  for (; count_ > 0; --count_) driver_.cuDevicePrimaryCtxRelease_v2(0);
  if (is_broken || is_changed_) let_go();
}

CUresult PrimaryContext::retain(CUcontext* context, CUdevice device) {
  const CUresult status = driver_.cuDevicePrimaryCtxRetain(context, device);
  if (status != CUDA_SUCCESS) return status;
  handle_ = *context;
  is_reset_ = false;
  ++count_;
  keep();
  return status;
}

CUresult PrimaryContext::release(CUdevice device) {
  if (count_ == 0) return CUDA_ERROR_INVALID_CONTEXT;
  const CUresult status = driver_.cuDevicePrimaryCtxRelease_v2(device);
  if (status == CUDA_SUCCESS && --count_ == 0) let_go();
  return status;
}

CUresult PrimaryContext::reset(CUdevice device) {
  const CUresult status = driver_.cuDevicePrimaryCtxReset_v2(device);
  if (status == CUDA_SUCCESS) is_changed_ = is_reset_ = true;
  return status;
}

void PrimaryContext::keep() {
  CUcontext same = nullptr;
  if (keeper == nullptr && driver_.cuDevicePrimaryCtxRetain(&same, 0) == CUDA_SUCCESS)
    keeper = &driver_;
}

void PrimaryContext::let_go() {
  if (keeper != nullptr) keeper->cuDevicePrimaryCtxRelease_v2(0);
  keeper = nullptr;
}

}  // namespace harness::devices
