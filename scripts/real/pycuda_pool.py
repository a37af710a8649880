# SPDX-License-Identifier: Apache-2.0
"""An array goes back to PyCUDA's pool while a kernel of one stream uses it, and its memory is set on another stream.

With the argument `waits`, the stream is waited for first."""
import sys

import numpy
import pycuda.autoinit  # noqa: F401: makes the context.
import pycuda.driver
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

add_one = SourceModule("__global__ void add_one(int* data) { data[threadIdx.x] += 1; }").get_function("add_one")
pool = DeviceMemoryPool()
compute, fill = pycuda.driver.Stream(), pycuda.driver.Stream()
scratch = gpuarray.GPUArray(32, numpy.int32, allocator=pool.allocate)
pycuda.driver.memset_d32_async(scratch.gpudata, 1, 32, compute)
add_one(scratch.gpudata, block=(32, 1, 1), grid=(1, 1), stream=compute)
if sys.argv[1:] == ["waits"]:
    compute.synchronize()
del scratch
other = gpuarray.GPUArray(32, numpy.int32, allocator=pool.allocate)
pycuda.driver.memset_d32_async(other.gpudata, 7, 32, fill)
fill.synchronize()
compute.synchronize()
del other
pool.stop_holding()  # Frees the held memory while the pool's context is current.
