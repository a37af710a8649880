# SPDX-License-Identifier: Apache-2.0
"""A tensor of the main stream is used on a side stream and dropped; its memory is given out again. fixed: record_stream."""
import sys

import torch

side = torch.cuda.Stream()
out = [torch.empty(65536, device="cuda") for _ in range(4)]


def work(i):
    t = torch.full((65536,), float(i), device="cuda")  # born, and written by the next
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.mul(t, 2, out=out[i])  # used on the side
    if "fixed" in sys.argv:
        t.record_stream(side)


for i in range(4):
    work(i)
torch.cuda.synchronize()
print([float(o[0].item()) for o in out], flush=True)
