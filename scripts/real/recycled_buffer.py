# SPDX-License-Identifier: Apache-2.0
"""cuda-python#2039 with a bystander: the dead buffer's memory is someone else's when the graph runs.

The steps are those of issue_2039.py, but that another buffer is allocated between the death and the launch. Its owner writes 0
into it and no kernel is given it, so that it holds 0 at the end, unless the graph writes to memory that its buffer has left.
"""
import ctypes
import gc

from cuda.bindings import driver
from cuda.core import Device, DeviceMemoryResource, LaunchConfig, Program, ProgramOptions

try:
    from cuda.core.graph import GraphDefinition
except ImportError:  # The class has another name in 0.7.0.
    from cuda.core.graph import GraphDef as GraphDefinition


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    memory = DeviceMemoryResource(device)
    architecture = "".join(str(number) for number in device.compute_capability)
    program = Program("__global__ void add_one(int *a) { *a += 1; }", code_type="c++",
                      options=ProgramOptions(std="c++17", arch=f"sm_{architecture}"))
    add_one = program.compile("cubin", name_expressions=("add_one",)).get_kernel("add_one")

    def make_buffer():
        buffer = memory.allocate(ctypes.sizeof(ctypes.c_int), stream=stream)
        buffer.fill(0, stream=stream)
        return buffer

    buffer = make_buffer()
    graph = GraphDefinition()
    graph.launch(LaunchConfig(grid=1, block=1), add_one, buffer)
    del buffer
    gc.collect()

    bystander = make_buffer()
    run = graph.instantiate()
    run.launch(stream)
    stream.sync()
    value = ctypes.c_int()
    driver.cuMemcpyDtoH(ctypes.addressof(value), int(bystander.handle), ctypes.sizeof(value))
    print("the bystander holds", value.value)


main()
