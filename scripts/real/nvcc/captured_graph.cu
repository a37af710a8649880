// SPDX-License-Identifier: Apache-2.0
// A captured graph of two streams, with variables, a host function, and stream-ordered memory.
#include "check.h"

__constant__ int factor;
__device__ int counter;
__managed__ int launches;

template <class T>
__global__ void scale(T* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
  if (i == 0) atomicAdd(&counter, 1);
  if (i == 0) atomicAdd(&launches, 1);
}

static void CUDART_CB count(void* calls) { ++*static_cast<int*>(calls); }

int main() {
  constexpr int n = 512;
  const int three = 3;
  int calls = 0, counted = 0;
  float *values, *pinned;
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  launches = 10;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreate(&second));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
  CHECK(cudaMallocHost(&pinned, n * sizeof *pinned));
  for (int i = 0; i < n; ++i) pinned[i] = 1;
  CHECK(cudaMallocAsync(&values, n * sizeof *values, first));
  CHECK(cudaMemcpyAsync(values, pinned, n * sizeof *values, cudaMemcpyHostToDevice, first));
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  scale<<<2, 256, 0, first>>>(values, n);
  CHECK(cudaEventRecord(event, first));
  CHECK(cudaStreamWaitEvent(second, event, 0));
  scale<<<2, 256, 0, second>>>(values, n);
  CHECK(cudaEventRecord(event, second));
  CHECK(cudaStreamWaitEvent(first, event, 0));
  CHECK(cudaLaunchHostFunc(first, count, &calls));
  CHECK(cudaStreamEndCapture(first, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, first));
  CHECK(cudaGraphLaunch(exec, first));
  CHECK(cudaMemcpyAsync(pinned, values, n * sizeof *values, cudaMemcpyDeviceToHost, first));
  CHECK(cudaFreeAsync(values, first));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  const bool is_right = pinned[0] == 81 && pinned[n - 1] == 81 && calls == 2 && counted == 4 && launches == 14;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeHost(pinned));
  return judge(is_right);
}
