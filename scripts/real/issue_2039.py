# SPDX-License-Identifier: Apache-2.0
"""What cuda-python#2039 reports, step by step: a kernel node of a graph, whose buffer no one else has.

The kernel is compiled from a string. The graph has the buffer's address; cuda.core 0.7.0 keeps nothing alive for it, so that
the buffer ends with its last name, and the graph's run writes into memory that was freed. Where it is kept, there is
nothing to see.
"""
import ctypes
import gc
import weakref

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

    buffer = memory.allocate(ctypes.sizeof(ctypes.c_int), stream=stream)
    buffer.fill(0, stream=stream)
    stream.sync()
    known = weakref.ref(buffer)

    graph = GraphDefinition()
    graph.launch(LaunchConfig(grid=1, block=1), add_one, buffer)
    del buffer
    gc.collect()
    print("the buffer is", "gone" if known() is None else "alive")

    run = graph.instantiate()
    run.launch(stream)
    stream.sync()


main()
