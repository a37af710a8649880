# SPDX-License-Identifier: Apache-2.0
"""Adds two arrays of a million integers, one thread each, again and again, as plain ctypes. Usage: kernel_loop.py COUNT"""
import ctypes
import sys

KERNEL = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p, %r5, %r1;
  @%p bra done;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.u32 %r6, [%rd8];
  ld.global.u32 %r7, [%rd6];
  add.s32 %r6, %r6, %r7;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.u32 [%rd10], %r6;
done:
  ret;
}
"""
BLOCKS, THREADS = 4096, 256

cuda = ctypes.CDLL("libcuda.so.1")
context, stream, module, add = (ctypes.c_void_p() for _ in range(4))
arrays = [ctypes.c_uint64() for _ in range(3)]
count = ctypes.c_int(BLOCKS * THREADS)
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
if cuda.cuModuleLoadData(ctypes.byref(module), KERNEL) or cuda.cuModuleGetFunction(ctypes.byref(add), module, b"add"):
    sys.exit("the kernel cannot be loaded")
for array in arrays:
    cuda.cuMemAlloc_v2(ctypes.byref(array), ctypes.c_size_t(4 * count.value))
    cuda.cuMemsetD32Async(array, 1, ctypes.c_size_t(count.value), stream)
given = [*arrays, count]
parameters = (ctypes.c_void_p * len(given))(*(ctypes.addressof(value) for value in given))
for _ in range(int(sys.argv[1])):
    if cuda.cuLaunchKernel(add, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, parameters, None):
        sys.exit("the kernel cannot be launched")
last = ctypes.c_int()
cuda.cuStreamSynchronize(stream)
cuda.cuMemcpyDtoH_v2(ctypes.byref(last), ctypes.c_uint64(arrays[2].value + 4 * (count.value - 1)), ctypes.c_size_t(4))
sys.exit(0 if last.value == 2 else f"the last sum is {last.value}")
