# SPDX-License-Identifier: Apache-2.0
"""Uses pinned memory while a copy does. Its argument says how: `read` or `rewritten`, before it has waited for the copy; `ended`, where it waits after
the write; `waited`; `sign`,
where the stream writes a word behind the copy, which is looked for; `file`, where a file is read into another part of the memory."""
import ctypes
import os
import sys

cuda = ctypes.CDLL("libcuda.so.1")
way = sys.argv[1]
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
device, pinned = ctypes.c_uint64(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuMemAlloc_v2(ctypes.byref(device), 64)
cuda.cuMemAllocHost_v2(ctypes.byref(pinned), 128)  # The copy uses the first half.
numbers = (ctypes.c_uint8 * 128).from_address(pinned.value)
numbers[100] = 5
cuda.cuMemsetD8_v2(device, 7, 64)
cuda.cuCtxSynchronize()
if way in ("rewritten", "ended"):
    cuda.cuMemcpyHtoDAsync_v2(device, pinned, 64, stream)
    numbers[8] = 1  # The copy may still take it.
    if way == "ended":
        cuda.cuStreamSynchronize(stream)
    raise SystemExit
cuda.cuMemcpyDtoHAsync_v2(pinned, device, 64, stream)
numbers[100] += 1  # No copy uses it.
if way == "waited":
    cuda.cuStreamSynchronize(stream)
if way == "sign":
    cuda.cuStreamWriteValue32_v2(stream, ctypes.c_uint64(pinned.value + 64), 1, 0)
    while numbers[64] == 0:
        cuda.cuStreamQuery(None)  # Of another stream.
if way == "file":
    with open(__file__, "rb") as text:
        os.readv(text.fileno(), [memoryview(numbers)[96:100]])
    raise SystemExit
print(numbers[3])  # No one may have waited.
cuda.cuStreamSynchronize(stream)
print(numbers[3], numbers[100])
