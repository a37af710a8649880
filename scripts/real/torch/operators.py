# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own samples of its operators (OpInfo, in the wheel), on the device beside the CPU.

Prints a line for each operator that differs, then how many operators and samples are equal within the samples' usual tolerances.
Arguments: a text that names must contain, or nothing; how many samples of each are tried (5). Exit: 1 if under 95 of 100 operators are.
"""
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

warnings.simplefilter("ignore")
wanted = sys.argv[1] if len(sys.argv) > 1 else ""
most = int(sys.argv[2]) if len(sys.argv) > 2 else 5

# Random or uninitialized results, which cannot be compared.
CHANCE = ("rand", "normal", "bernoulli", "multinomial", "dropout", "exponential", "geometric", "cauchy", "uniform", "empty", "rrelu",
          "fractional_max_pool", "svd_lowrank", "pca_lowrank", "resize", "new_empty")
# The algorithm determines the sign or the order of the parts, or the operator is about the device.
AMBIGUOUS = ("linalg.eig", "linalg.eigh", "linalg.svd", "linalg.qr", "svd", "qr", "geqrf", "linalg.lu", "ormqr", "jiterator", "to_sparse")


def moved(sample):
    return sample.transform(lambda x: x.to("cuda") if isinstance(x, torch.Tensor) else "cuda" if x in ("cpu", torch.device("cpu")) else x)


def compare(op, sample, there):
    here = op(sample.input, *sample.args, **sample.kwargs)
    device = op(there.input, *there.args, **there.kwargs)
    back = torch.utils._pytree.tree_map(lambda x: x.cpu() if isinstance(x, torch.Tensor) else x, device)
    torch.testing.assert_close(back, here, rtol=1e-4, atol=1e-4, equal_nan=True)


counts = {"operators": 0, "equal operators": 0, "samples": 0, "equal samples": 0}
for op in op_db:
    name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
    if wanted not in name or any(word in name for word in CHANCE) or name.startswith(AMBIGUOUS):
        continue
    dtype = torch.float32 if op.supports_dtype(torch.float32, "cpu") else torch.int64
    if not op.supports_dtype(dtype, "cpu"):
        continue
    torch.manual_seed(0)
    why = ""
    tried = 0
    try:
        for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
            if tried == most:
                break
            tried += 1
            counts["samples"] += 1
            try:
                compare(op, sample, moved(sample))
                counts["equal samples"] += 1
            except Exception as error:
                why = why or f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    except Exception as error:
        why = why or f"no samples: {type(error).__name__}: {str(error)[:80]}"
    if tried == 0:
        continue
    counts["operators"] += 1
    counts["equal operators"] += not why
    if why:
        print("differs", name, why, flush=True)
print(", ".join(f"{count} {what}" for what, count in counts.items()), flush=True)
sys.exit(counts["equal operators"] * 100 < counts["operators"] * 95)
