// SPDX-License-Identifier: Apache-2.0
// Like grid_sync.cu, but block 0 adds before the others have stored. With an argument, it waits.
#include "grid_sum.h"

int main(int count, char**) { return count > 1 ? run<true>() : (run<false>(), 0); }
