// SPDX-License-Identifier: Apache-2.0
// How it works. One boxed kernel is registered for all operators at the key CUDA, below autograd
// and autocast. It determines the sizes of the results with the meta kernel, lets PyTorch's
// allocator allocate them, and launches work that calls the CPU kernel on tensors with the same
// addresses. If the sizes depend on values, it waits for the stream, computes, and launches a copy
// of the results as work. Such a wait is counted if a GPU would not wait there.
#include <ATen/ops/copy_native.h>
#include <dlfcn.h>
#include <torch/library.h>

#include <deque>
#include <string>

#include "harness/client/inside/torch/random.h"
#include "harness/client/inside/torch/work.h"

namespace afterlife {
namespace {

std::deque<Operator> operators;  // Lives as long as the process: queued work refers to it.
std::unordered_map<const c10::FunctionSchema*, Operator*> by_schema;

c10::Device device_of(const Values& arguments) {
  for (const c10::IValue& value : arguments) {
    std::optional<c10::Device> found;
    for_tensors(value, [&](const at::Tensor& tensor) {
      if (tensor.is_cuda() && !found) found = tensor.device();
    });
    if (value.isDevice() && value.toDevice().is_cuda() && !found) found = value.toDevice();
    if (found && found->has_index()) return *found;
  }
  return {c10::DeviceType::CUDA, c10::cuda::current_device()};
}

/// Refuses tensors whose elements have no addresses, such as sparse tensors.
const at::Tensor& strided(const Operator& op, const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided && !tensor.is_quantized(), op.name,
                              ": afterlife carries out no operators on ", tensor.layout(),
                              tensor.is_quantized() ? " quantized" : "", " tensors");
  return tensor;
}

/// Returns the arguments for the CPU kernel. Tensors in host memory are copied, because a kernel
/// gets their values at the launch.
Values on_host(const Operator& op, const Values& arguments, Places& places) {
  Values made;
  for (const c10::IValue& value : arguments)
    made.push_back(value.isDevice() ? c10::IValue(c10::Device(c10::DeviceType::CPU))
                                    : mapped(value, [&](const at::Tensor& tensor) {
                                        if (strided(op, tensor).is_cuda())
                                          return places.over(tensor);
                                        at::Tensor copy = tensor.clone();
                                        copy.unsafeGetTensorImpl()->set_wrapped_number(
                                            tensor.unsafeGetTensorImpl()->is_wrapped_number());
                                        return copy;
                                      }));
  if (op.pin_memory >= 0) made[static_cast<std::size_t>(op.pin_memory)] = c10::IValue();
  return made;
}

/// Adds the ranges of memory that the arguments use.
void add_uses(const Operator& op, const Values& arguments, Ranges& ranges) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_out = op.writes[i] && op.handle.schema().arguments()[i].is_out();
    int use = is_out ? AFTERLIFE_WRITES : AFTERLIFE_READS;
    if (op.writes[i]) use |= AFTERLIFE_WRITES;
    if (i == 0 && op.picks_bytes) use |= AFTERLIFE_MAY;
    for_tensors(arguments[i], [&](const at::Tensor& tensor) {
      if (tensor.is_cuda()) add_ranges(ranges, tensor, use);
    });
  }
}

/// Pushes the results of a call onto the stack: those that are arguments, and the new ones.
void return_results(const Operator& op, const Values& arguments, const Values& made,
                    torch::jit::Stack* stack) {
  for (std::size_t i = 0; i < op.fresh.size(); ++i)
    stack->push_back(op.fresh[i] ? made[i] : arguments[op.argument_of(i)]);
}

at::Tensor allocate(const at::Tensor& like, const c10::Device& device) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor made = at::empty_strided(like.sizes(), like.strides(),
                                      at::TensorOptions().dtype(like.dtype()).device(device));
  return made;
}

/// Resizes out= arguments to the sizes of their results.
void resize(const Operator& op, const Values& arguments, const Values& shapes) {
  std::vector<at::Tensor> wanted;
  for (const c10::IValue& value : shapes)
    for_tensors(value, [&](const at::Tensor& tensor) { wanted.push_back(tensor); });
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (op.writes[i])
      for_tensors(arguments[i], [&](const at::Tensor& tensor) {
        const at::Tensor& size = wanted[next++];
        if (tensor.sizes() != size.sizes()) tensor.resize_(size.sizes());
      });
}

// ---- sizes that depend on values ----------------------------------------------------------------

