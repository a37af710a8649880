# SPDX-License-Identifier: Apache-2.0
"""A pinned staging buffer is filled again while its copy to the device may still be queued. fixed: an event says when."""
import sys

import torch

staging = torch.empty(512).pin_memory()
device = [torch.empty(512, device="cuda") for _ in range(3)]
copied = torch.cuda.Event()
for i in range(3):
    staging.fill_(float(i))
    device[i].copy_(staging, non_blocking=True)  # copied
    copied.record()
    if "fixed" in sys.argv:
        copied.synchronize()
torch.cuda.synchronize()
print([float(d[0]) for d in device], flush=True)
