// Functions of the runtime that are one call of the driver: one for each such row of cudart.def.
#include <cuda_profiler_api.h>

#include "harness/entries/libcudart/forward.h"

using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::forward;
using harness::cudart::in_context;
using harness::cudart::initialized;

#define CUDART_DRIVER_OF(name, ...) forward(driver.name __VA_OPT__(, ) __VA_ARGS__)
#define CUDART_FORWARD(name, needs, target, group, test, parameters, ...)              \
  CUDART_API cudaError_t name parameters {                                             \
    const Call call(#name);                                                            \
    return needs([&] { return CUDART_DRIVER_OF(target __VA_OPT__(, ) __VA_ARGS__); }); \
  }
#define CUDART_FORWARD_ON(name, needs, target, group, test, parameters, ...) \
  CUDART_FORWARD(name, needs, target, group, test, parameters, __VA_ARGS__)  \
  CUDART_PTSZ(name, on, parameters, (__VA_ARGS__))
#include "harness/entries/libcudart/cudart.def"
