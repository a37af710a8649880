# SPDX-License-Identifier: Apache-2.0
"""The same as dropped_by_thread.py, but that a lock and an event have the buffer outlive its use."""
import ctypes
import threading
import time

cuda = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)


class Buffer:
    def __init__(self):
        self.address = ctypes.c_uint64()
        cuda.cuMemAlloc_v2(ctypes.byref(self.address), 64)

    def __del__(self):
        cuda.cuMemFree_v2(self.address)


lock = threading.Lock()
used = threading.Event()
cache = {"weights": Buffer()}


def launch():
    cuda.cuCtxSetCurrent(context)
    with lock:
        if "weights" in cache:
            cuda.cuMemsetD8Async(cache["weights"].address, 1, 64, stream)
            cuda.cuStreamSynchronize(stream)
    used.set()


def evict():
    cuda.cuCtxSetCurrent(context)
    while not used.wait(timeout=0.001):
        time.sleep(0.001)
    with lock:
        cache.pop("weights", None)


threads = [threading.Thread(target=act) for act in (launch, evict, launch)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done", sorted(cache))
