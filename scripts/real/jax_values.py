# SPDX-License-Identifier: Apache-2.0
"""JAX beside numpy on the simulated driver: operators, gradients, donation, callbacks, several streams, and a training step.

Usage: jax_values.py [OPERATOR]

Prints a line per operator, with how many kernels it launched; also to the file of LAUNCHES_FILE, if that is set. Exit: 0 all are right,
and launched some, 1 not.
"""
import ctypes
import json
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(1)
x = rng.standard_normal((64, 48)).astype(np.float32)
y = rng.standard_normal((64, 48)).astype(np.float32)
w = rng.standard_normal((48, 32)).astype(np.float32)
whole = rng.integers(-50, 50, (64, 48)).astype(np.int32)


def softmax(a):
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def highest(a, b):
    return jnp.dot(a, b, precision="highest")


OPERATORS = {
    "add": (lambda a, b: a + b, (x, y), x + y),
    "subtract and scale": (lambda a, b: 2 * a - b, (x, y), 2 * x - y),
    "multiply": (lambda a, b: a * b, (x, y), x * y),
    "divide": (lambda a, b: a / b, (x, y), x / y),
    "power": (lambda a: jnp.abs(a) ** 1.5, (x,), np.abs(x) ** 1.5),
    "exp": (jnp.exp, (x,), np.exp(x)),
    "log": (lambda a: jnp.log(jnp.abs(a)), (x,), np.log(np.abs(x))),
    "sin": (jnp.sin, (x,), np.sin(x)),
    "tanh": (jnp.tanh, (x,), np.tanh(x)),
    "sqrt": (lambda a: jnp.sqrt(jnp.abs(a)), (x,), np.sqrt(np.abs(x))),
    "maximum": (jnp.maximum, (x, y), np.maximum(x, y)),
    "where": (lambda a, b: jnp.where(a > 0, a, b), (x, y), np.where(x > 0, x, y)),
    "clip": (lambda a: jnp.clip(a, -1, 1), (x,), np.clip(x, -1, 1)),
    "round": (jnp.round, (x,), np.round(x)),
    "integer arithmetic": (lambda a: (a * 7 + 3) // 5 % 11, (whole,), (whole * 7 + 3) // 5 % 11),
    "bits": (lambda a: (a & 15) ^ (a << 2), (whole,), (whole & 15) ^ (whole << 2)),
    "sum": (lambda a: a.sum(1), (x,), x.sum(1)),
    "mean": (lambda a: a.mean(0), (x,), x.mean(0)),
    "largest": (lambda a: a.max(), (x,), x.max()),
    "argmax": (lambda a: a.argmax(1), (x,), x.argmax(1)),
    "all": (lambda a: (a > -50).all(), (whole,), np.bool_((whole > -50).all())),
    "cumulative sum": (lambda a: jnp.cumsum(a, 1), (whole,), np.cumsum(whole, 1)),
    "variance": (lambda a: a.var(1), (x,), x.var(1)),
    "softmax": (jax.nn.softmax, (x,), softmax(x)),
    "sort": (lambda a: jnp.sort(a, 1), (x,), np.sort(x, 1)),
    "argsort": (lambda a: jnp.argsort(a, 1), (x,), np.argsort(x, 1, kind="stable")),
    "transpose": (lambda a: a.T + 1, (x,), x.T + 1),
    "concatenate": (lambda a, b: jnp.concatenate([a, b], 1), (x, y), np.concatenate([x, y], 1)),
    "slice": (lambda a: a[3:20:2, ::-1] * 2, (x,), x[3:20:2, ::-1] * 2),
    "gather": (lambda a, i: a[i % 64, 0], (x, whole[:, 0]), x[whole[:, 0] % 64, 0]),
    "scatter": (lambda a: a.at[::2].add(1.0), (x,), np.where(np.arange(64)[:, None] % 2 == 0, x + 1, x)),
    "broadcast": (lambda a: a - a.mean(1, keepdims=True), (x,), x - x.mean(1, keepdims=True)),
    "dot": (highest, (x, w), x @ w),
    "product of batches": (lambda a, b: jnp.einsum("bi,bj->bij", a, b), (x, y), np.einsum("bi,bj->bij", x, y)),
    "loop": (lambda a: jax.lax.fori_loop(0, 10, lambda i, s: s * 0.5 + 1, a), (x,), x / 1024 + 2 * (1 - 0.5 ** 10)),
    "scan": (lambda a: jax.lax.scan(lambda s, row: (s + row, s), jnp.zeros(48), a)[0], (x,), x.sum(0)),
    "conditional": (lambda a: jax.lax.cond(a[0, 0] > 0, lambda b: b, lambda b: -b, a), (x,), x if x[0, 0] > 0 else -x),
    "map of vectors": (jax.vmap(lambda a, b: (a * b).sum()), (x, y), (x * y).sum(1)),
    "gradient": (jax.grad(lambda a: jnp.tanh(a).sum()), (x,), 1 - np.tanh(x) ** 2),
    "second derivative": (jax.vmap(jax.grad(jax.grad(jnp.sin))), (x[0],), -np.sin(x[0])),
}


def donation():
    """The result takes over the memory of an argument."""
    step = jax.jit(lambda state: state * 2 + 1, donate_argnums=0)
    state = jnp.zeros(1000)
    for _ in range(5):
        state = step(state)
    return np.asarray(state), np.full(1000, 31.0)


def callback():
    """A host function in the middle of a jitted one."""
    double = lambda a: jax.pure_callback(lambda b: 2 * np.asarray(b), jax.ShapeDtypeStruct(a.shape, a.dtype), a)
    return np.asarray(jax.jit(lambda a: double(a) + 1)(x)), 2 * x + 1


def streams():
    """Copies to and from the device, and kernels, without any wait until the end."""
    work = jax.jit(lambda a: jnp.tanh(a) * 2)
    results = [work(jax.device_put(x + i)) for i in range(8)]
    return np.stack([np.asarray(each) for each in results]), np.stack([np.tanh(x + i) * 2 for i in range(8)])


def training():
    """Trains a small network; numpy does the same steps."""
    first, second = w / 8, rng.standard_normal((32, 1)).astype(np.float32) / 4
    target = np.sin(x.sum(1, keepdims=True))

    def loss(weights):
        return ((highest(jnp.tanh(highest(x, weights[0])), weights[1]) - target) ** 2).mean()

    step = jax.jit(lambda weights: [a - 0.1 * g for a, g in zip(weights, jax.grad(loss)(weights))], donate_argnums=0)
    weights = [jnp.array(first), jnp.array(second)]
    for _ in range(3):
        weights = step(weights)
        hidden = np.tanh(x @ first)
        error = 2 * (hidden @ second - target) / len(x)
        back = (error @ second.T) * (1 - hidden ** 2)
        first, second = first - 0.1 * x.T @ back, second - 0.1 * hidden.T @ error
    return np.concatenate([np.asarray(a).ravel() for a in weights]), np.concatenate([first.ravel(), second.ravel()])


def counter():
    """Returns the driver's count of started kernels (harness/driver/cuda/launch_count.h)."""
    function = ctypes.c_void_p()
    found = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2(b"afterlifeLaunchCount", ctypes.byref(function), 13000, ctypes.c_uint64(0),
                                                    ctypes.byref(found))
    return ctypes.CFUNCTYPE(ctypes.c_ulonglong)(function.value)


def main():
    wrong = 0
    counts = {}
    cases = {name: lambda case=case: (np.asarray(jax.jit(case[0])(*case[1])), case[2]) for name, case in OPERATORS.items()}
    cases.update({"donation": donation, "callback": callback, "several streams": streams, "training step": training})
    device = jax.devices()[0]
    if device.platform != "gpu":
        raise SystemExit(f"jax_values: JAX runs on {device}")
    launches = counter()
    for name, case in cases.items():
        if len(sys.argv) > 1 and name != sys.argv[1]:
            continue
        before = launches()
        got, wanted = case()
        counts[name] = launched = launches() - before
        right = got.shape == wanted.shape and np.allclose(got, wanted, rtol=1e-4, atol=1e-4)
        wrong += not right or not launched
        print(f"{'right' if right else 'WRONG'} {name}, launches: {launched}", flush=True)
    if "LAUNCHES_FILE" in os.environ:
        with open(os.environ["LAUNCHES_FILE"], "w") as file:
            json.dump(counts, file)
    return 1 if wrong else 0


sys.exit(main())
