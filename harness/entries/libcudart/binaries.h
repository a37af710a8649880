// SPDX-License-Identifier: Apache-2.0
// Binaries: the device code that modules of the program have registered, with its kernels and
// variables by their addresses on the host.
//
// A binary becomes a library of the driver when one of its kernels or variables is first used.
// Threads: any. No lock is held in a call of the driver.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

namespace harness::cudart {

/// One registered device code. Lifetime: from its registration to unregister().
class Binary {
 public:
  /// `fatbins` are the parts of a code that was linked (nvcc -rdc=true), ended by null; null if it
  /// was not. Both belong to the program.
  Binary(const void* image, void* const* fatbins) : image_(image), fatbins_(fatbins) {}
  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;

  /// Returns the library, which is loaded if it is not. Needs: a context, for linked code.
  cudaError_t load(CUlibrary& library);

  void add_kernel(const void* host, const char* name);
  void add_variable(const void* host, const char* name, std::size_t bytes);
  /// `pointer` is set to the variable's address when it is known.
  void add_managed(void** pointer, const char* name, std::size_t bytes);
  /// Sets the pointers to its managed variables.
  cudaError_t find_managed();

  /// Forgets its kernels and variables, and unloads the library unless the process is ending.
  void unregister();

 private:
  cudaError_t load_image(CUlibrary& library) const;
  cudaError_t link(CUlibrary& library) const;

  const void* const image_;
  void* const* const fatbins_;
  std::atomic<CUlibrary> library_ = nullptr;
};

/// Finds the kernel that a function's address, or a handle in its place, stands for.
/// Errors: cudaErrorInvalidDeviceFunction for null; those of loading.
cudaError_t find_kernel(const void* function, CUkernel& kernel);

/// Returns the function's address on the host where the kernel was registered, else the handle.
void* host_function(CUkernel kernel);

/// A variable on the device.
struct Symbol {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
};

/// Finds the variable that an address on the host stands for. Needs: a context.
/// Errors: cudaErrorInvalidSymbol; those of loading.
cudaError_t find_symbol(const void* host, Symbol& symbol);

}  // namespace harness::cudart
