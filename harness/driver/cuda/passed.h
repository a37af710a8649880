// SPDX-License-Identifier: Apache-2.0
// Passed: adds the arguments of a call to a trail in a form that is comparable across builds.
// Handles are numbered in the order in which they first appeared, addresses are described by their
// allocation, and memory that the call reads at once by its contents. Other pointers are not
// followed.
#pragma once

#include <cuda.h>

#include <bit>
#include <initializer_list>
#include <type_traits>

#include "harness/core/history/trail.h"
#include "harness/core/world.h"
#include "harness/driver/cuda/cuda.h"

namespace harness {

/// A type-erased argument of a call, so that one function can record the arguments of every call.
/// Lifetime: one call, because structs are stored as references.
struct PassedArgument {
  enum class Kind : std::uint8_t {
    ignored,
    number,
    size,     ///< A number, which is the size of a `source` directly before it.
    address,  ///< An address of the device, or another number of that type.
    source,   ///< Memory that the call reads, if a `size` follows.
    handle,
    function,    ///< A handle, to which later `parameters` belong.
    parameters,  ///< The parameters of the last `function`.
    ipc_handle,
    kernel_node,
    copy,
    memset_node,
  };

  template <class Type>
  PassedArgument(const Type& argument)  // NOLINT(google-explicit-constructor)
      : kind(kind_of<Type>()) {
    if constexpr (kind_of<Type>() == Kind::ipc_handle)
      value = std::bit_cast<std::uintptr_t>(&argument);
    else if constexpr (std::is_pointer_v<Type>)
      value = std::bit_cast<std::uintptr_t>(argument);
    else if constexpr (std::is_integral_v<Type> || std::is_enum_v<Type>)
      value = static_cast<std::uint64_t>(argument);
  }

  /// Returns the address that the value is.
  template <class Pointee>
  const Pointee* at() const {
    return std::bit_cast<const Pointee*>(value);
  }

  Kind kind;
  std::uint64_t value = 0;

 private:
  template <class Type, class... Others>
  static constexpr bool kIsOneOf = (std::is_same_v<Type, Others> || ...);

  template <class Type>
  static constexpr Kind kind_of() {
    if constexpr (std::is_same_v<Type, CUdeviceptr>) return Kind::address;
    if constexpr (std::is_same_v<Type, std::size_t>) return Kind::size;
    if constexpr (std::is_integral_v<Type> || std::is_enum_v<Type>) return Kind::number;
    if constexpr (std::is_same_v<Type, const void*>) return Kind::source;
    if constexpr (std::is_same_v<Type, CUfunction>) return Kind::function;
    if constexpr (std::is_same_v<Type, void**>) return Kind::parameters;
    if constexpr (kIsOneOf<Type, CUstream, CUevent, CUgraph, CUgraphNode, CUgraphExec, CUuserObject,
                           CUmodule, CUlibrary, CUkernel, CUcontext, CUmemoryPool>)
      return Kind::handle;
    if constexpr (kIsOneOf<Type, CUipcMemHandle, CUipcEventHandle>) return Kind::ipc_handle;
    if constexpr (std::is_same_v<Type, const CUDA_KERNEL_NODE_PARAMS*>) return Kind::kernel_node;
    if constexpr (std::is_same_v<Type, const CUDA_MEMCPY3D*>) return Kind::copy;
    if constexpr (std::is_same_v<Type, const CUDA_MEMSET_NODE_PARAMS*>) return Kind::memset_node;
    return Kind::ignored;
  }
};

/// Lifetime: for one call. Threads: the run's thread.
class Passed {
 public:
  Passed(Trail& trail, const World& world, const DriverTable& table)
      : trail_(trail), world_(world), table_(table) {}

  /// Adds all arguments of a call.
  void tell(std::initializer_list<PassedArgument> arguments);

 private:
  /// Adds an argument; `size` is that of a source, or 0.
  void add(const PassedArgument& argument, std::uint64_t size);
  /// Adds a word that may be an address.
  void add_word(std::uint64_t word);
  void add_contents(const void* bytes, std::size_t count);
  void add_parameters(CUfunction function, void* const* parameters);
  void add_kernel_node(const CUDA_KERNEL_NODE_PARAMS* node);
  void add_copy(const CUDA_MEMCPY3D* copy);
  void add_memset_node(const CUDA_MEMSET_NODE_PARAMS* set);

  Trail& trail_;
  const World& world_;
  const DriverTable& table_;
  std::uint8_t argument_ = 0;
  CUfunction function_ = nullptr;  ///< The function to which the parameters belong.
};

}  // namespace harness
