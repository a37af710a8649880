# SPDX-License-Identifier: Apache-2.0
"""Two modules in PTX, linked by whichever nvJitLink is loaded already; the kernel writes to freed memory."""
import ctypes
import os

cuda = ctypes.CDLL("libcuda.so.1")
linker = ctypes.CDLL("libnvJitLink.so.13", os.RTLD_NOLOAD | os.RTLD_NOW)
HEADER = b".version 8.0\n.target sm_80\n.address_size 64\n"
USER = HEADER + b"""
.extern .global .align 4 .u32 base;
.visible .entry store_base(.param .u64 out)
{
  .reg .b32 %r;
  .reg .b64 %rd<3>;
  mov.u64 %rd1, base;
  ld.global.u32 %r, [%rd1];
  ld.param.u64 %rd2, [out];
  st.global.u32 [%rd2], %r;
  ret;
}
"""
OWNER = HEADER + b".visible .global .align 4 .u32 base = 77;\n"
PTX = 2  # NVJITLINK_INPUT_PTX


def check_version():
    """Clients give LTO IR to a linker from 12.3 on."""
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    linker.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor))
    if (major.value, minor.value) >= (12, 3):
        raise SystemExit("it seems to link LTO IR")


def linked():
    handle, size, arch = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_char_p * 1)(b"-arch=sm_80")
    linker.nvJitLinkCreate(ctypes.byref(handle), 1, arch)
    for text, name in (USER, b"user"), (OWNER, b"owner"):
        if linker.nvJitLinkAddData(handle, PTX, text, ctypes.c_size_t(len(text)), name):
            raise SystemExit("an input is refused")
    if linker.nvJitLinkComplete(handle):
        raise SystemExit("it does not link")
    linker.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    linker.nvJitLinkGetLinkedCubin(handle, image)
    linker.nvJitLinkDestroy(ctypes.byref(handle))
    return image


context, module, kernel = (ctypes.c_void_p() for _ in range(3))
address = ctypes.c_uint64()
check_version()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), linked())
cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"store_base")
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(address), ctypes.c_void_p))
cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)
value = ctypes.c_int()
cuda.cuMemcpyDtoH_v2(ctypes.byref(value), address, ctypes.c_size_t(4))
print("stored", value.value, flush=True)
cuda.cuMemFree_v2(address)
cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)
cuda.cuCtxSynchronize()
