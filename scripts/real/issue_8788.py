# SPDX-License-Identifier: Apache-2.0
"""What taichi#8788 reports, step by step: a launch has the address of an argument pack, whose wrapper goes before it begins.

Usage: issue_8788.py cpu|cuda

The steps are those of Taichi's own launch_kernel (kernel_impl.py): a context is made, the pack is set, the kernel is compiled and
launched. The context keeps the address of the C++ object, and nothing keeps that alive but the pack's wrapper, which is part of a
cycle here, so that the collector ends it: both the object and its memory on the device. The launch reads the object for that memory.
"""
import ctypes
import sys

import taichi as ti


class Step:
    def __init__(self, pack):
        self.pack = pack
        self.undo = self.close  # A bound method, which makes a cycle.

    def close(self):
        self.pack = None


def bind(taichi_kernel, step):
    context = taichi_kernel.make_launch_context()
    context.set_arg_argpack((0,), step.pack._ArgPack__argpack)
    return context


def main():
    ti.init(arch=getattr(ti, sys.argv[1]), offline_cache=False, log_level=ti.ERROR)
    ctypes.CDLL("libcuda.so.1").cuInit(0)  # On the CPU, Taichi does not call the driver; `afterlife run` makes choices only after the first call.
    numbers = ti.types.argpack(first=ti.i32, second=ti.i32)

    @ti.kernel
    def add(pack: numbers) -> ti.i32:
        return pack.first + pack.second

    step = Step(numbers(first=3, second=4))
    kernel = add._primal
    taichi_kernel = kernel.compiled_kernels[kernel.ensure_compiled(step.pack)]
    program = ti.lang.impl.get_runtime().prog
    context = bind(taichi_kernel, step)
    del step
    compiled = program.compile_kernel(program.config(), program.get_device_caps(), taichi_kernel)
    program.launch_kernel(compiled, context)
    ti.sync()
    print("3 + 4 =", context.get_struct_ret_int((0,)))


main()
