# SPDX-License-Identifier: Apache-2.0
"""A view of numba's that has the address of an array, and not the array.

Usage: numba_view.py borrowed|owned

numba keeps the owner of the memory that from_cuda_array_interface is given, and nothing where none is. The table is a cycle, so
that the collector ends it, and numba gives its memory back once ten others have ended, too. With "owned" the view keeps the table.
"""
import sys

import numpy as np
from numba import cuda

THREADS = 64


@cuda.jit
def add_one(numbers):
    i = cuda.grid(1)
    if i < numbers.size:
        numbers[i] += 1


class Table:
    def __init__(self):
        self.numbers = cuda.to_device(np.zeros(THREADS, np.float32))
        self.all = self

    def view(self, owner):
        return cuda.from_cuda_array_interface(self.numbers.__cuda_array_interface__, owner=owner)


def main():
    table = Table()
    view = table.view(table if sys.argv[1] == "owned" else None)
    del table
    scratch = [cuda.device_array(THREADS, np.float32) for _ in range(12)]
    add_one[1, THREADS](scratch[-1])
    del scratch
    add_one[1, THREADS](view)
    cuda.synchronize()


main()
