# SPDX-License-Identifier: Apache-2.0
"""A kernel that is compiled from a string, by whichever NVRTC is loaded already, and reads freed memory."""
import ctypes
import os

cuda = ctypes.CDLL("libcuda.so.1")
nvrtc = ctypes.CDLL("libnvrtc.so.13", os.RTLD_NOLOAD | os.RTLD_NOW)
SOURCE = b"""extern "C" __global__ void add_one(int* p) {
  const int value = *p;
  *p = value + 1;
}
"""


def compiled():
    program, size, arch = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_char_p * 1)(b"-arch=sm_80")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"kernels/add.cu", 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, 1, arch):
        raise SystemExit("it does not compile")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return image


context, module, kernel = (ctypes.c_void_p() for _ in range(3))
address = ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), compiled())
cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"add_one")
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
cuda.cuMemFree_v2(address)
parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(address), ctypes.c_void_p))
cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)
cuda.cuCtxSynchronize()
