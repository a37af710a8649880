// SPDX-License-Identifier: Apache-2.0
// Operator: an operator of PyTorch that is computed by its CPU kernel, with properties of its
// arguments and results.
#pragma once

#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace afterlife {

using Values = std::vector<c10::IValue>;

/// Calls kernels of a backend directly, without autograd, autocast and modes.
inline c10::impl::ForceDispatchKeyGuard backend_only() {
  return {c10::default_included_set, c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                                         c10::autocast_dispatch_keyset | c10::python_ks |
                                         c10::functorch_transforms_ks};
}

/// Returns the value with each of its tensors replaced by the result of `act`.
template <class Act>
c10::IValue mapped(const c10::IValue& value, Act act) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    return tensor.defined() ? act(tensor) : tensor;
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> made;
    for (const at::Tensor& tensor : value.toTensorVector())
      made.push_back(tensor.defined() ? act(tensor) : tensor);
    return made;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> made;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
      made.push_back(tensor.has_value() && tensor->defined() ? std::optional(act(*tensor))
                                                             : tensor);
    return made;
  }
  return value;
}

/// Calls `act` with each tensor in the value.
template <class Act>
void for_tensors(const c10::IValue& value, Act act) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) act(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector())
      if (tensor.defined()) act(tensor);
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
      if (tensor.has_value() && tensor->defined()) act(*tensor);
  }
}

struct Operator {
  explicit Operator(const c10::OperatorHandle& of) : handle(of), name(of.schema().name()) {
    const auto& arguments = of.schema().arguments();
    bool writes_others = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const c10::AliasInfo* alias = arguments[i].alias_info();
      writes.push_back(alias != nullptr && alias->isWrite());
      if (writes.back()) (arguments[i].is_out() ? has_out : writes_others) = true;
      if (arguments[i].name() == "generator") generator = static_cast<int>(i);
      if (arguments[i].name() == "pin_memory") pin_memory = static_cast<int>(i);
    }
    for (const c10::Argument& result : of.schema().returns())
      fresh.push_back(result.alias_info() == nullptr);
    is_out = has_out && !writes_others;
  }

  /// Returns the index of the argument that is this result: the one with the same alias.
  std::size_t argument_of(std::size_t result) const {
    const c10::AliasInfo* wanted = handle.schema().returns()[result].alias_info();
    const auto& arguments = handle.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].alias_info() != nullptr && *arguments[i].alias_info() == *wanted) return i;
    TORCH_CHECK(false, name, ": afterlife does not know which argument it returns");
  }
  bool has_fresh_results() const {
    return std::any_of(fresh.begin(), fresh.end(), [](bool is) { return is; });
  }

  c10::OperatorHandle handle;
  std::string name;          ///< The name in reports: aten::mul.
  std::vector<bool> writes;  ///< For each argument: whether it is written.
  std::vector<bool> fresh;   ///< For each result: whether it is a new tensor, not an argument.
  bool has_out = false;
  bool is_out = false;  ///< It writes its out= arguments, and no others.
  int generator = -1;   ///< Index of that argument; -1 if there is none. Likewise below.
  int pin_memory = -1;
  bool picks_bytes = false;   ///< Its indices select the bytes of the first argument that are used.
  bool waits_on_gpu = false;  ///< CUDA's kernel waits for the stream, too.
  std::atomic<std::uint64_t> wait_count{0};

  /// Results of meta kernels, by the description of the arguments.
  std::mutex mutex;
  std::unordered_map<std::string, Values> shapes;
};

// ---- sizes ------------------------------------------------------------------------------------

/// Leaves a number that stands for a tensor unchanged, because meta kernels in Python expect one.
inline at::Tensor on_meta(const at::Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  at::Tensor made = at::Tensor(
      at::detail::empty_strided_meta(tensor.sizes(), tensor.strides(), tensor.scalar_type()));
  if (tensor.is_conj()) made._set_conj(true);
  if (tensor.is_neg()) made._set_neg(true);
  return made;
}

