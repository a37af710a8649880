# SPDX-License-Identifier: Apache-2.0
"""A graph keeps the address of the second of two buffers that were freed; larger memory may then
overlap both. `fixed`: the graph goes first."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


class Parameters(ctypes.Structure):
    _fields_ = [("target", ctypes.c_uint64), ("pitch", ctypes.c_size_t), ("value", ctypes.c_uint),
                ("element_bytes", ctypes.c_uint), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


context, graph, node, run = (ctypes.c_void_p() for _ in range(4))
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)


def allocate(size):
    address = ctypes.c_uint64()
    cuda.cuMemAllocAsync(ctypes.byref(address), ctypes.c_size_t(size), None)
    return address


buffers = [allocate(512) for _ in range(4)]
parameters = Parameters(buffers[2].value, 0, 1, 1, 64, 1)
cuda.cuGraphCreate(ctypes.byref(graph), 0)
cuda.cuGraphAddMemsetNode(ctypes.byref(node), graph, None, 0, ctypes.byref(parameters), context)
cuda.cuGraphInstantiateWithFlags(ctypes.byref(run), graph, ctypes.c_ulonglong(0))
if sys.argv[1:] == ["fixed"]:
    cuda.cuGraphLaunch(run, None)
for buffer in buffers:
    cuda.cuMemFreeAsync(buffer, None)
large = allocate(2048)
cuda.cuMemsetD8Async(large, 3, 2048, None)
if sys.argv[1:] != ["fixed"]:
    cuda.cuGraphLaunch(run, None)
cuda.cuMemFreeAsync(large, None)
cuda.cuCtxSynchronize()
