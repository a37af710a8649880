// SPDX-License-Identifier: Apache-2.0
// Passed: adds the arguments of a call to a trail in a form that is comparable across builds.
// Handles are numbered in the order in which they first appeared, addresses are described by their
// allocation, and memory that the call reads at once by its contents. Other pointers are not
// followed.
#pragma once

#include <cuda.h>

#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "harness/core/history/trail.h"
#include "harness/core/world.h"
#include "harness/driver/cuda/cuda.h"

namespace harness {

/// Lifetime: for one call. Threads: the run's thread.
class Passed {
 public:
  Passed(Trail& trail, const World& world, const DriverTable& table)
      : trail_(trail), world_(world), table_(table) {}

  /// Adds all arguments of a call.
  template <class... Arguments>
  void tell(const std::tuple<Arguments...>& arguments) {
    tell_each(arguments, std::index_sequence_for<Arguments...>());
  }

 private:
  template <class Tuple, std::size_t... kPlaces>
  void tell_each(const Tuple& arguments, std::index_sequence<kPlaces...>) {
    (tell_one<kPlaces>(arguments), ...);
  }

  template <std::size_t kPlace, class Tuple>
  void tell_one(const Tuple& arguments) {
    ++argument_;
    const auto& argument = std::get<kPlace>(arguments);
    using Type = std::decay_t<decltype(argument)>;
    if constexpr (std::is_same_v<Type, CUdeviceptr>) {
      add_word(argument);
    } else if constexpr (std::is_integral_v<Type> || std::is_enum_v<Type>) {
      trail_.add(argument_, static_cast<std::uint64_t>(argument));
    } else if constexpr (std::is_same_v<Type, const void*>) {
      if constexpr (kPlace + 1 < std::tuple_size_v<Tuple>)
        if constexpr (std::is_same_v<std::decay_t<std::tuple_element_t<kPlace + 1, Tuple>>, size_t>)
          add_contents(argument, std::get<kPlace + 1>(arguments));
    } else {
      add(argument);
    }
  }

  void add(CUfunction function) { trail_.add_handle(argument_, function_ = function); }
  void add(CUstream handle) { trail_.add_handle(argument_, handle); }
  void add(CUevent handle) { trail_.add_handle(argument_, handle); }
  void add(CUgraph handle) { trail_.add_handle(argument_, handle); }
  void add(CUgraphNode handle) { trail_.add_handle(argument_, handle); }
  void add(CUgraphExec handle) { trail_.add_handle(argument_, handle); }
  void add(CUuserObject handle) { trail_.add_handle(argument_, handle); }
  void add(CUmodule handle) { trail_.add_handle(argument_, handle); }
  void add(CUlibrary handle) { trail_.add_handle(argument_, handle); }
  void add(CUkernel handle) { trail_.add_handle(argument_, handle); }
  void add(CUcontext handle) { trail_.add_handle(argument_, handle); }
  void add(CUmemoryPool handle) { trail_.add_handle(argument_, handle); }
  void add(const CUipcMemHandle& handle) { add_contents(&handle, sizeof handle); }
  void add(const CUipcEventHandle& handle) { add_contents(&handle, sizeof handle); }
  void add(void** parameters) { add_parameters(function_, parameters); }
  void add(const CUDA_KERNEL_NODE_PARAMS* node);
  void add(const CUDA_MEMCPY3D* copy);
  void add(const CUDA_MEMSET_NODE_PARAMS* set);
  template <class Other>
  void add(const Other&) {}

  /// Adds a word that may be an address.
  void add_word(std::uint64_t word);
  void add_contents(const void* bytes, std::size_t count);
  void add_parameters(CUfunction function, void** parameters);

  Trail& trail_;
  const World& world_;
  const DriverTable& table_;
  std::uint8_t argument_ = 0;
  CUfunction function_ = nullptr;  ///< The function to which the parameters belong.
};

}  // namespace harness
