# SPDX-License-Identifier: Apache-2.0
"""A side stream reads what the main stream computes, and does not wait for it. fixed: it waits."""
import sys

import torch

side = torch.cuda.Stream()
a = torch.ones(256, 256, device="cuda")
torch.cuda.synchronize()
b = a @ a  # written on the main stream
if "fixed" in sys.argv:
    side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    c = b.sum()  # read on the side
    b.record_stream(side)
torch.cuda.synchronize()
print(float(c), flush=True)
