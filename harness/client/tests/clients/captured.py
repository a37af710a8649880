# SPDX-License-Identifier: Apache-2.0
"""A graph that sets memory which is freed before it is launched."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


class Parameters(ctypes.Structure):
    _fields_ = [("target", ctypes.c_uint64), ("pitch", ctypes.c_size_t), ("value", ctypes.c_uint),
                ("element_bytes", ctypes.c_uint), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


context, stream, graph, node, run = (ctypes.c_void_p() for _ in range(5))
address = ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
cuda.cuGraphCreate(ctypes.byref(graph), 0)
parameters = Parameters(address.value, 0, 1, 1, 64, 1)
cuda.cuGraphAddMemsetNode(ctypes.byref(node), graph, None, 0, ctypes.byref(parameters), context)
cuda.cuGraphInstantiateWithFlags(ctypes.byref(run), graph, ctypes.c_ulonglong(0))
cuda.cuMemFree_v2(address)
cuda.cuGraphLaunch(run, stream)
cuda.cuStreamSynchronize(stream)
