# SPDX-License-Identifier: Apache-2.0
"""A captured graph reads an input that is freed before the replay. fixed: the input is kept."""
import sys

import torch

static = torch.ones(1 << 23, device="cuda")  # born
out = torch.empty(1 << 23, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    torch.mul(static, 2, out=out)
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.mul(static, 2, out=out)  # captured
if "fixed" not in sys.argv:
    del static
    torch.cuda.empty_cache()  # died
graph.replay()  # used
torch.cuda.synchronize()
print(float(out[0]), flush=True)
