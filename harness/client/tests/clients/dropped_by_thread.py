# SPDX-License-Identifier: Apache-2.0
"""A graph that sets a buffer which another thread drops: the launching thread checked that it is there, a moment before."""
import ctypes
import threading

cuda = ctypes.CDLL("libcuda.so.1")


class Parameters(ctypes.Structure):
    _fields_ = [("target", ctypes.c_uint64), ("pitch", ctypes.c_size_t), ("value", ctypes.c_uint),
                ("element_bytes", ctypes.c_uint), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


class Buffer:
    def __init__(self):
        self.address = ctypes.c_uint64()
        cuda.cuMemAlloc_v2(ctypes.byref(self.address), 64)

    def __del__(self):
        cuda.cuMemFree_v2(self.address)


context, stream, graph, node, run = (ctypes.c_void_p() for _ in range(5))
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cache = {"weights": Buffer()}
parameters = Parameters(cache["weights"].address.value, 0, 1, 1, 64, 1)
cuda.cuGraphCreate(ctypes.byref(graph), 0)
cuda.cuGraphAddMemsetNode(ctypes.byref(node), graph, None, 0, ctypes.byref(parameters), context)
cuda.cuGraphInstantiateWithFlags(ctypes.byref(run), graph, ctypes.c_ulonglong(0))


def evict():
    cuda.cuCtxSetCurrent(context)
    for name in sorted(cache):
        cache.pop(name, None)


def count():
    counted.append(sum(len(str(i)) for i in range(20)))


counted = []
others = [threading.Thread(target=count, name="counter"), threading.Thread(target=evict, name="evictor")]
for other in others:
    other.start()
if "weights" in cache:
    status = cuda.cuGraphLaunch(run, stream)
    cuda.cuStreamSynchronize(stream)
for other in others:
    other.join()
print("done", sum(counted))
