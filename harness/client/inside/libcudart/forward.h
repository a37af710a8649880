// SPDX-License-Identifier: Apache-2.0
// Forward: passes the runtime's arguments to a driver function, each converted to the driver's
// type.
#pragma once

#include <bit>
#include <type_traits>

#include "harness/client/inside/libcudart/call.h"

namespace harness::cudart {

/// Returns whether objects of both types may have the same layout, judging by their sizes. Handle
/// types are incomplete, and not compared.
template <class To, class From>
constexpr bool is_like() {
  if constexpr (std::is_object_v<To> && std::is_object_v<From>) {
    if constexpr (requires { sizeof(To) == sizeof(From); }) return sizeof(To) == sizeof(From);
  }
  return true;
}

/// Returns the same handle, address, number or structure with the driver's type.
template <class To, class From>
To as(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_pointer_v<To> && std::is_pointer_v<From>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<To>>;
    static_assert(is_like<Target, std::remove_cv_t<std::remove_pointer_t<From>>>());
    return (To)from;  // NOLINT: casts const away, too.
  } else if constexpr (std::is_pointer_v<From>) {
    static_assert(std::is_same_v<To, CUdeviceptr>);
    return reinterpret_cast<To>(from);
  } else if constexpr (std::is_class_v<From>) {
    return std::bit_cast<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

template <class... To, class... From>
CUresult forward(CUresult (*function)(To...), From... from) {
  return function(as<To>(from)...);
}

}  // namespace harness::cudart

#define CUDART_DRIVER_OF(name, ...) \
  harness::cudart::forward(harness::cudart::driver.name __VA_OPT__(, ) __VA_ARGS__)

/// Defines a function that is a single driver call, for a row of cudart.def.
#define CUDART_FORWARDED(name, needs, target, parameters, ...)                \
  CUDART_API cudaError_t name parameters {                                    \
    const harness::cudart::Call call(#name);                                  \
    return harness::cudart::needs(                                            \
        [&] { return CUDART_DRIVER_OF(target __VA_OPT__(, ) __VA_ARGS__); }); \
  }
