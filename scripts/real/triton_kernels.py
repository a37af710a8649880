# SPDX-License-Identifier: Apache-2.0
"""Triton's own kernels, compiled as it compiles them and launched by the driver API, beside what numpy calculates.

Usage: triton_kernels.py

Vectors, softmax, layer norm, and products of matrices of f16, bf16 and f32 (tf32). Prints a line each: the largest difference, and what is
allowed. Exit: 0 all are right, 1 not.
"""
import ctypes
import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGET = GPUTarget("cuda", 80, 32)
CUDA = ctypes.CDLL("libcuda.so.1")


@triton.jit
def add(a, b, out, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    tl.store(out + place, tl.load(a + place, mask=inside) + tl.load(b + place, mask=inside), mask=inside)


@triton.jit
def softmax(out, values, stride, count, BLOCK: tl.constexpr):
    row = tl.program_id(0) * stride
    place = tl.arange(0, BLOCK)
    loaded = tl.load(values + row + place, mask=place < count, other=-float("inf"))
    powers = tl.exp(loaded - tl.max(loaded, axis=0))
    tl.store(out + row + place, powers / tl.sum(powers, axis=0), mask=place < count)


@triton.jit
def layer_norm(values, out, weight, bias, stride, count, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0) * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        total += tl.load(values + row + place, mask=place < count, other=0.0)
    mean = tl.sum(total, axis=0) / count
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        distance = tl.where(place < count, tl.load(values + row + place, mask=place < count, other=0.0) - mean, 0.0)
        squares += distance * distance
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / count + epsilon)
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        inside = place < count
        loaded = (tl.load(values + row + place, mask=inside, other=0.0) - mean) * scale
        tl.store(out + row + place, loaded * tl.load(weight + place, mask=inside) + tl.load(bias + place, mask=inside), mask=inside)


@triton.jit
def matmul(a, b, out, rows, columns, depth, stride_a, stride_b, stride_out, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    step = tl.arange(0, BLOCK)
    from_a = a + row[:, None] * stride_a + step[None, :]
    from_b = b + step[:, None] * stride_b + column[None, :]
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, depth, BLOCK):
        left = depth - first
        total = tl.dot(tl.load(from_a, mask=(row[:, None] < rows) & (step[None, :] < left), other=0.0),
                       tl.load(from_b, mask=(step[:, None] < left) & (column[None, :] < columns), other=0.0), total)
        from_a += BLOCK
        from_b += BLOCK * stride_b
    tl.store(out + row[:, None] * stride_out + column[None, :], total, mask=(row[:, None] < rows) & (column[None, :] < columns))


def check(status):
    if status != 0:
        sys.exit(f"triton_kernels: the driver answered {status}")


class Array:
    """A numpy array, and device memory with its values."""

    def __init__(self, values):
        self.values = np.ascontiguousarray(values)
        self.address = ctypes.c_uint64()
        check(CUDA.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.values.nbytes)))
        check(CUDA.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(self.values.ctypes.data), ctypes.c_size_t(self.values.nbytes)))

    def read(self):
        check(CUDA.cuMemcpyDtoH_v2(ctypes.c_void_p(self.values.ctypes.data), self.address, ctypes.c_size_t(self.values.nbytes)))
        return self.values


def launch(function, signature, block, grid, *arguments):
    """Compiles a Triton kernel for these arguments, and runs it to completion."""
    # Strides and addresses are multiples of 16 here, so that Triton copies in units of 16 bytes.
    source = ASTSource(fn=function, signature={**signature, "BLOCK": "constexpr"}, constexprs={"BLOCK": block},
                       attrs={(index,): [["tt.divisibility", 16]] for index, kind in enumerate(signature.values())
                              if kind.startswith("*") or kind == "i32" and arguments[index] % 16 == 0})
    built = triton.compile(source, target=TARGET)
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    check(CUDA.cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(built.asm["ptx"].encode())))
    check(CUDA.cuModuleGetFunction(ctypes.byref(kernel), module, ctypes.c_char_p(built.metadata.name.encode())))
    values = [argument.address if isinstance(argument, Array) else
              ctypes.c_float(argument) if isinstance(argument, float) else ctypes.c_int32(argument) for argument in arguments]
    values += [ctypes.c_uint64(0), ctypes.c_uint64(0)]  # The scratch memory that every Triton kernel gets.
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
    check(CUDA.cuLaunchKernel(kernel, *(*grid, 1, 1)[:3], 32 * built.metadata.num_warps, 1, 1,
                              ctypes.c_uint(built.metadata.shared), None, pointers, None))
    check(CUDA.cuCtxSynchronize())
    check(CUDA.cuModuleUnload(module))


