// SPDX-License-Identifier: Apache-2.0
// Entry points of the driver, by name.
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/version.h"

using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::initialized;

static_assert(static_cast<int>(cudaEnableLegacyStream) == CU_GET_PROC_ADDRESS_LEGACY_STREAM &&
              static_cast<int>(cudaEnablePerThreadDefaultStream) ==
                  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
static_assert(static_cast<int>(cudaDriverEntryPointVersionNotSufficent) ==
              CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);

namespace {

/// `otherwise`: flags for a program that does not select a kind of default stream.
cudaError_t look_up(const char* symbol, void** function, unsigned version, unsigned long long flags,
                    cudaDriverEntryPointQueryResult* status, unsigned long long otherwise) {
  return initialized([&] {
    return driver.cuGetProcAddress_v2(symbol, function, static_cast<int>(version),
                                      flags == cudaEnableDefault ? otherwise : flags,
                                      reinterpret_cast<CUdriverProcAddressQueryResult*>(status));
  });
}

}  // namespace

CUDART_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function,
                                               unsigned long long flags,
                                               cudaDriverEntryPointQueryResult* status) {
  const Call call("cudaGetDriverEntryPoint");
  return look_up(symbol, function, harness::cudart::kVersion, flags, status,
                 cudaEnableLegacyStream);
}
CUDART_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                    unsigned long long flags,
                                                    cudaDriverEntryPointQueryResult* status) {
  const Call call("cudaGetDriverEntryPoint");
  return look_up(symbol, function, harness::cudart::kVersion, flags, status,
                 cudaEnablePerThreadDefaultStream);
}

CUDART_API cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                        unsigned version, unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult* status) {
  const Call call("cudaGetDriverEntryPointByVersion");
  return look_up(symbol, function, version, flags, status, cudaEnableLegacyStream);
}
CUDART_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char* symbol, void** function, unsigned version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* status) {
  const Call call("cudaGetDriverEntryPointByVersion");
  return look_up(symbol, function, version, flags, status, cudaEnablePerThreadDefaultStream);
}