/// Copies a result from the host to the device, as work of the stream.
at::Tensor brought_up(const Operator& op, const at::Tensor& result, const at::Tensor& target,
                      const c10::cuda::CUDAStream& stream) {
  Places places;
  auto work = std::make_unique<Work>();
  work->sources = {result};
  work->targets = {places.over(target)};
  Ranges ranges;
  add_ranges(ranges, target, AFTERLIFE_WRITES);
  launch(op, std::move(work), ranges, stream);
  return target;
}

void wait_and_compute(Operator& op, const Values& arguments, Values host,
                      const c10::cuda::CUDAStream& stream, torch::jit::Stack* stack) {
  Ranges ranges;
  add_uses(op, arguments, ranges);
  launch(op, std::make_unique<Work>(), ranges, stream);
  stream.synchronize();
  if (op.is_out)
    for (std::size_t i = 0; i < host.size(); ++i)
      if (op.writes[i])
        host[i] = mapped(host[i], [](const at::Tensor& tensor) {
          return at::empty({0}, at::TensorOptions().dtype(tensor.dtype()));
        });
  Values results;
  {
    const c10::impl::ForceDispatchKeyGuard guard = backend_only();
    results = compute(op, host);
  }
  op.wait_count.fetch_add(1, std::memory_order_relaxed);
  if (op.is_out) {
    for (std::size_t i = 0; i < host.size(); ++i) {
      if (!op.writes[i]) continue;
      std::vector<at::Tensor> from;
      for_tensors(host[i], [&](const at::Tensor& tensor) { from.push_back(tensor); });
      std::size_t next = 0;
      for_tensors(arguments[i], [&](const at::Tensor& tensor) {
        const at::Tensor& result = from[next++];
        if (tensor.sizes() != result.sizes()) tensor.resize_(result.sizes());
        brought_up(op, result, tensor, stream);
      });
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    if (op.fresh[i])
      results[i] = mapped(results[i], [&](const at::Tensor& result) {
        return brought_up(op, strided(op, result), allocate(result, stream.device()), stream);
      });
  return_results(op, arguments, results, stack);
}

// ---- the kernel ---------------------------------------------------------------------------------

void carry_out(const c10::OperatorHandle& handle, c10::DispatchKeySet /*keys*/,
               torch::jit::Stack* stack) {
  Operator& op = *by_schema.at(&handle.schema());
  const std::size_t count = op.writes.size();
  const Values arguments(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
  torch::jit::drop(*stack, count);
  const c10::cuda::CUDAStream stream =
      c10::cuda::getCurrentCUDAStream(device_of(arguments).index());
  Values shapes;
  const Sizes sizes = find_shapes(op, arguments, shapes);
  if (sizes == Sizes::known && op.is_out) resize(op, arguments, shapes);
  Places places;
  Values host = on_host(op, arguments, places);
  if (op.generator >= 0) {
    const auto index = static_cast<std::size_t>(op.generator);
    host[index] = next_draw(arguments[index], stream);
  }
  const bool must_know = op.is_out || op.has_fresh_results();
  if (sizes == Sizes::refused || (sizes == Sizes::unknown && must_know))
    return wait_and_compute(op, arguments, std::move(host), stream, stack);
  Values results;
  auto work = std::make_unique<Work>();
  work->op = &op;
  Ranges ranges;
  add_uses(op, arguments, ranges);
  if (op.has_fresh_results())
    for (std::size_t i = 0; i < op.fresh.size(); ++i) {
      results.push_back(op.fresh[i] ? mapped(shapes[i],
                                             [&](const at::Tensor& shape) {
                                               return allocate(shape, stream.device());
                                             })
                                    : c10::IValue());
      if (!op.fresh[i]) continue;
      if (results[i].isTensor() && !results[i].toTensor().defined()) work->targets.emplace_back();
      for_tensors(results[i], [&](const at::Tensor& tensor) {
        work->targets.push_back(places.over(tensor));
        add_ranges(ranges, tensor, AFTERLIFE_WRITES);
      });
    }
  work->arguments = std::move(host);
  launch(op, std::move(work), ranges, stream);
  return_results(op, arguments, results, stack);
}

void refuse(const c10::OperatorHandle& handle, c10::DispatchKeySet /*keys*/,
            torch::jit::Stack* /*stack*/) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, handle.schema().operator_name(),
                              " has no CPU kernel, which afterlife needs to carry it out");
}

/// Returns whether CUDA copies the bytes unchanged, without a kernel.
bool is_plain_copy(const at::Tensor& target, const at::Tensor& source) {
  return target.scalar_type() == source.scalar_type() && target.sizes() == source.sizes() &&
         target.strides() == source.strides() && target.is_non_overlapping_and_dense() &&
         target.is_conj() == source.is_conj() && target.is_neg() == source.is_neg();
}

/// Replaces the copy kernel. Copies between host and device, and plain copies, are left to PyTorch.
at::Tensor& copy(at::Tensor& target, const at::Tensor& source, bool non_blocking) {
  if (target.device() != source.device() || is_plain_copy(target, source))
    return at::native::copy_(target, source, non_blocking);
  static const c10::OperatorHandle handle =
      c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  torch::jit::Stack stack{target, source, non_blocking};
  carry_out(handle, {}, &stack);
  return target;
}

/// Suppresses the dispatcher's warnings about replaced kernels.
struct Silent final : c10::WarningHandler {
  void process(const c10::Warning& /*warning*/) override {}
};

bool is_in(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool has_cpu_kernel(const c10::OperatorHandle& handle) {
  return handle.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
}

void add(torch::Library& library, const c10::OperatorHandle& handle) {
  const c10::OperatorName& name = handle.operator_name();
  const std::string full = c10::toString(name);
  const std::string bare = full.substr(full.find("::") + 2);
  Operator& op = operators.emplace_back(handle);
  by_schema[&handle.schema()] = &op;
  op.picks_bytes =
      is_in(bare, {"gather", "scatter", "index", "embedding", "masked", "take", "put"});
  op.waits_on_gpu = is_in(bare, {"nonzero", "masked_select", "unique", "bincount", "equal",
                                 "repeat_interleave", "index", "linalg", "histogram", "_assert"});
  if (bare == "copy_") return void(library.impl("copy_", TORCH_FN(copy)));
  if (bare == "native_dropout") return void(library.impl("native_dropout", TORCH_FN(dropout)));
  library.impl(bare.c_str(), has_cpu_kernel(handle)
                                 ? torch::CppFunction::makeFromBoxedFunction<&carry_out>()
                                 : torch::CppFunction::makeFromBoxedFunction<&refuse>());
}

/// Finds afterlifeLaunchHostWork, which only our driver has.
AfterlifeLaunchHostWork find_launch() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return nullptr;
  using Get = int (*)(const char*, void**, int, std::uint64_t, int*);
  const auto get = reinterpret_cast<Get>(::dlsym(driver, "cuGetProcAddress_v2"));
  void* found = nullptr;
  if (get == nullptr || get(AFTERLIFE_LAUNCH_HOST_WORK, &found, 13000, 0, nullptr) != 0)
    return nullptr;
  return reinterpret_cast<AfterlifeLaunchHostWork>(found);
}

}  // namespace

