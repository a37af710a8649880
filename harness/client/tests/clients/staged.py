# SPDX-License-Identifier: Apache-2.0
"""A copy from pageable memory, and then a use on a stream that is not ordered after it. With "raced" also one that was
submitted before the copy; with "large" a copy that drivers of today have late, too; with "twice" all of it for two allocations."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
address = ctypes.c_uint64()
count = 65536 if "large" in sys.argv else 64
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
kept = ctypes.create_string_buffer(64)
for _ in range(2 if "twice" in sys.argv else 1):
    cuda.cuMemAlloc_v2(ctypes.byref(address), count)
    if "raced" in sys.argv:
        cuda.cuMemsetD8Async(address, 7, 64, stream)
    cuda.cuMemcpyHtoD_v2(address, bytes(range(64)) * (count // 64), count)
    cuda.cuMemcpyDtoHAsync_v2(kept, address, 64, stream)  # The first use of what was copied.
    cuda.cuStreamSynchronize(stream)
print("read", kept.raw[:3])
if kept.raw != bytes(range(64)):
    raise SystemExit("read something else")
