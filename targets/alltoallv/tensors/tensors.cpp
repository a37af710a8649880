// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/tensors/tensors.h"

#include "targets/alltoallv/layout.h"

namespace targets::alltoallv {

using harness::Object;
using harness::Ref;
using harness::SiteScope;
using harness::TypeInfo;

namespace {

void free_tensor(Object& self) {
  const TensorPayload& payload = self.payload<TensorPayload>();
  payload.tensors->release(payload.base);
}

const TypeInfo kTensorType{.name = "tensor", .dealloc = free_tensor, .tracked = false};
const TypeInfo kCycleType{.name = "cycle"};

}  // namespace

// ---- variables ----------------------------------------------------------------------------------

Status Tensors::fill(Buffer buffer, std::uint32_t fill, std::uint32_t number) {
  const SiteScope site(core_.scheduler, "fill");
  CUstream stream = nullptr;
  if (const Status status = context_.find_stream(number, stream); status != Status::ok)
    return status;
  Ref tensor;
  if (const Status status = make(stream, tensor); status != Status::ok) return status;
  CUdeviceptr base = tensor->payload<TensorPayload>().base;
  int first = element(rank_, fill, 0);
  int count = static_cast<int>(core_.element_count);
  void* parameters[] = {&base, &first, &count};
  const unsigned threads = block_threads(core_.element_count);
  if (cuLaunchKernel(context_.pack(), 1, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr) !=
      CUDA_SUCCESS)
    return Status::driver_error;
  tensor->payload<TensorPayload>().stream = stream;
  buffers_[buffer] = std::move(tensor);
  return Status::ok;
}

void Tensors::drop(Buffer buffer) {
  const SiteScope site(core_.scheduler, "drop");
  buffers_[buffer].reset();
  free_released();
}

void Tensors::make_cycle(Buffer buffer) {
  const SiteScope site(core_.scheduler, "make_cycle");
  if (!buffers_[buffer]) return;
  const Ref cycle = core_.runtime.heap.make(kCycleType);
  cycle->set("tensor", buffers_[buffer]);
  cycle->set("self", cycle);
}

void Tensors::drop_all() {
  for (Ref& buffer : buffers_) buffer.reset();
  for (Ref& destination : destinations_) destination.reset();
  free_released();
}

// ---- what a collective is given -----------------------------------------------------------------

Status Tensors::prepare(Request request, const Arguments& arguments) {
  const SiteScope site(core_.scheduler, "prepare");
  CUstream stream = nullptr;
  if (const Status status = context_.find_stream(arguments.stream, stream); status != Status::ok)
    return status;
  const Ref& source = buffers_[arguments.source];
  if (!arguments.null_source && source)
    if (const Status status = await_fill(source->payload<TensorPayload>(), stream);
        status != Status::ok)
      return status;
  Ref& destination = destinations_[request];
  return destination ? Status::ok : make(stream, destination);
}

// Without an execution engine, data must be ready when the collective is posted.
Status Tensors::await_fill(TensorPayload& source, CUstream stream) {
  if (source.ready || (stream != nullptr && stream == source.stream)) return Status::ok;
  if (cuStreamSynchronize(source.stream) != CUDA_SUCCESS) return Status::driver_error;
  source.ready = true;
  return Status::ok;
}

// ---- memory -------------------------------------------------------------------------------------

Status Tensors::make(CUstream stream, Ref& tensor) {
  free_released();
  CUdeviceptr base = 0;
  if (const Status status = blocks_.take(stream, base); status != Status::ok) return status;
  core_.tell([&](Observer& observer) { observer.placed({rank_, base}); });
  tensor = core_.runtime.heap.make<TensorPayload>(kTensorType, this, base, nullptr);
  return Status::ok;
}

// The collector runs in any process, and maybe on a thread without a context. Memory is freed by
// the process that owns it, in its own context.
void Tensors::release(CUdeviceptr memory) {
  if (core_.scheduler.process() != static_cast<harness::ProcessId>(rank_))
    return released_.push_back(memory);
  if (const CUdeviceptr block = blocks_.give_back(memory); block != 0) context_.free(block);
}

void Tensors::free_released() {
  while (!released_.empty()) {
    const CUdeviceptr memory = released_.back();
    released_.pop_back();
    if (const CUdeviceptr block = blocks_.give_back(memory); block != 0) cuMemFree(block);
  }
}

}  // namespace targets::alltoallv
