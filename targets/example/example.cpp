// SPDX-License-Identifier: Apache-2.0
#include "targets/example/example.h"

#include <numeric>

namespace targets::example {

static bool good(CUresult result) { return result == CUDA_SUCCESS; }

Server::Server(harness::Runtime& runtime, const Setup& setup, Policy& policy)
    : runtime_(runtime),
      observer_(*setup.observer),
      policy_(policy),
      shares_stream_(setup.shares_stream),
      mutex_(runtime.scheduler, "server"),
      streams_(setup.worker_count) {}

bool Server::open() {
  CUdevice device = 0;
  CUmodule module = nullptr;
  bool ok = good(cuInit(0)) && good(cuDeviceGet(&device, 0)) &&
            good(cuDevicePrimaryCtxRetain(&context_, device)) && enter() &&
            good(cuModuleLoadData(&module, runtime_.kernels)) &&
            good(cuModuleGetFunction(&function_, module, "add_one")) &&
            good(cuMemAlloc(&answers_, kRequestLimit * sizeof(Words)));
  for (CUstream& stream : streams_)
    ok = ok && good(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return ok;
}

bool Server::enter() { return good(cuCtxSetCurrent(context_)); }

CUdeviceptr Server::answer(RequestId request) const {
  return answers_ + harness::raw(request) % kRequestLimit * sizeof(Words);
}

// ---- buffers ----------------------------------------------------------------------------------

bool Server::put(std::uint32_t worker, std::uint32_t key, std::int32_t value) {
  harness::Owned<Buffer> fresh = fill(worker, value);
  if (!fresh) return false;
  const harness::LockGuard lock(mutex_);
  observer_.placed(worker, key, fresh.birth());
  replaced_.push_back(std::exchange(buffers_[key], std::move(fresh)));
  return free_replaced(worker);
}

// Waits for the copy, because requests read the buffer on other streams.
harness::Owned<Buffer> Server::fill(std::uint32_t worker, std::int32_t value) {
  Words words;
  std::iota(words.begin(), words.end(), value);
  Buffer buffer;
  if (!good(cuMemAllocAsync(&buffer.memory, sizeof words, stream(worker))) ||
      !good(cuMemcpyHtoDAsync(buffer.memory, words.data(), sizeof words, stream(worker))) ||
      !good(cuStreamSynchronize(stream(worker))))
    return {};
  return runtime_.host.make<Buffer>("Buffer", buffer);
}

bool Server::free_replaced(std::uint32_t worker) {
  bool ok = true;
  std::erase_if(replaced_, [&](harness::Owned<Buffer>& buffer) {
    if (!buffer) return true;
    if (!policy_.may_free(*buffer)) return false;
    ok = good(cuMemFreeAsync(buffer->memory, stream(worker))) && ok;
    buffer.reset();
    return true;
  });
  return ok;
}

// ---- requests ---------------------------------------------------------------------------------

bool Server::ask(std::uint32_t key) {
  if (requests_.size() == kRequestLimit && !wait()) return false;
  return launch(prepare(key));
}

Request Server::prepare(std::uint32_t key) {
  const harness::LockGuard lock(mutex_);
  const Request request{static_cast<RequestId>(request_count_++), buffers_[key].borrow()};
  policy_.prepared(request);
  observer_.prepared(request.id, request.buffer.birth());
  return request;
}

bool Server::launch(const Request& request) {
  const harness::SiteScope site(runtime_.scheduler, "launch");
  const harness::LockGuard lock(mutex_);
  observer_.launched(request.id);
  CUdeviceptr in = request.buffer->memory;
  CUdeviceptr out = answer(request.id);
  void* parameters[] = {&in, &out};
  requests_.push_back(request);
  return good(cuLaunchKernel(function_, 1, 1, 1, kWords, 1, 1, 0, stream(0), parameters, nullptr));
}

bool Server::wait() {
  if (!good(cuStreamSynchronize(stream(0)))) return false;
  bool ok = true;
  for (const Request& request : std::exchange(requests_, {})) ok = finish(request) && ok;
  const harness::LockGuard lock(mutex_);
  return free_replaced(0) && ok;
}

bool Server::finish(const Request& request) {
  Words words;
  if (!good(cuMemcpyDtoH(words.data(), answer(request.id), sizeof words))) return false;
  observer_.answered(request.id, words);
  const harness::LockGuard lock(mutex_);
  policy_.finished(request);
  return true;
}

bool Server::clear() {
  bool ok = wait();
  const harness::LockGuard lock(mutex_);
  for (harness::Owned<Buffer>& buffer : buffers_) replaced_.push_back(std::move(buffer));
  ok = free_replaced(0) && ok;
  return good(cuCtxSynchronize()) && ok;
}

}  // namespace targets::example
