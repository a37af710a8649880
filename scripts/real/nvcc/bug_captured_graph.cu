// SPDX-License-Identifier: Apache-2.0
// A captured graph uses memory that is freed before its second launch; with an argument, after it.
#include "check.h"

__global__ void fill(int* values, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}

int main(int count, char**) {
  constexpr int n = 1024;
  const bool is_fixed = count > 1;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  int* values;
  CHECK(cudaMalloc(&values, n * sizeof *values));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  fill<<<n / 256, 256, 0, stream>>>(values, n, 1);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  if (!is_fixed) CHECK(cudaFree(values));  // too early
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  if (is_fixed) CHECK(cudaFree(values));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}
