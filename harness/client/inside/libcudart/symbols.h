// SPDX-License-Identifier: Apache-2.0
// Symbols: parts of the program's device variables, as sources and targets of copies.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace harness::cudart {

/// Some bytes of a variable. Requires a context.
struct SymbolRange {
  const void* symbol;  ///< The variable's address on the host.
  std::size_t bytes;
  std::size_t offset;

  /// Returns their address as the source of a copy. Errors: cudaErrorInvalidSymbol;
  /// cudaErrorInvalidValue if they exceed the variable; cudaErrorInvalidMemcpyDirection if the
  /// source is not a device.
  cudaError_t find_source(cudaMemcpyKind kind, void*& address) const;
  /// Likewise, as the target of a copy.
  cudaError_t find_target(cudaMemcpyKind kind, void*& address) const;

 private:
  cudaError_t find(void*& address) const;
};

}  // namespace harness::cudart
