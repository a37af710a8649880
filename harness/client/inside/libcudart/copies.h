// SPDX-License-Identifier: Apache-2.0
// Copies: interprets cudaMemcpyKind, and converts descriptions of copies to the driver's.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace harness::cudart {

/// The default stream of a call without a stream.
enum class DefaultStream { legacy, per_thread };

/// Copies, and returns when the caller may use the data, as documented. Errors:
/// cudaErrorInvalidMemcpyDirection.
cudaError_t copy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                 DefaultStream on);
cudaError_t copy_async(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream);

/// One side of a copy of rows.
struct CopySide {
  static CopySide memory(const void* pointer, std::size_t pitch) { return {pointer, pitch}; }
  static CopySide array(cudaArray_const_t array, std::size_t x_bytes, std::size_t y) {
    return {nullptr, 0, const_cast<cudaArray_t>(array), x_bytes, y};
  }

  const void* pointer = nullptr;
  std::size_t pitch = 0;
  cudaArray_t from_array = nullptr;  ///< Null if the side is memory.
  std::size_t x_bytes = 0;
  std::size_t y = 0;
};

struct CopySize {
  std::size_t width_bytes = 0;
  std::size_t height = 0;
};

/// Errors: cudaErrorInvalidMemcpyDirection; cudaErrorInvalidPitchValue if rows overlap.
cudaError_t copy_rows(const CopySide& target, const CopySide& source, CopySize size,
                      cudaMemcpyKind kind, DefaultStream on);
cudaError_t copy_rows_async(const CopySide& target, const CopySide& source, CopySize size,
                            cudaMemcpyKind kind, cudaStream_t stream);

/// Translates a copy of slices. If an array takes part, the extent counts its elements. Errors:
/// cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue; those of the array.
cudaError_t to_driver(const cudaMemcpy3DParms& from, CUDA_MEMCPY3D& to);
/// Translates it back. Fields that the driver does not store are lost.
cudaError_t from_driver(const CUDA_MEMCPY3D& from, cudaMemcpy3DParms& to);

/// Returns the copy of one row of bytes.
cudaMemcpy3DParms one_row(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind);

/// Returns the number of bytes of an array's element.
cudaError_t element_bytes(cudaArray_const_t array, std::size_t& bytes);

}  // namespace harness::cudart
