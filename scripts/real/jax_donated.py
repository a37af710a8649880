# SPDX-License-Identifier: Apache-2.0
"""A JAX array is donated while another library still reads it by its address, on a stream of its own.

Usage: jax_donated.py [waits]

JAX marks the array as deleted, and writes the result into its memory; who has taken the address by `__cuda_array_interface__`, as CuPy
and Numba do, is not told. With "waits", the reader is waited for first.
"""
import ctypes
import sys

import jax
import jax.numpy as jnp

COUNT = 1 << 16

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status:
        raise SystemExit(f"{name}: {status}")


class Reader:
    """Copies an array to pinned memory."""

    def __init__(self):
        self.stream, self.pinned = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuStreamCreate", ctypes.byref(self.stream), 1)  # CU_STREAM_NON_BLOCKING.
        call("cuMemAllocHost_v2", ctypes.byref(self.pinned), ctypes.c_size_t(4 * COUNT))

    def read(self, interface):
        address = ctypes.c_uint64(interface["data"][0])
        call("cuMemcpyDtoHAsync_v2", self.pinned, address, ctypes.c_size_t(4 * COUNT), self.stream)

    def wait(self):
        call("cuStreamSynchronize", self.stream)


def main():
    step = jax.jit(lambda state: state * 2 + 1, donate_argnums=0)
    state = jnp.arange(COUNT, dtype=jnp.float32).block_until_ready()
    reader = Reader()
    reader.read(state.__cuda_array_interface__)
    if sys.argv[1:] == ["waits"]:
        reader.wait()
    state = step(state)
    state.block_until_ready()
    reader.wait()


main()
