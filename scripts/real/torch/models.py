# SPDX-License-Identifier: Apache-2.0
"""Small models on the device beside the CPU: losses of five steps. Prints a line for each, and ends with 1 if one is not equal.

An argument names one of them.
"""
import functools
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
STEPS = 5


class Block(nn.Module):
    """A transformer block with an embedding and causal attention."""

    def __init__(self, recomputes=False):
        super().__init__()
        self.recomputes = recomputes
        self.embedding = nn.Embedding(11, 16)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.first, self.second = nn.LayerNorm(16), nn.LayerNorm(16)
        self.mlp = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16))
        self.out = nn.Linear(16, 11)

    def body(self, x):
        y = self.first(x)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.second(x))

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.out(checkpoint(self.body, x, use_reentrant=False) if self.recomputes else self.body(x))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
                                   nn.Conv2d(8, 8, 3, groups=8), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 36, 4))

    def forward(self, x):
        return self.parts(x)


def perceptron():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))


def losses(model, x, y, optimizer, device, amp=False, captured=False):
    torch.manual_seed(0)
    m = model().to(device)
    o = optimizer(m.parameters())
    x, y = x.to(device), y.to(device)
    scaler = torch.amp.GradScaler(device, enabled=amp)
    found = []

    def step():
        o.zero_grad(set_to_none=not captured)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=amp):
            loss = F.cross_entropy(m(x).flatten(0, -2), y.flatten())
        scaler.scale(loss).backward()
        scaler.step(o)
        scaler.update()
        return loss

    if not captured:
        for _ in range(STEPS):
            found.append(step().detach().clone())
        return [float(loss) for loss in found]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        found.append(step().detach().clone())
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for _ in range(STEPS - 1):
        graph.replay()
        found.append(loss.detach().clone())
    return [float(each) for each in found]


torch.manual_seed(1)
VECTORS, CLASSES = torch.randn(8, 16), torch.randint(4, (8,))
TOKENS, IMAGES = torch.randint(11, (2, 6)), torch.randn(8, 3, 14, 14)
SGD = functools.partial(torch.optim.SGD, lr=.1, momentum=.9)
MODELS = {
    "perceptron, SGD": (perceptron, VECTORS, CLASSES, SGD),
    "perceptron, Adam": (perceptron, VECTORS, CLASSES, torch.optim.Adam),
    "perceptron, Adam, fused": (perceptron, VECTORS, CLASSES, functools.partial(torch.optim.Adam, fused=True)),
    "perceptron, Adam, foreach": (perceptron, VECTORS, CLASSES, functools.partial(torch.optim.Adam, foreach=True)),
    "perceptron, mixed precision": (perceptron, VECTORS, CLASSES, SGD),
    "perceptron, captured": (perceptron, VECTORS, CLASSES, SGD),
    "convolutions, SGD": (Convolutions, IMAGES, CLASSES, SGD),
    "transformer, AdamW": (Block, TOKENS, TOKENS, torch.optim.AdamW),
    "transformer, checkpoints": (functools.partial(Block, True), TOKENS, TOKENS, torch.optim.AdamW),
}

wrong = 0
for name, (model, x, y, optimizer) in MODELS.items():
    if len(sys.argv) > 1 and sys.argv[1] not in name:
        continue
    amp = "mixed" in name
    on_cpu = losses(model, x, y, optimizer, "cpu", amp)
    here = losses(model, x, y, optimizer, "cuda", amp, "captured" in name)
    good = all(abs(a - b) < (2e-2 if amp else 1e-4) for a, b in zip(on_cpu, here, strict=True))
    wrong += not good
    print("ok  " if good else "FAIL", name, [round(loss, 4) for loss in on_cpu], [round(loss, 4) for loss in here], flush=True)
sys.exit(wrong != 0)
