# SPDX-License-Identifier: Apache-2.0
"""Kernels of a template, compiled from a string by name expressions, launched, and their values read.

Ends with 1 where a value is not as it must be.
"""
import ctypes
import sys

import numpy
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

CODE = """
namespace kernels {
template <class T, int Width>
__global__ void scale(T* values, T factor, size_t count) {
  const size_t i = static_cast<size_t>(blockIdx.x) * Width + threadIdx.x;
  if (i < count) values[i] = values[i] * factor + ADDED;
}
}
"""
COUNT, WIDTH, ADDED = 100, 32, 3
TYPES = {"float": numpy.float32, "double": numpy.float64, "long long": numpy.int64}


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    architecture = "".join(str(number) for number in device.compute_capability)
    names = {kind: f"kernels::scale<{kind}, {WIDTH}>" for kind in TYPES}
    program = Program(CODE, code_type="c++", options=ProgramOptions(
        name="scale.cu", std="c++17", arch=f"sm_{architecture}", define_macro=("ADDED", str(ADDED))))
    code = program.compile("cubin", name_expressions=tuple(names.values()))
    for kind, numbers in TYPES.items():
        size = COUNT * numpy.dtype(numbers).itemsize
        buffer = LegacyPinnedMemoryResource().allocate(size)
        values = numpy.frombuffer((ctypes.c_char * size).from_address(int(buffer.handle)), numbers)
        values[:] = range(COUNT)
        grid = (COUNT + WIDTH - 1) // WIDTH
        launch(stream, LaunchConfig(grid=grid, block=WIDTH), code.get_kernel(names[kind]), buffer, numbers(2), numpy.uint64(COUNT))
        stream.sync()
        if list(values) != [2 * i + ADDED for i in range(COUNT)]:
            sys.exit(print(f"{kind}: {values[:4]}", file=sys.stderr) or 1)
    print("values are right for", ", ".join(TYPES))


main()
