// SPDX-License-Identifier: Apache-2.0
// The part of linked.cu with the variable and the function that its kernel uses.
__device__ int offset = 5;
__device__ int twice(int value) { return 2 * value; }
