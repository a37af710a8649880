// SPDX-License-Identifier: Apache-2.0
// Launches a kernel whose binary is no longer registered, as a thread does beside exit().
#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
}

int main() {
  static const char kImage[] = ".version 7.0\n.target sm_70\n.address_size 64\n";
  static char name[] = "gone";
  static __fatBinC_Wrapper_t wrapper{FATBINC_MAGIC, FATBINC_VERSION,
                                     reinterpret_cast<const unsigned long long*>(kImage), nullptr};
  void** const binary = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(binary, name, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaUnregisterFatBinary(binary);
  const bool is_refused =
      cudaLaunchKernel(name, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction;
  return is_refused ? 0 : 3;
}
