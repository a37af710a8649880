# SPDX-License-Identifier: Apache-2.0
"""A consumer that takes buffers from a queue, and a producer that takes one back which it thinks is unused."""
import ctypes
import queue
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
wanted = queue.Queue(maxsize=2)


def allocate():
    address = ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    return address


def consume():
    cuda.cuCtxSetCurrent(context)
    while True:
        address = wanted.get()
        if address is None:
            return
        cuda.cuMemsetD8Async(address, 1, 64, stream)
        cuda.cuStreamSynchronize(stream)


consumer = threading.Thread(target=consume, name="consumer")
consumer.start()
for _ in range(3):
    buffer = allocate()
    wanted.put(buffer)
    while not wanted.empty():
        pass
    cuda.cuMemFree_v2(buffer)  # It has been taken, but perhaps not used.
wanted.put(None)
consumer.join()
print("done")
