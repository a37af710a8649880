# SPDX-License-Identifier: Apache-2.0
"""A kernel keeps a piece of memory of its own; another gives it back, and a third still reads it."""
import ctypes
import os

cuda = ctypes.CDLL("libcuda.so.1")
nvrtc = ctypes.CDLL("libnvrtc.so.13", os.RTLD_NOLOAD | os.RTLD_NOW)
SOURCE = b"""extern "C" __global__ void take(int** slot) {
  *slot = static_cast<int*>(malloc(64));
  **slot = 7;
}
extern "C" __global__ void give(int** slot) { free(*slot); }
extern "C" __global__ void look(int** slot, int* out) {
  *out = **slot;
}
"""


def compiled():
    program, size, arch = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_char_p * 1)(b"-arch=sm_80")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"kernels/heap.cu", 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, 1, arch):
        raise SystemExit("it does not compile")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    return image


def launch(kernel, stream, *values):
    given = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.byref(one), ctypes.c_void_p) for one in values))
    cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, given, None)


context, module, first, second = (ctypes.c_void_p() for _ in range(4))
take, give, look = (ctypes.c_void_p() for _ in range(3))
slot, out = ctypes.c_uint64(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), compiled())
for kernel, name in ((take, b"take"), (give, b"give"), (look, b"look")):
    cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name)
for stream in (first, second):
    cuda.cuStreamCreate(ctypes.byref(stream), 1)
for address in (slot, out):
    cuda.cuMemAlloc_v2(ctypes.byref(address), 8)
launch(take, first, slot)
cuda.cuStreamSynchronize(first)
launch(look, first, slot, out)  # Nothing has this one done before the next.
launch(give, second, slot)
cuda.cuCtxSynchronize()
launch(look, first, slot, out)
cuda.cuCtxSynchronize()
