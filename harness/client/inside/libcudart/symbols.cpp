// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/symbols.h"

#include "harness/client/inside/libcudart/binaries.h"
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/copies.h"

namespace harness::cudart {

cudaError_t SymbolRange::find(void*& address) const {
  Symbol found;
  if (const cudaError_t error = find_symbol(symbol, found)) return error;
  if (offset > found.bytes || bytes > found.bytes - offset) return cudaErrorInvalidValue;
  address = reinterpret_cast<void*>(found.address + offset);
  return cudaSuccess;
}

cudaError_t SymbolRange::find_source(cudaMemcpyKind kind, void*& address) const {
  const bool is_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                              kind == cudaMemcpyDefault;
  return is_from_device ? find(address) : cudaErrorInvalidMemcpyDirection;
}

cudaError_t SymbolRange::find_target(cudaMemcpyKind kind, void*& address) const {
  const bool is_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                            kind == cudaMemcpyDefault;
  return is_to_device ? find(address) : cudaErrorInvalidMemcpyDirection;
}

}  // namespace harness::cudart

using harness::cudart::Call;
using harness::cudart::copy;
using harness::cudart::copy_async;
using harness::cudart::DefaultStream;
using harness::cudart::in_context;
using harness::cudart::Symbol;
using harness::cudart::SymbolRange;

CUDART_API cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  const Call call("cudaGetSymbolAddress");
  return in_context([&] {
    if (address == nullptr) return cudaErrorInvalidValue;
    Symbol found;
    const cudaError_t error = harness::cudart::find_symbol(symbol, found);
    if (error == cudaSuccess) *address = reinterpret_cast<void*>(found.address);
    return error;
  });
}

CUDART_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  const Call call("cudaGetSymbolSize");
  return in_context([&] {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    Symbol found;
    const cudaError_t error = harness::cudart::find_symbol(symbol, found);
    if (error == cudaSuccess) *bytes = found.bytes;
    return error;
  });
}

namespace {

cudaError_t copy_to(const SymbolRange& range, const void* source, cudaMemcpyKind kind,
                    DefaultStream on) {
  return in_context([&] {
    void* target = nullptr;
    const cudaError_t error = range.find_target(kind, target);
    return error != cudaSuccess ? error : copy(target, source, range.bytes, kind, on);
  });
}

cudaError_t copy_from(void* target, const SymbolRange& range, cudaMemcpyKind kind,
                      DefaultStream on) {
  return in_context([&] {
    void* source = nullptr;
    const cudaError_t error = range.find_source(kind, source);
    return error != cudaSuccess ? error : copy(target, source, range.bytes, kind, on);
  });
}

}  // namespace

CUDART_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes,
                                          size_t offset, cudaMemcpyKind kind) {
  const Call call("cudaMemcpyToSymbol");
  return copy_to({symbol, bytes, offset}, source, kind, DefaultStream::legacy);
}
CUDART_API cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* source, size_t bytes,
                                               size_t offset, cudaMemcpyKind kind) {
  const Call call("cudaMemcpyToSymbol");
  return copy_to({symbol, bytes, offset}, source, kind, DefaultStream::per_thread);
}

CUDART_API cudaError_t cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes,
                                            size_t offset, cudaMemcpyKind kind) {
  const Call call("cudaMemcpyFromSymbol");
  return copy_from(target, {symbol, bytes, offset}, kind, DefaultStream::legacy);
}
CUDART_API cudaError_t cudaMemcpyFromSymbol_ptds(void* target, const void* symbol, size_t bytes,
                                                 size_t offset, cudaMemcpyKind kind) {
  const Call call("cudaMemcpyFromSymbol");
  return copy_from(target, {symbol, bytes, offset}, kind, DefaultStream::per_thread);
}

CUDART_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes,
                                               size_t offset, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  const Call call("cudaMemcpyToSymbolAsync");
  return in_context([&] {
    void* target = nullptr;
    const cudaError_t error = SymbolRange{symbol, bytes, offset}.find_target(kind, target);
    return error != cudaSuccess ? error : copy_async(target, source, bytes, kind, stream);
  });
}
CUDART_PTSZ(cudaMemcpyToSymbolAsync, stream,
            (const void* symbol, const void* source, size_t bytes, size_t offset,
             cudaMemcpyKind kind, cudaStream_t stream),
            (symbol, source, bytes, offset, kind, stream))

CUDART_API cudaError_t cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes,
                                                 size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  const Call call("cudaMemcpyFromSymbolAsync");
  return in_context([&] {
    void* source = nullptr;
    const cudaError_t error = SymbolRange{symbol, bytes, offset}.find_source(kind, source);
    return error != cudaSuccess ? error : copy_async(target, source, bytes, kind, stream);
  });
}
CUDART_PTSZ(cudaMemcpyFromSymbolAsync, stream,
            (void* target, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
             cudaStream_t stream),
            (target, symbol, bytes, offset, kind, stream))