def vectors(random):
    a, b = (Array(random.standard_normal(1000, dtype=np.float32)) for _ in range(2))
    out = Array(np.zeros(1000, np.float32))
    launch(add, {"a": "*fp32", "b": "*fp32", "out": "*fp32", "count": "i32"}, 256, (4,), a, b, out, 1000)
    return out.read(), a.values + b.values, 0


def softmaxes(random):
    rows = random.standard_normal((17, 112), dtype=np.float32)
    out = Array(np.zeros_like(rows))
    launch(softmax, {"out": "*fp32", "values": "*fp32", "stride": "i32", "count": "i32"}, 128, (17,), out, Array(rows), 112, 112)
    powers = np.exp(rows.astype(np.float64) - rows.max(axis=1, keepdims=True))
    return out.read(), powers / powers.sum(axis=1, keepdims=True), 1e-6


def layer_norms(random):
    rows = random.standard_normal((9, 304), dtype=np.float32)
    weight, bias = (random.standard_normal(304, dtype=np.float32) for _ in range(2))
    out = Array(np.zeros_like(rows))
    launch(layer_norm, {"values": "*fp32", "out": "*fp32", "weight": "*fp32", "bias": "*fp32", "stride": "i32", "count": "i32",
                        "epsilon": "fp32"}, 128, (9,), Array(rows), out, Array(weight), Array(bias), 304, 304, 1e-5)
    wide = rows.astype(np.float64)
    scaled = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    return out.read(), scaled * weight + bias, 1e-5


def narrowed(values, kind):
    """Returns the values as the device stores them, and their bits."""
    if kind == "fp16":
        return values.astype(np.float16).astype(np.float64), values.astype(np.float16)
    bits = values.view(np.uint32) & np.uint32(0xffff0000 if kind == "bf16" else 0xffffe000)
    return bits.view(np.float32).astype(np.float64), (bits >> 16).astype(np.uint16) if kind == "bf16" else values


def matmuls(kind, block=32):
    def run(random):
        a, b = random.standard_normal((48, 80), dtype=np.float32), random.standard_normal((80, 64), dtype=np.float32)
        (exact_a, given_a), (exact_b, given_b) = narrowed(a, kind), narrowed(b, kind)
        out = Array(np.zeros((48, 64), np.float32))
        launch(matmul, {"a": f"*{kind}", "b": f"*{kind}", "out": "*fp32", **dict.fromkeys(
            ("rows", "columns", "depth", "stride_a", "stride_b", "stride_out"), "i32")}, block, (2, 2),
            Array(given_a), Array(given_b), out, 48, 64, 80, 80, 64, 64)
        return out.read(), exact_a @ exact_b, 1e-5
    return run


def main():
    context = ctypes.c_void_p()
    check(CUDA.cuInit(0))
    check(CUDA.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(CUDA.cuCtxSetCurrent(context))
    wrong = 0
    for name, run in (("add", vectors), ("softmax", softmaxes), ("layer norm", layer_norms), ("matmul fp16", matmuls("fp16")),
                      ("matmul bf16", matmuls("bf16")), ("matmul fp32", matmuls("fp32"))):
        got, wanted, allowed = run(np.random.default_rng(7))
        difference = float(np.max(np.abs(got.astype(np.float64) - wanted)))
        good = difference <= allowed
        wrong += not good
        print(f"{'ok  ' if good else 'FAIL'} {name}: differs by {difference:.2g} of {allowed:g}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