Operator& operator_named(const char* name) {
  return *by_schema.at(&c10::Dispatcher::singleton().findSchemaOrThrow(name, "").schema());
}

}  // namespace afterlife

#pragma GCC visibility push(default)
extern "C" {

/// Registers the operators, whose names are separated by newlines. Returns null, or an error.
const char* afterlife_torch_register(const char* names) {
  static std::string wrong;
  using namespace afterlife;
  launch_host_work = find_launch();
  if (launch_host_work == nullptr) return "libcuda.so.1 is not that of afterlife";
  try {
    Silent silent;
    const c10::WarningUtils::WarningHandlerGuard guard(&silent);
    static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__,
                                  __LINE__);
    for (std::string_view rest = names; !rest.empty();) {
      const std::string name(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      const std::size_t dot = name.find('.');
      const auto handle = c10::Dispatcher::singleton().findSchema(
          {name.substr(0, dot), dot == name.npos ? "" : name.substr(dot + 1)});
      if (handle.has_value()) add(library, *handle);
    }
    return nullptr;
  } catch (const std::exception& error) {
    wrong = error.what();
    return wrong.c_str();
  }
}

/// Returns the counts: "launched N most N", and a line "wait NAME count on_gpu" for each operator
/// that waited. The text is valid until the next call.
const char* afterlife_torch_counts() {
  static std::string text;
  using namespace afterlife;
  text = "launched " + std::to_string(depth.launched.load()) + " most " +
         std::to_string(depth.most.load()) + "\n";
  for (const Operator& op : operators)
    if (op.wait_count != 0)
      text += "wait " + op.name + " " + std::to_string(op.wait_count.load()) +
              (op.waits_on_gpu ? " 1\n" : " 0\n");
  return text.c_str();
}

}  // extern "C"
#pragma GCC visibility pop
