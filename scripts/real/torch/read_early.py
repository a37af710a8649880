# SPDX-License-Identifier: Apache-2.0
"""A result is copied to pinned memory without blocking, and read at once. fixed: after the stream is done."""
import sys

import torch

result = torch.zeros(512).pin_memory()
x = torch.full((512,), 3.0, device="cuda")
torch.cuda.synchronize()
result.copy_(x * 2, non_blocking=True)  # copied
if "fixed" in sys.argv:
    torch.cuda.current_stream().synchronize()
value = float(result[0])  # read
torch.cuda.synchronize()
print(value, flush=True)
