// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/program/launcher.h"

namespace targets::managed_dict {

namespace {
bool good(CUresult result) { return result == CUDA_SUCCESS; }
}  // namespace

bool Launcher::open() {
  CUdevice device = 0;
  if (context_ == nullptr && !(good(cuInit(0)) && good(cuDeviceGet(&device, 0)) &&
                               good(cuDevicePrimaryCtxRetain(&context_, device))))
    return false;
  const std::uint32_t task = harness::raw(runtime_.scheduler.current()) % 64;
  if ((current_ >> task & 1) == 0) {
    if (!good(cuCtxSetCurrent(context_))) return false;
    current_ |= std::uint64_t{1} << task;
  }
  if (module_ == nullptr && !good(cuModuleLoadData(&module_, runtime_.kernels))) return false;
  return function_ != nullptr || good(cuModuleGetFunction(&function_, module_, "autocast_step"));
}

bool Launcher::reserve() {
  if (in_ == 0 && !good(cuMemAlloc(&in_, kTensorBytes))) return false;
  if (out_ == 0 && !good(cuMemAlloc(&out_, kTensorBytes))) return false;
  if (frame_ == 0 && !good(cuMemAlloc(&frame_, sizeof(Frame)))) return false;
  if (filled_) return true;
  std::array<std::int32_t, kThreads> tensor;
  for (std::uint32_t i = 0; i < kThreads; ++i) tensor[i] = input(i);
  const Frame frame{in_, out_};
  filled_ = good(cuMemcpyHtoD(in_, tensor.data(), kTensorBytes)) &&
            good(cuMemcpyHtoD(frame_, &frame, sizeof frame));
  return filled_;
}

bool Launcher::launch(const AutocastArguments& arguments, std::array<std::int32_t, kThreads>& out) {
  mutex_.lock();
  const bool launched = run(arguments, out);
  mutex_.unlock();
  return launched;
}

bool Launcher::run(const AutocastArguments& arguments, std::array<std::int32_t, kThreads>& out) {
  if (!open() || !reserve()) return false;
  AutocastArguments passed = arguments;
  void* parameters[] = {&frame_, &passed.enabled, &passed.dtype, &passed.scale};
  return good(
             cuLaunchKernel(function_, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr)) &&
         good(cuMemcpyDtoH(out.data(), out_, kTensorBytes));
}

bool Launcher::close() {
  if (context_ == nullptr) return true;
  if (!open()) return false;
  for (CUdeviceptr* memory : {&in_, &out_, &frame_}) {
    if (*memory == 0) continue;
    if (!good(cuMemFree(*memory))) return false;
    *memory = 0;
  }
  filled_ = false;
  return good(cuCtxSynchronize());
}

}  // namespace targets::managed_dict
