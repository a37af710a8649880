# SPDX-License-Identifier: Apache-2.0
"""python -m afterlife_torch: builds the plug-in for the PyTorch of this Python, and prints its path."""
from afterlife_torch import build

print(build.library())
