// SPDX-License-Identifier: Apache-2.0
// Functions and structures that differ between CUDA 12 and CUDA 13: properties, locations of
// managed memory, textures, edges of graphs, captures, batches.
#include "check.h"

static_assert(CUDART_VERSION / 1000 == 12);

__global__ void fetch(cudaTextureObject_t texture, const int* added, int* out) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch<int>(texture, i) + added[i];
}

constexpr int kCount = 64;

/// Returns whether the properties agree with the device's attributes.
static bool has_properties() {
  cudaDeviceProp properties;
  int clock = 0;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  return properties.clockRate == clock && properties.major == 8 && properties.deviceOverlap == 1;
}

/// Makes a texture of the memory, and checks that it is described as requested.
static cudaTextureObject_t make_texture(int* memory, bool& is_right) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = kCount * sizeof(int);
  cudaTextureDesc sampling{};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  cudaResourceDesc found;
  CHECK(cudaGetTextureObjectResourceDesc(&found, texture));
  is_right = is_right && found.res.linear.devPtr == memory;
  return texture;
}

/// Captures the kernel, and checks the nodes and edges of the capture.
static cudaGraphExec_t capture(cudaStream_t stream, cudaTextureObject_t texture, const int* added,
                               int* out, bool& is_right) {
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  fetch<<<1, kCount, 0, stream>>>(texture, added, out);
  CHECK(cudaGetLastError());
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &nodes, &count));
  is_right = is_right && status == cudaStreamCaptureStatusActive && count == 1;
  const cudaGraphNode_t kernel = nodes[0];
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t last = nullptr;
  CHECK(cudaGraphAddEmptyNode(&last, graph, nullptr, 0));
  CHECK(cudaGraphAddDependencies(graph, &kernel, &last, 1));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
  is_right = is_right && count == 1;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

int main() {
  bool is_right = has_properties();
  int *texels, *added, *out;
  CHECK(cudaMalloc(&texels, kCount * sizeof(int)));
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&added, kCount * sizeof(int)));
  int* values;
  CHECK(cudaMallocHost(&values, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) values[i] = 2 * i, added[i] = 100;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemAdvise(added, kCount * sizeof(int), cudaMemAdviseSetPreferredLocation, 0));
  CHECK(cudaMemPrefetchAsync(added, kCount * sizeof(int), 0, stream));
  void *targets[] = {texels}, *sources[] = {values};
  size_t sizes[] = {kCount * sizeof(int)}, first = 0, failed = 0;
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK(cudaMemcpyBatchAsync(targets, sources, sizes, 1, &attributes, &first, 1, &failed, stream));
  const cudaTextureObject_t texture = make_texture(texels, is_right);
  const cudaGraphExec_t exec = capture(stream, texture, added, out, is_right);
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(values, out, sizes[0], cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) is_right = is_right && values[i] == 2 * i + 100;
  cudaPointerAttributes where;
  CHECK(cudaPointerGetAttributes(&where, added));
  is_right = is_right && where.type == cudaMemoryTypeManaged;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaStreamDestroy(stream));
  for (int* memory : {texels, added, out}) CHECK(cudaFree(memory));
  CHECK(cudaFreeHost(values));
  return judge(is_right);
}
