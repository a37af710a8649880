// SPDX-License-Identifier: Apache-2.0
// Binaries: the device code that modules of the program have registered. Kernels and variables are
// identified by their addresses on the host.
//
// A binary becomes a driver library when one of its kernels or variables is first used. Threads:
// any. No lock is held during a driver call.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

namespace harness::cudart {

/// A registered piece of device code. Lifetime: from its registration to unregister().
class Binary {
 public:
  /// `fatbins`: the parts of code that is to be linked (nvcc -rdc=true), with a null at the end;
  /// else null. The program owns both arguments.
  Binary(const void* image, void* const* fatbins) : image_(image), fatbins_(fatbins) {}
  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;

  /// Returns the library, which is loaded if necessary. Requires a context for code that is to be
  /// linked.
  cudaError_t load(CUlibrary& library);

  void add_kernel(const void* host, const char* name);
  void add_variable(const void* host, const char* name, std::size_t bytes);
  /// `pointer` is set to the variable's address when the binary is loaded.
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

/// Finds the kernel of a function's address, or of a handle that is passed instead. Errors:
/// cudaErrorInvalidDeviceFunction for null; those of loading.
cudaError_t find_kernel(const void* function, CUkernel& kernel);

/// Returns the host address with which the kernel was registered, or the handle if there is none.
void* host_function(CUkernel kernel);

/// A variable on the device.
struct Symbol {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
};

/// Finds the variable with this host address. Requires a context. Errors: cudaErrorInvalidSymbol;
/// those of loading.
cudaError_t find_symbol(const void* host, Symbol& symbol);

}  // namespace harness::cudart
