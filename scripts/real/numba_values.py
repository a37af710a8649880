# SPDX-License-Identifier: Apache-2.0
"""Kernels of numba's: a device function, a sum in shared memory and an atomic, with their values.

Which library links them is numba-cuda's own choice: nothing is set here.
"""
import numpy as np
from numba import cuda, float32

THREADS = 64


@cuda.jit(device=True)
def scaled(x, y):
    return 2 * x + y


@cuda.jit
def add(first, second, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = scaled(first[i], second[i])


@cuda.jit
def total(numbers, out):
    shared = cuda.shared.array(THREADS, float32)
    i = cuda.threadIdx.x
    shared[i] = numbers[cuda.grid(1)]
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if i < step:
            shared[i] += shared[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        cuda.atomic.add(out, 0, shared[0])


def main():
    count = 4 * THREADS
    first, second = np.arange(count, dtype=np.float32), np.full(count, 3, np.float32)
    out, summed = cuda.device_array(count, np.float32), cuda.to_device(np.zeros(1, np.float32))
    add[4, THREADS](cuda.to_device(first), cuda.to_device(second), out)
    total[4, THREADS](out, summed)
    assert (out.copy_to_host() == 2 * first + second).all()
    assert summed.copy_to_host()[0] == (2 * first + second).sum()


main()