/// Describes arguments as far as the sizes of results depend on them.
class Description {
 public:
  /// Returns false if a value has no description.
  bool add(const c10::IValue& value) {
    if (value.isNone()) return put('N');
    if (value.isTensor() || value.isTensorList() || value.isOptionalTensorList()) {
      put(value.isTensor() ? 'T' : 'L');
      for_tensors(value, [this](const at::Tensor& tensor) { add_tensor(tensor); });
      return true;
    }
    if (value.isInt()) return put('I', value.toInt());
    if (value.isDouble()) return put('D', value.toDouble());
    if (value.isBool()) return put('B', value.toBool());
    if (value.isComplexDouble()) return put('C', value.toComplexDouble());
    if (value.isGenerator()) return put('G');
    if (value.isDevice()) return put('V');
    if (value.isString()) return put('S'), add_text(value.toStringRef());
    if (value.isIntList()) return add_list('i', value.toIntVector());
    if (value.isDoubleList()) return add_list('d', value.toDoubleVector());
    if (value.isBoolList()) {
      put('b');
      for (const bool each : value.toBoolList()) put(each ? '1' : '0');
      return true;
    }
    return false;
  }
  const std::string& text() const { return text_; }

 private:
  bool put(char tag) {
    text_.push_back(tag);
    return true;
  }
  template <class Number>
  bool put(char tag, const Number& number) {
    text_.push_back(tag);
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return true;
  }
  bool add_text(const std::string& text) {
    put('#', text.size());
    text_ += text;
    return true;
  }
  template <class Number>
  bool add_list(char tag, const std::vector<Number>& list) {
    put(tag, list.size());
    for (const Number& each : list) put(tag, each);
    return true;
  }
  void add_tensor(const at::Tensor& tensor) {
    put('t', tensor.scalar_type());
    put(tensor.unsafeGetTensorImpl()->is_wrapped_number() ? 'w' : 'o', tensor.dim());
    for (const std::int64_t size : tensor.sizes()) put('s', size);
    for (const std::int64_t stride : tensor.strides()) put('r', stride);
    put(tensor.is_conj() ? 'c' : ' ');
    put(tensor.is_neg() ? 'n' : ' ');
  }

  std::string text_;
};

enum class Sizes : std::uint8_t {
  known,
  unknown,  ///< There is no meta kernel, or the sizes depend on values.
  refused,  ///< The meta kernel found an error, which the CPU kernel will report.
};

/// Computes the results as meta tensors, or for out= operators the arguments that they write.
inline Sizes find_shapes(Operator& op, const Values& arguments, Values& found) {
  Description description;
  const bool is_described = std::all_of(arguments.begin(), arguments.end(),
                                        [&](const c10::IValue& v) { return description.add(v); });
  if (is_described) {
    const std::lock_guard lock(op.mutex);
    if (const auto known = op.shapes.find(description.text()); known != op.shapes.end()) {
      found = known->second;
      return Sizes::known;
    }
  }
  torch::jit::Stack stack;
  for (const c10::IValue& value : arguments)
    stack.push_back(value.isDevice()      ? c10::IValue(c10::Device(c10::DeviceType::Meta))
                    : value.isGenerator() ? c10::IValue()
                                          : mapped(value, on_meta));
  const Values written(stack.begin(), stack.end());
  try {
    const c10::impl::ForceDispatchKeyGuard guard = backend_only();
    op.handle.callBoxed(stack);
  } catch (const c10::NotImplementedError&) {
    return Sizes::unknown;
  } catch (const std::exception&) {
    return Sizes::refused;
  }
  found.assign(stack.begin(), stack.end());
  if (op.is_out) {
    found.clear();
    for (std::size_t i = 0; i < written.size(); ++i)
      if (op.writes[i]) found.push_back(written[i]);
  }
  constexpr std::size_t kMost = 1000;
  const std::lock_guard lock(op.mutex);
  if (is_described && op.shapes.size() < kMost) op.shapes.emplace(description.text(), found);
  return Sizes::known;
}

}  // namespace afterlife
