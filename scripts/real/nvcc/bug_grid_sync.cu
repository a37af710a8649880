// SPDX-License-Identifier: Apache-2.0
// The same where block 0 adds up before the others have stored. With an argument, it waits.
#include "grid_sum.h"

int main(int count, char**) { return count > 1 ? run<true>() : (run<false>(), 0); }
