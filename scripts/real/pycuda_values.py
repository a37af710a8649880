# SPDX-License-Identifier: Apache-2.0
"""PyCUDA's arrays, kernels, reductions and scans beside numpy. Its kernels come from nvcc, as cubins."""
import numpy
import pycuda.autoinit  # noqa: F401: makes the context.
import pycuda.curandom
import pycuda.driver
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

host = numpy.arange(1000, dtype=numpy.float32)
array = gpuarray.to_gpu(host)


def expect(name, got, wanted):
    if not numpy.allclose(got, wanted, rtol=1e-5):
        raise SystemExit(f"{name}: {got}, and not {wanted}")


expect("arithmetic", (2 * array + 1).get(), 2 * host + 1)
expect("sum", gpuarray.sum(array).get(), host.sum())
expect("maximum", gpuarray.max(array).get(), host.max())
expect("dot", gpuarray.dot(array, array).get(), host @ host)

axpy = ElementwiseKernel("float a, float* x, float* y", "y[i] += a * x[i]", "axpy")
target = gpuarray.zeros_like(array)
axpy(numpy.float32(3), array, target)
expect("elementwise", target.get(), 3 * host)

norm = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a + b", map_expr="x[i] * x[i]", arguments="float* x")
expect("reduction", norm(array).get(), host @ host)

scanned = gpuarray.to_gpu(numpy.ones(1000, dtype=numpy.int32))
InclusiveScanKernel(numpy.int32, "a + b")(scanned)
expect("scan", scanned.get(), numpy.arange(1, 1001))

add_one = SourceModule("__global__ void add_one(int* data) { data[threadIdx.x] += 1; }").get_function("add_one")
numbers = numpy.arange(32, dtype=numpy.int32)
add_one(pycuda.driver.InOut(numbers), block=(32, 1, 1), grid=(1, 1))
expect("kernel", numbers, numpy.arange(1, 33))
add_one.prepare("P")
data = gpuarray.to_gpu(numbers)
add_one.prepared_call((1, 1), (32, 1, 1), data.gpudata)
expect("prepared kernel", data.get(), numpy.arange(2, 34))
print("right")
