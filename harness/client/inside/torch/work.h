// SPDX-License-Identifier: Apache-2.0
// Work: an operator with its arguments, to be computed later by the stream, and its launch.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/client/inside/torch/operator.h"
#include "harness/client/inside/torch/places.h"

namespace afterlife {

/// Set once, before the first operator is registered.
inline AfterlifeLaunchHostWork launch_host_work = nullptr;

/// The amount of work that was launched and that is not complete.
struct Depth {
  std::atomic<std::uint64_t> launched{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> most{0};  ///< The most that was queued at once.
};
inline Depth depth;

/// CUresults of a failed kernel: of an assertion, such as an index out of range, and of other
/// errors.
inline constexpr int kAssertion = 710;
inline constexpr int kLaunchFailed = 719;

/// Converts half precision to float, for a CPU kernel without half precision.
inline at::Tensor widened(const at::Tensor& tensor) {
  const bool is_half = tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
  return is_half ? tensor.to(at::kFloat) : tensor;
}

/// Calls the operator's CPU kernel. Returns its results.
inline Values compute(const Operator& op, const Values& arguments) {
  torch::jit::Stack stack(arguments.begin(), arguments.end());
  try {
    op.handle.callBoxed(stack);
    return stack;
  } catch (const c10::Error& error) {
    const std::string_view text = error.what_without_backtrace();
    const bool is_gap = text.find("not implemented for 'Half'") != text.npos ||
                        text.find("not implemented for 'BFloat16'") != text.npos;
    if (!is_gap) throw;
  }
  stack.clear();
  for (const c10::IValue& value : arguments) stack.push_back(mapped(value, widened));
  const Values wide(stack.begin(), stack.end());
  op.handle.callBoxed(stack);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (!op.writes[i]) continue;
    std::vector<at::Tensor> from;
    for_tensors(wide[i], [&](const at::Tensor& tensor) { from.push_back(tensor); });
    std::size_t next = 0;
    for_tensors(arguments[i], [&](const at::Tensor& tensor) {
      const at::Tensor& source = from[next++];
      if (source.unsafeGetTensorImpl() != tensor.unsafeGetTensorImpl())
        const_cast<at::Tensor&>(tensor).copy_(source);
    });
  }
  return stack;
}

/// Ownership: owns CPU tensors with device addresses, and values. The driver owns the work.
struct Work {
  const Operator* op = nullptr;  ///< Null if nothing is computed.
  Values arguments;
  std::vector<at::Tensor> targets;  ///< Destinations of the new results.
  std::vector<at::Tensor> sources;  ///< The results, if nothing is computed.

  void carry_out() {
    const c10::impl::ForceDispatchKeyGuard guard = backend_only();
    if (op == nullptr) return store(sources);
    const Values results = compute(*op, arguments);
    std::vector<at::Tensor> made;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!op->fresh[i]) continue;
      if (results[i].isTensor())
        made.push_back(results[i].toTensor());  // An undefined one keeps its position.
      else
        for_tensors(results[i], [&](const at::Tensor& tensor) { made.push_back(tensor); });
    }
    store(made);
  }

  /// Stores the results. Some auxiliary ones are empty on the CPU only, such as the saved mean of a
  /// batch norm.
  void store(const std::vector<at::Tensor>& results) {
    for (std::size_t i = 0; i < std::min(targets.size(), results.size()); ++i)
      if (targets[i].defined() && results[i].defined() && results[i].numel() == targets[i].numel())
        targets[i].copy_(results[i].view(targets[i].sizes()));
  }
};

inline int run_work(void* data) {
  Work& work = *static_cast<Work*>(data);
  depth.done.fetch_add(1, std::memory_order_relaxed);
  try {
    work.carry_out();
    return 0;
  } catch (const c10::IndexError& error) {
    std::fprintf(stderr, "afterlife: %s: %s\n", work.op->name.c_str(),
                 error.what_without_backtrace());
    return kAssertion;
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "afterlife: %s: %s\n", work.op->name.c_str(),
                 error.what_without_backtrace());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "afterlife: %s: %s\n", work.op->name.c_str(), error.what());
  }
  return kLaunchFailed;
}

inline void release_work(void* data) { delete static_cast<Work*>(data); }

/// Threads of PyTorch (autograd) have no current context until they use the runtime.
inline void use_device(c10::DeviceIndex device) {
  static thread_local c10::DeviceIndex current = -1;
  if (current == device) return;
  C10_CUDA_CHECK(cudaSetDevice(device));
  current = device;
}

inline void launch(const Operator& op, std::unique_ptr<Work> work, const Ranges& ranges,
                   const c10::cuda::CUDAStream& stream) {
  use_device(stream.device_index());
  const std::uint64_t queued = depth.launched.fetch_add(1, std::memory_order_relaxed) + 1 -
                               depth.done.load(std::memory_order_relaxed);
  if (queued > depth.most.load(std::memory_order_relaxed)) depth.most.store(queued);
  Work* const given = work.release();
  const int status = launch_host_work(stream.stream(), op.name.c_str(), run_work, given,
                                      release_work, ranges.data(), ranges.size());
  // The driver releases the work even if the launch fails.
  C10_CUDA_CHECK(static_cast<cudaError_t>(status));
}

}  // namespace afterlife
