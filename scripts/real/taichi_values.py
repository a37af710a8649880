# SPDX-License-Identifier: Apache-2.0
"""Calculates with Taichi on the CPU and on the simulated device, and compares.

Usage: taichi_values.py

Fields, ndarrays, fills, argument packs, sums and extrema by atomics, matrices, structures, sparse fields, branches. Prints
a line each. Exit: 0 all values are equal (sums of floating point to 1e-5), 1 not.
"""
import sys

import numpy as np
import taichi as ti

ARRAY = ti.types.ndarray(dtype=ti.f32, ndim=1)
COUNT = 1000


def fields():
    squares = ti.field(ti.i64, COUNT)

    @ti.kernel
    def fill():
        for i in squares:
            squares[i] = i * i - 7 * i
    fill()
    return squares.to_numpy()


def ndarrays():
    values = ti.ndarray(ti.f32, COUNT)
    values.from_numpy(np.linspace(-3, 3, COUNT, dtype=np.float32))

    @ti.kernel
    def change(values: ARRAY):
        for i in values:
            values[i] = 2 * values[i] + 1
    change(values)
    return values.to_numpy()


def fills():
    values = ti.ndarray(ti.i32, COUNT)
    values.fill(7)
    return values.to_numpy()


def packs():
    pack = ti.types.argpack(scale=ti.f32, shift=ti.math.vec3, values=ARRAY)
    values = ti.ndarray(ti.f32, COUNT)

    @ti.kernel
    def fill(pack: pack):
        for i in pack.values:
            pack.values[i] = pack.scale * i + pack.shift[i % 3]
    fill(pack(scale=0.5, shift=ti.math.vec3(1, 2, 4), values=values))
    return values.to_numpy()


def atomics():
    result = ti.field(ti.i32, 6)

    @ti.kernel
    def collect():
        for i in range(COUNT):
            value = (i * 7919) % 1013
            result[0] += value
            ti.atomic_max(result[1], value)
            ti.atomic_min(result[2], -value)
            ti.atomic_xor(result[3], value)
            ti.atomic_or(result[4], value)
            ti.atomic_and(result[5], ~value)
    collect()
    return result.to_numpy()


def sums():
    @ti.kernel
    def total() -> ti.f32:
        result = 0.0
        for i in range(COUNT):
            result += ti.sin(i * 0.01) / (i + 1)
        return result
    return np.array([total()])


def matrices():
    result = ti.Matrix.field(3, 3, ti.f32, COUNT)

    @ti.kernel
    def fill():
        for i in result:
            made = ti.Matrix([[2.0 + i, 1, 0], [1, 3, 1], [0, 1, 4]])
            result[i] = made @ made.transpose() + made.inverse() * made.determinant()
    fill()
    return result.to_numpy()


def structures():
    particle = ti.types.struct(place=ti.math.vec2, mass=ti.f32, kind=ti.i32)
    particles = particle.field(shape=COUNT)

    @ti.kernel
    def fill():
        for i in particles:
            particles[i] = particle(place=ti.math.vec2(i, -i), mass=0.25 * i, kind=i % 3)
            particles[i].place *= particles[i].mass
    fill()
    return np.concatenate([particles.place.to_numpy().ravel(), particles.mass.to_numpy(), particles.kind.to_numpy()])


def sparse():
    values = ti.field(ti.f32)
    ti.root.pointer(ti.i, 32).dense(ti.i, 16).place(values)
    active = ti.field(ti.i32, ())

    @ti.kernel
    def activate():
        for i in range(14):
            values[37 * i] = i

    @ti.kernel
    def visit():
        for i in values:
            values[i] += 0.5
            active[None] += 1
    activate()
    visit()
    return np.append(values.to_numpy(), active[None])


def branches():
    result = ti.field(ti.i32, COUNT)

    @ti.kernel
    def collatz():
        for i in result:
            value, steps = i + 1, 0
            while value != 1:
                value = value // 2 if value % 2 == 0 else 3 * value + 1
                steps += 1
            result[i] = steps
    collatz()
    return result.to_numpy()


CASES = (fields, ndarrays, fills, packs, atomics, sums, matrices, structures, sparse, branches)


def values_on(arch):
    made = {}
    for case in CASES:
        ti.init(arch=arch, log_level=ti.WARN, offline_cache=False, enable_fallback=False, device_memory_GB=0.3, default_ip=ti.i32)
        made[case.__name__] = case()
        ti.reset()
    return made


def main():
    here, there = values_on(ti.cpu), values_on(ti.cuda)
    wrong = 0
    for name, wanted in here.items():
        got = there[name]
        exact = wanted.dtype.kind in "iu"
        good = np.array_equal(got, wanted) if exact else np.allclose(got, wanted, rtol=1e-5, atol=1e-6)
        wrong += not good
        print(f"{'ok  ' if good else 'FAIL'} {name}: {got.size} values", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
