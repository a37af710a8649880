// SPDX-License-Identifier: Apache-2.0
// Copies from and to arrays: of rows, and of bytes that continue in the next row.
#include <algorithm>

#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/copies.h"

using harness::cudart::Call;
using harness::cudart::CopySide;
using harness::cudart::CopySize;
using harness::cudart::DefaultStream;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;

// The program may call deprecated functions, too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

/// A function that copies rows: synchronously in a default stream, or in a stream.
using CopyRows = cudaError_t (*)(const CopySide&, const CopySide&, CopySize, cudaMemcpyKind,
                                 cudaStream_t);

cudaError_t in_legacy(const CopySide& target, const CopySide& source, CopySize size,
                      cudaMemcpyKind kind, cudaStream_t /*stream*/) {
  return harness::cudart::copy_rows(target, source, size, kind, DefaultStream::legacy);
}
cudaError_t in_per_thread(const CopySide& target, const CopySide& source, CopySize size,
                          cudaMemcpyKind kind, cudaStream_t /*stream*/) {
  return harness::cudart::copy_rows(target, source, size, kind, DefaultStream::per_thread);
}

/// Returns the length of a row in bytes.
cudaError_t row_bytes(cudaArray_const_t array, std::size_t& bytes) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  if (const CUresult error = driver.cuArray3DGetDescriptor_v2(
          &found, reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array))))
    return error_of(error);
  const cudaError_t error = harness::cudart::element_bytes(array, bytes);
  bytes *= found.Width;
  return error;
}

CopySide shifted(CopySide side, std::size_t row, std::size_t done) {
  if (side.from_array == nullptr)
    return CopySide::memory(static_cast<const char*>(side.pointer) + done, side.pitch);
  const std::size_t at = side.x_bytes + done;
  return CopySide::array(side.from_array, at % row, side.y + at / row);
}

/// Returns how many of `bytes` fit in the row, from the beginning of a side.
std::size_t rest_of_row(const CopySide& side, std::size_t row, std::size_t bytes) {
  return side.from_array != nullptr ? std::min(bytes, row - side.x_bytes) : bytes;
}

/// Copies bytes that may continue from the end of an array's row at the beginning of the next one.
cudaError_t copy_run(const CopySide& target, const CopySide& source, std::size_t bytes,
                     cudaMemcpyKind kind, CopyRows rows, cudaStream_t stream) {
  return in_context([&] {
    std::size_t source_row = 1;
    std::size_t target_row = 1;
    cudaError_t error = cudaSuccess;
    if (source.from_array != nullptr) error = row_bytes(source.from_array, source_row);
    if (error == cudaSuccess && target.from_array != nullptr)
      error = row_bytes(target.from_array, target_row);
    for (std::size_t done = 0; done < bytes && error == cudaSuccess;) {
      const CopySide from = shifted(source, source_row, done);
      const CopySide to = shifted(target, target_row, done);
      const std::size_t part =
          rest_of_row(to, target_row, rest_of_row(from, source_row, bytes - done));
      error = rows(to, from, {part, 1}, kind, stream);
      done += part;
    }
    return error;
  });
}

cudaError_t copy_block(const CopySide& target, const CopySide& source, CopySize size,
                       cudaMemcpyKind kind, CopyRows rows, cudaStream_t stream) {
  return in_context([&] { return rows(target, source, size, kind, stream); });
}

}  // namespace

