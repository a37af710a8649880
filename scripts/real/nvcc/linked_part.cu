// SPDX-License-Identifier: Apache-2.0
// The part of linked.cu that has what its kernel calls.
__device__ int offset = 5;
__device__ int twice(int value) { return 2 * value; }
