// SPDX-License-Identifier: Apache-2.0
// Names and descriptions of status codes.
#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

namespace {

struct ErrorText {
  CUresult error;
  const char* name;
  const char* text;
};

#define ERROR_TEXT(error, text) {error, #error, text}
constexpr ErrorText kErrors[] = {
    ERROR_TEXT(CUDA_SUCCESS, "no error"),
    ERROR_TEXT(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    ERROR_TEXT(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    ERROR_TEXT(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    ERROR_TEXT(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    ERROR_TEXT(CUDA_ERROR_PROFILER_DISABLED, "the profiler is not initialized for this run"),
    ERROR_TEXT(CUDA_ERROR_PROFILER_NOT_INITIALIZED, "the profiler is not initialized"),
    ERROR_TEXT(CUDA_ERROR_PROFILER_ALREADY_STARTED, "the profiler is already started"),
    ERROR_TEXT(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "the profiler is already stopped"),
    ERROR_TEXT(CUDA_ERROR_STUB_LIBRARY, "the loaded driver is a stub library"),
    ERROR_TEXT(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "the call requires a newer driver"),
    ERROR_TEXT(CUDA_ERROR_DEVICE_UNAVAILABLE, "the device is busy or unavailable"),
    ERROR_TEXT(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    ERROR_TEXT(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    ERROR_TEXT(CUDA_ERROR_DEVICE_NOT_LICENSED, "the device has no valid Grid licence"),
    ERROR_TEXT(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    ERROR_TEXT(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    ERROR_TEXT(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "the context is already current"),
    ERROR_TEXT(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    ERROR_TEXT(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed"),
    ERROR_TEXT(CUDA_ERROR_ARRAY_IS_MAPPED, "array is mapped"),
    ERROR_TEXT(CUDA_ERROR_ALREADY_MAPPED, "resource already mapped"),
    ERROR_TEXT(CUDA_ERROR_NO_BINARY_FOR_GPU,
               "no kernel image is available for execution on the device"),
    ERROR_TEXT(CUDA_ERROR_ALREADY_ACQUIRED, "resource already acquired"),
    ERROR_TEXT(CUDA_ERROR_NOT_MAPPED, "resource not mapped"),
    ERROR_TEXT(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "resource not mapped as array"),
    ERROR_TEXT(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "resource not mapped as pointer"),
    ERROR_TEXT(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
    ERROR_TEXT(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this device"),
    ERROR_TEXT(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
               "the context is already in use by another thread"),
    ERROR_TEXT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
               "peer access is not supported between these two devices"),
    ERROR_TEXT(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    ERROR_TEXT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid OpenGL or DirectX context"),
    ERROR_TEXT(CUDA_ERROR_NVLINK_UNCORRECTABLE, "uncorrectable NVLink error"),
    ERROR_TEXT(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found"),
    ERROR_TEXT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
               "the PTX was compiled with an unsupported toolchain"),
    ERROR_TEXT(CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled"),
    ERROR_TEXT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "the exec affinity is not supported"),
    ERROR_TEXT(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
               "the PTX calls cudaDeviceSynchronize, which is not supported"),
    ERROR_TEXT(CUDA_ERROR_CONTAINED, "an exception on the device was contained"),
    ERROR_TEXT(CUDA_ERROR_INVALID_SOURCE, "device kernel source is invalid"),
    ERROR_TEXT(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    ERROR_TEXT(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    ERROR_TEXT(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"),
    ERROR_TEXT(CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
    ERROR_TEXT(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    ERROR_TEXT(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    ERROR_TEXT(CUDA_ERROR_LOSSY_QUERY, "the query would lose information"),
    ERROR_TEXT(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    ERROR_TEXT(CUDA_ERROR_NOT_READY, "device not ready"),
    ERROR_TEXT(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "launch uses incompatible texturing mode"),
    ERROR_TEXT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    ERROR_TEXT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    ERROR_TEXT(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "the primary context is already initialized"),
    ERROR_TEXT(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    ERROR_TEXT(CUDA_ERROR_ASSERT, "a device-side assert triggered"),
    ERROR_TEXT(CUDA_ERROR_TOO_MANY_PEERS, "peer mapping resources exhausted"),
    ERROR_TEXT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
               "part or all of the host memory is already registered"),
    ERROR_TEXT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "the pointer is no registered host memory"),
    ERROR_TEXT(CUDA_ERROR_HARDWARE_STACK_ERROR, "the device encountered a stack error"),
    ERROR_TEXT(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    ERROR_TEXT(CUDA_ERROR_MISALIGNED_ADDRESS, "a misaligned address was accessed"),
    ERROR_TEXT(CUDA_ERROR_INVALID_ADDRESS_SPACE,
               "an operation is not supported in this address space"),
    ERROR_TEXT(CUDA_ERROR_INVALID_PC, "the program counter is invalid"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    ERROR_TEXT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    ERROR_TEXT(CUDA_ERROR_TENSOR_MEMORY_LEAK, "a kernel left tensor memory allocated"),
    ERROR_TEXT(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    ERROR_TEXT(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    ERROR_TEXT(CUDA_ERROR_SYSTEM_NOT_READY, "the system is not yet ready"),
    ERROR_TEXT(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
               "the display driver does not fit the CUDA driver"),
    ERROR_TEXT(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
               "forward compatibility is not supported on this hardware"),
    ERROR_TEXT(CUDA_ERROR_MPS_CONNECTION_FAILED,
               "the MPS client could not connect to its daemon or server"),
    ERROR_TEXT(CUDA_ERROR_MPS_RPC_FAILURE, "a remote call to the MPS server failed"),
    ERROR_TEXT(CUDA_ERROR_MPS_SERVER_NOT_READY, "the MPS server is not ready for new requests"),
    ERROR_TEXT(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "the MPS server can take no further client"),
    ERROR_TEXT(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
               "the MPS server can take no further connection"),
    ERROR_TEXT(CUDA_ERROR_MPS_CLIENT_TERMINATED, "the MPS server terminated the client"),
    ERROR_TEXT(CUDA_ERROR_CDP_NOT_SUPPORTED,
               "dynamic parallelism is not supported in this configuration"),
    ERROR_TEXT(CUDA_ERROR_CDP_VERSION_MISMATCH, "the versions of dynamic parallelism do not fit"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "operation not permitted when stream is capturing"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
               "operation failed due to a previous error during capture"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_MERGE,
               "operation would result in a merge of separate capture sequences"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
               "capture was not ended in the same stream as it began"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
               "dependency created on uncaptured work in another stream"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
               "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR_TEXT(CUDA_ERROR_CAPTURED_EVENT,
               "operation not permitted on an event last recorded in a capturing stream"),
    ERROR_TEXT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
               "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR_TEXT(CUDA_ERROR_TIMEOUT, "wait operation timed out"),
    ERROR_TEXT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph does not fit the executable graph"),
    ERROR_TEXT(CUDA_ERROR_EXTERNAL_DEVICE, "an error occurred in a device outside of CUDA"),
    ERROR_TEXT(CUDA_ERROR_INVALID_CLUSTER_SIZE, "the cluster is misconfigured"),
    ERROR_TEXT(CUDA_ERROR_FUNCTION_NOT_LOADED, "the function is not loaded"),
    ERROR_TEXT(CUDA_ERROR_INVALID_RESOURCE_TYPE,
               "a resource is not of a type that the operation takes"),
    ERROR_TEXT(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
               "a resource is too small, or does not apply"),
    ERROR_TEXT(CUDA_ERROR_KEY_ROTATION, "an error occurred while keys were rotated"),
    ERROR_TEXT(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef ERROR_TEXT

const ErrorText* find_text(CUresult error) {
  for (const ErrorText& row : kErrors)
    if (row.error == error) return &row;
  return nullptr;
}

}  // namespace

CUresult Calls::cuGetErrorName(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText* row = find_text(error);
  *text = row != nullptr ? row->name : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText* row = find_text(error);
  *text = row != nullptr ? row->text : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace harness::devices::calls
