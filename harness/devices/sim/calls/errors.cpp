// The names and meanings of status codes.
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
    ERROR_TEXT(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    ERROR_TEXT(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    ERROR_TEXT(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    ERROR_TEXT(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    ERROR_TEXT(CUDA_ERROR_NO_BINARY_FOR_GPU,
               "no kernel image is available for execution on the device"),
    ERROR_TEXT(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    ERROR_TEXT(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    ERROR_TEXT(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    ERROR_TEXT(CUDA_ERROR_NOT_READY, "device not ready"),
    ERROR_TEXT(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    ERROR_TEXT(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    ERROR_TEXT(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    ERROR_TEXT(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    ERROR_TEXT(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    ERROR_TEXT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph does not fit the executable graph"),
    ERROR_TEXT(CUDA_ERROR_LOSSY_QUERY, "the query would lose information"),
    ERROR_TEXT(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    ERROR_TEXT(CUDA_ERROR_ALREADY_MAPPED, "resource already mapped"),
    ERROR_TEXT(CUDA_ERROR_TOO_MANY_PEERS, "peer mapping resources exhausted"),
    ERROR_TEXT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    ERROR_TEXT(CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
    ERROR_TEXT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "the exec affinity is not supported"),
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
