# SPDX-License-Identifier: Apache-2.0
"""Kernels that access a wild address. "late": the table with the address is filled on another stream. "stale": the number of the element that
it writes is in memory that was freed, and that something else was given. With "right" behind it, each waits for, or keeps, what it needs."""
import ctypes
import os
import sys

cuda = ctypes.CDLL("libcuda.so.1")
nvrtc = ctypes.CDLL("libnvrtc.so.13", os.RTLD_NOLOAD | os.RTLD_NOW)
HOW, RIGHT = sys.argv[1], "right" in sys.argv
SOURCE = b"""extern "C" __global__ void follow(unsigned** table) { *table[0] = 1; }
extern "C" __global__ void write(const unsigned* index, unsigned* data) { data[*index] = 1; }
"""


def compiled():
    program, size, arch = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_char_p * 1)(b"-arch=sm_80")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"kernels/wild.cu", 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, 1, arch):
        raise SystemExit("it does not compile")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    return image


def made(create, *arguments):
    handle = ctypes.c_void_p()
    assert create(ctypes.byref(handle), *arguments) == 0
    return handle


def allocate(value=0):
    address = ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    cuda.cuMemsetD32_v2(address, value, ctypes.c_size_t(16))
    cuda.cuCtxSynchronize()
    return address


def launch(name, stream, *values):
    kernel = made(cuda.cuModuleGetFunction, module, name)
    given = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(one), ctypes.c_void_p) for one in values))
    return cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, given, None)


def late():
    table, data = allocate(), allocate()
    filled = ctypes.c_void_p()
    cuda.cuMemHostAlloc(ctypes.byref(filled), ctypes.c_size_t(8), 0)
    ctypes.cast(filled, ctypes.POINTER(ctypes.c_uint64))[0] = data.value
    cuda.cuMemcpyHtoDAsync_v2(table, filled, ctypes.c_size_t(8), first)  # A fill.
    if RIGHT:
        cuda.cuStreamSynchronize(first)
    launch(b"follow", second, table)
    cuda.cuStreamSynchronize(second)


def stale():
    index, data = allocate(3), allocate()
    cuda.cuStreamBeginCapture_v2(first, 2)
    launch(b"write", first, index, data)
    graph = ctypes.c_void_p()
    cuda.cuStreamEndCapture(first, ctypes.byref(graph))
    run = made(cuda.cuGraphInstantiateWithFlags, graph, ctypes.c_ulonglong(0))
    if not RIGHT:
        cuda.cuMemFree_v2(index)  # Too early.
    allocate(0x10000000)
    cuda.cuGraphLaunch(run, first)
    cuda.cuStreamSynchronize(first)


cuda.cuInit(0)
context = made(cuda.cuDevicePrimaryCtxRetain, 0)
cuda.cuCtxSetCurrent(context)
module = made(cuda.cuModuleLoadData, compiled())
first, second = made(cuda.cuStreamCreate, 1), made(cuda.cuStreamCreate, 1)
{"late": late, "stale": stale}[HOW]()
