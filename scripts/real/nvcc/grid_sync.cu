// SPDX-License-Identifier: Apache-2.0
// A sum by the blocks of a cooperative grid, which synchronize twice.
#include "grid_sum.h"

int main() { return run<true>(); }
