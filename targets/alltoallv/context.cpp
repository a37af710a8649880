// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/context.h"

#include "targets/alltoallv/layout.h"

namespace targets::alltoallv {
namespace {

bool good(CUresult result) { return result == CUDA_SUCCESS; }

}  // namespace

Status Context::open() {
  const harness::SiteScope site(core_.scheduler, "open");
  CUdevice device = 0;
  const bool opened =
      (context_ != nullptr || (good(cuInit(0)) && good(cuDeviceGet(&device, 0)) &&
                               good(cuCtxCreate(&context_, nullptr, 0, device)))) &&
      (module_ != nullptr || good(cuModuleLoadData(&module_, core_.runtime.kernels))) &&
      good(cuModuleGetFunction(&pack_, module_, "pack")) &&
      good(cuModuleGetFunction(&check_, module_, "check")) &&
      good(cuModuleGetFunction(&reduce_, module_, "reduce")) &&
      (team_stream_ != nullptr || good(cuStreamCreate(&team_stream_, CU_STREAM_NON_BLOCKING))) &&
      (blocks_ != 0 || good(cuMemAlloc(&blocks_, core_.setup.request_count * kBlockBytes)));
  return opened ? Status::ok : Status::driver_error;
}

void Context::free(CUdeviceptr memory) {
  cuCtxPushCurrent(context_);
  cuMemFree(memory);
  CUcontext popped = nullptr;
  cuCtxPopCurrent(&popped);
}

Status Context::find_stream(std::uint32_t number, CUstream& stream) {
  stream = nullptr;
  if (number == 0) return Status::ok;
  CUstream& made = user_streams_[number - 1];
  if (made == nullptr && !good(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING)))
    return Status::driver_error;
  stream = made;
  return Status::ok;
}

Status Context::take_event(CUevent& event) {
  if (!spare_events_.empty()) {
    event = spare_events_.back();
    spare_events_.pop_back();
    return Status::ok;
  }
  return good(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)) ? Status::ok : Status::driver_error;
}

CUdeviceptr Context::block_of(Request request) const { return blocks_ + request * kBlockBytes; }

}  // namespace targets::alltoallv
