// SPDX-License-Identifier: Apache-2.0
// Symbols: parts of the program's variables on the device, which its copies name.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace harness::cudart {

/// Some bytes of a variable. Needs: a context.
struct SymbolRange {
  const void* symbol;  ///< The variable's address on the host.
  std::size_t bytes;
  std::size_t offset;

  /// Finds them as the source of a copy. Errors: cudaErrorInvalidSymbol; cudaErrorInvalidValue
  /// where they are not all in it; cudaErrorInvalidMemcpyDirection where the source is not a
  /// device.
  cudaError_t find_source(cudaMemcpyKind kind, void*& address) const;
  /// Likewise, as its target.
  cudaError_t find_target(cudaMemcpyKind kind, void*& address) const;

 private:
  cudaError_t find(void*& address) const;
};

}  // namespace harness::cudart