/// Defines a synchronous function, and its per-thread twin.
#define CUDART_WAITING(name, copy, parameters, ...)         \
  CUDART_API cudaError_t name parameters {                  \
    const Call call(#name);                                 \
    return copy(__VA_ARGS__, kind, in_legacy, nullptr);     \
  }                                                         \
  CUDART_API cudaError_t name##_ptds parameters {           \
    const Call call(#name);                                 \
    return copy(__VA_ARGS__, kind, in_per_thread, nullptr); \
  }

CUDART_WAITING(cudaMemcpy2DToArray, copy_block,
               (cudaArray_t target, size_t x, size_t y, const void* source, size_t pitch,
                size_t width, size_t height, cudaMemcpyKind kind),
               CopySide::array(target, x, y), CopySide::memory(source, pitch),
               CopySize{width, height})
CUDART_WAITING(cudaMemcpy2DFromArray, copy_block,
               (void* target, size_t pitch, cudaArray_const_t source, size_t x, size_t y,
                size_t width, size_t height, cudaMemcpyKind kind),
               CopySide::memory(target, pitch), CopySide::array(source, x, y),
               CopySize{width, height})
CUDART_WAITING(cudaMemcpy2DArrayToArray, copy_block,
               (cudaArray_t target, size_t target_x, size_t target_y, cudaArray_const_t source,
                size_t source_x, size_t source_y, size_t width, size_t height, cudaMemcpyKind kind),
               CopySide::array(target, target_x, target_y),
               CopySide::array(source, source_x, source_y), CopySize{width, height})
CUDART_WAITING(cudaMemcpyToArray, copy_run,
               (cudaArray_t target, size_t x, size_t y, const void* source, size_t bytes,
                cudaMemcpyKind kind),
               CopySide::array(target, x, y), CopySide::memory(source, bytes), bytes)
CUDART_WAITING(cudaMemcpyFromArray, copy_run,
               (void* target, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
                cudaMemcpyKind kind),
               CopySide::memory(target, bytes), CopySide::array(source, x, y), bytes)
CUDART_WAITING(cudaMemcpyArrayToArray, copy_run,
               (cudaArray_t target, size_t target_x, size_t target_y, cudaArray_const_t source,
                size_t source_x, size_t source_y, size_t bytes, cudaMemcpyKind kind),
               CopySide::array(target, target_x, target_y),
               CopySide::array(source, source_x, source_y), bytes)

CUDART_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t target, size_t x, size_t y,
                                                const void* source, size_t pitch, size_t width,
                                                size_t height, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  const Call call("cudaMemcpy2DToArrayAsync");
  return copy_block(CopySide::array(target, x, y), CopySide::memory(source, pitch), {width, height},
                    kind, harness::cudart::copy_rows_async, stream);
}
CUDART_PTSZ(cudaMemcpy2DToArrayAsync, stream,
            (cudaArray_t target, size_t x, size_t y, const void* source, size_t pitch, size_t width,
             size_t height, cudaMemcpyKind kind, cudaStream_t stream),
            (target, x, y, source, pitch, width, height, kind, stream))

CUDART_API cudaError_t cudaMemcpy2DFromArrayAsync(void* target, size_t pitch,
                                                  cudaArray_const_t source, size_t x, size_t y,
                                                  size_t width, size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  const Call call("cudaMemcpy2DFromArrayAsync");
  return copy_block(CopySide::memory(target, pitch), CopySide::array(source, x, y), {width, height},
                    kind, harness::cudart::copy_rows_async, stream);
}
CUDART_PTSZ(cudaMemcpy2DFromArrayAsync, stream,
            (void* target, size_t pitch, cudaArray_const_t source, size_t x, size_t y, size_t width,
             size_t height, cudaMemcpyKind kind, cudaStream_t stream),
            (target, pitch, source, x, y, width, height, kind, stream))

CUDART_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t target, size_t x, size_t y,
                                              const void* source, size_t bytes, cudaMemcpyKind kind,
                                              cudaStream_t stream) {
  const Call call("cudaMemcpyToArrayAsync");
  return copy_run(CopySide::array(target, x, y), CopySide::memory(source, bytes), bytes, kind,
                  harness::cudart::copy_rows_async, stream);
}
CUDART_PTSZ(cudaMemcpyToArrayAsync, stream,
            (cudaArray_t target, size_t x, size_t y, const void* source, size_t bytes,
             cudaMemcpyKind kind, cudaStream_t stream),
            (target, x, y, source, bytes, kind, stream))

CUDART_API cudaError_t cudaMemcpyFromArrayAsync(void* target, cudaArray_const_t source, size_t x,
                                                size_t y, size_t bytes, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  const Call call("cudaMemcpyFromArrayAsync");
  return copy_run(CopySide::memory(target, bytes), CopySide::array(source, x, y), bytes, kind,
                  harness::cudart::copy_rows_async, stream);
}
CUDART_PTSZ(cudaMemcpyFromArrayAsync, stream,
            (void* target, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
             cudaMemcpyKind kind, cudaStream_t stream),
            (target, source, x, y, bytes, kind, stream))
