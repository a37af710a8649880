// SPDX-License-Identifier: Apache-2.0
// Functions of the runtime that are a single driver call, one for each such row of cudart.def.
#include <cuda_profiler_api.h>

#include "harness/client/inside/libcudart/forward.h"

// Options and attributes have the same numbers in both interfaces.
#define CUDART_SAME(runtime, theirs) static_assert(static_cast<int>(runtime) == theirs)
CUDART_SAME(cudaLimitDevRuntimePendingLaunchCount, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT);
CUDART_SAME(cudaFuncCachePreferEqual, CU_FUNC_CACHE_PREFER_EQUAL);
CUDART_SAME(cudaDevAttrMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
CUDART_SAME(cudaDevAttrHostNumaMultinodeIpcSupported,
            CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED);
CUDART_SAME(cudaGraphMemAttrReservedMemHigh, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
CUDART_SAME(cudaMemPoolAttrUsedMemHigh, CU_MEMPOOL_ATTR_USED_MEM_HIGH);
CUDART_SAME(cudaMemAccessFlagsProtReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
CUDART_SAME(cudaMemAdviseUnsetAccessedBy, CU_MEM_ADVISE_UNSET_ACCESSED_BY);
CUDART_SAME(cudaHostRegisterReadOnly, CU_MEMHOSTREGISTER_READ_ONLY);
CUDART_SAME(cudaMemAttachSingle, CU_MEM_ATTACH_SINGLE);
CUDART_SAME(cudaIpcMemLazyEnablePeerAccess, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
CUDART_SAME(cudaStreamNonBlocking, CU_STREAM_NON_BLOCKING);
CUDART_SAME(cudaStreamCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
CUDART_SAME(cudaStreamCaptureStatusInvalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
CUDART_SAME(cudaStreamSetCaptureDependencies, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
CUDART_SAME(cudaEventInterprocess, CU_EVENT_INTERPROCESS);
CUDART_SAME(cudaEventRecordExternal, CU_EVENT_RECORD_EXTERNAL);
CUDART_SAME(cudaEventWaitExternal, CU_EVENT_WAIT_EXTERNAL);
CUDART_SAME(cudaGraphInstantiateFlagUseNodePriority, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
CUDART_SAME(cudaGraphExecUpdateErrorAttributesChanged,
            CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
CUDART_SAME(cudaGraphUserObjectMove, CU_GRAPH_USER_OBJECT_MOVE);
CUDART_SAME(cudaJitOverrideDirectiveValues, CU_JIT_OVERRIDE_DIRECTIVE_VALUES);
CUDART_SAME(cudaLibraryBinaryIsPreserved, CU_LIBRARY_BINARY_IS_PRESERVED);
#undef CUDART_SAME

#define CUDART_FORWARD(name, needs, target, group, test, parameters, ...) \
  CUDART_FORWARDED(name, needs, target, parameters, __VA_ARGS__)
#define CUDART_FORWARD_ON(name, needs, target, group, test, parameters, ...) \
  CUDART_FORWARDED(name, needs, target, parameters, __VA_ARGS__)             \
  CUDART_PTSZ(name, on, parameters, (__VA_ARGS__))
#include "harness/client/inside/libcudart/cudart.def"
