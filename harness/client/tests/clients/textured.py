# SPDX-License-Identifier: Apache-2.0
"""A graph whose kernel reads an array through a texture; the array is destroyed between two launches."""
import ctypes
import os

cuda = ctypes.CDLL("libcuda.so.1")
nvrtc = ctypes.CDLL("libnvrtc.so.13", os.RTLD_NOLOAD | os.RTLD_NOW)
SOURCE = b"""extern "C" __global__ void sample(cudaTextureObject_t image, float* out) {
  const float value = tex2D<float>(image, 1.5f, 0.5f);
  *out = value;
}
"""


class Descriptor(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("format", ctypes.c_uint),
                ("channels", ctypes.c_uint)]


class Resource(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint), ("padding", ctypes.c_uint), ("array", ctypes.c_void_p),
                ("rest", ctypes.c_byte * 120), ("flags", ctypes.c_uint), ("padding2", ctypes.c_uint)]


class Sampling(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint * 3), ("rest", ctypes.c_byte * 92)]


def compiled():
    program, size, arch = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_char_p * 1)(b"-arch=sm_80")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"kernels/sample.cu", 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, 1, arch):
        raise SystemExit("it does not compile")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    return image


context, module, kernel, stream, array, graph, run = (ctypes.c_void_p() for _ in range(7))
texture, out, texels = ctypes.c_uint64(), ctypes.c_uint64(), (ctypes.c_float * 4)(1, 2, 3, 4)
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), compiled())
cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"sample")
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuMemAlloc_v2(ctypes.byref(out), 4)
cuda.cuArrayCreate_v2(ctypes.byref(array), ctypes.byref(Descriptor(4, 1, 0x20, 1)))
cuda.cuMemcpyHtoA_v2(array, ctypes.c_size_t(0), texels, ctypes.c_size_t(16))
cuda.cuTexObjectCreate(ctypes.byref(texture), ctypes.byref(Resource(0, 0, array.value)), ctypes.byref(Sampling()), None)
cuda.cuStreamBeginCapture_v2(stream, 0)
parameters = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.byref(one), ctypes.c_void_p) for one in (texture, out)))
cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, None)
cuda.cuStreamEndCapture(stream, ctypes.byref(graph))
cuda.cuGraphInstantiateWithFlags(ctypes.byref(run), graph, ctypes.c_ulonglong(0))
cuda.cuGraphLaunch(run, stream)
cuda.cuStreamSynchronize(stream)
value = ctypes.c_float()
cuda.cuMemcpyDtoH_v2(ctypes.byref(value), out, ctypes.c_size_t(4))
print("sampled", value.value)
cuda.cuArrayDestroy(array)
cuda.cuGraphLaunch(run, stream)
cuda.cuStreamSynchronize(stream)
