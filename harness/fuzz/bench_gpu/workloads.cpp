// SPDX-License-Identifier: Apache-2.0
// Each kernel.cu asserts the sizes of the structures that it reads in device memory. Their layout
// is repeated here.
#include "harness/fuzz/bench_gpu/workloads.h"

#include <array>
#include <cstring>

#include "harness/run/tables.h"

namespace harness::entries {

namespace {

constexpr std::size_t kElements = std::size_t{1} << 20;
constexpr std::size_t kIntBytes = sizeof(int);

std::span<const std::byte> fatbin_of(std::string_view path) {
  return find(tables::scenarios(), path)->fatbin;
}

/// The parameters of a kernel in the form that cuLaunchKernel takes. A parameter is at most eight
/// bytes, or a pair of addresses.
class Parameters {
 public:
  template <class... Values>
  explicit Parameters(const Values&... values) {
    (add(&values, sizeof(Values)), ...);
  }

  std::vector<void*> pointers() {
    std::vector<void*> pointers;
    for (Value& value : values_) pointers.push_back(value.data());
    return pointers;
  }

 private:
  using Value = std::array<std::byte, 16>;

  void add(const void* value, std::size_t bytes) {
    std::memcpy(values_.emplace_back().data(), value, bytes);
  }

  std::vector<Value> values_;
};

struct Shape {
  unsigned blocks;
  unsigned threads;
};

/// For kernels that end at once, to measure the driver and the device around them, and for kernels
/// in which a second block would write the same words.
constexpr Shape kSmall{1, 64};

std::function<void()> launches(const Gpu& gpu, CUfunction kernel, Shape shape,
                               Parameters parameters) {
  return [&gpu, kernel, shape, parameters]() mutable {
    gpu.check(gpu.driver().cuLaunchKernel(kernel, shape.blocks, 1, 1, shape.threads, 1, 1, 0,
                                          gpu.stream(), parameters.pointers().data(), nullptr),
              "cuLaunchKernel");
  };
}

std::function<void()> add_one(Gpu& gpu, Shape shape) {
  const std::size_t bytes = shape.blocks * shape.threads * kIntBytes;
  return launches(gpu, gpu.load(fatbin_of("example"), "add_one"), shape,
                  Parameters(gpu.allocate(bytes), gpu.allocate(bytes)));
}

std::function<void()> example(Gpu& gpu) { return add_one(gpu, {kElements / 256, 256}); }

std::function<void()> walk_packs(Gpu& gpu) {
  struct Pack {
    int a, unused;
    CUdeviceptr inner;
  };
  struct Arguments {
    CUdeviceptr pack, array, gradient, external, bound[3];
    int scalar, unused;
  };
  struct Context {
    CUdeviceptr arguments, results;
  };
  static_assert(sizeof(Pack) == 16 && sizeof(Arguments) == 64 && sizeof(Context) == 16);
  constexpr std::size_t kResultBytes = 1024;
  CUdeviceptr pack = 0;
  for (int depth = 0; depth < 3; ++depth) pack = gpu.copy(Pack{depth, 0, pack});
  const CUdeviceptr arguments = gpu.copy(Arguments{.pack = pack});
  return launches(gpu, gpu.load(fatbin_of("argpack"), "walk_packs"), {2, 32},
                  Parameters(Context{arguments, gpu.allocate(kResultBytes)}, 3, 0));
}

/// A block of graph_argument: words, and the address of the next block in its last eight bytes.
constexpr std::size_t kBlockBytes = 776;

std::function<void()> block_sum(Gpu& gpu) {
  return launches(gpu, gpu.load(fatbin_of("graph_argument"), "block_sum"), {1, 32},
                  Parameters(gpu.allocate(kBlockBytes), gpu.allocate(kBlockBytes)));
}

std::function<void()> chase(Gpu& gpu) {
  std::array<std::byte, kBlockBytes> block{};
  CUdeviceptr next = 0;
  for (int i = 0; i < 5; ++i) {
    std::memcpy(block.data() + kBlockBytes - sizeof next, &next, sizeof next);
    next = gpu.copy(block);
  }
  return launches(gpu, gpu.load(fatbin_of("graph_argument"), "chase"), kSmall,
                  Parameters(next, gpu.allocate(kBlockBytes)));
}

std::function<void()> reduce(Gpu& gpu) {
  constexpr int kCount = 1 << 16;
  struct Block {
    CUdeviceptr target, pieces[8];
    int piece_count, count;
  } block{.piece_count = 8, .count = kCount};
  static_assert(sizeof(Block) == 80);
  block.target = gpu.allocate(kCount * kIntBytes);
  for (CUdeviceptr& piece : block.pieces) piece = gpu.allocate(kCount * kIntBytes);
  return launches(gpu, gpu.load(fatbin_of("alltoallv"), "reduce"), {1, 1024},
                  Parameters(gpu.copy(block)));
}

std::function<void()> autocast_step(Gpu& gpu) {
  struct Frame {
    CUdeviceptr in, out;
  };
  static_assert(sizeof(Frame) == 16);
  const CUdeviceptr frame =
      gpu.copy(Frame{gpu.allocate(kElements * kIntBytes), gpu.allocate(kElements * kIntBytes)});
  return launches(gpu, gpu.load(fatbin_of("managed_dict"), "autocast_step"), {kElements / 256, 256},
                  Parameters(frame, 1, 2, 3));
}

/// Returns the launch of an executable graph of 16 kernels in sequence, like a captured loop.
std::function<void()> graph(Gpu& gpu) {
  constexpr int kNodes = 16;
  const DriverTable& driver = gpu.driver();
  const auto submit = add_one(gpu, kSmall);
  submit();  // The first launch may load the kernel, which is not allowed during a capture.
  gpu.wait();
  CUgraph graph = nullptr;
  gpu.check(driver.cuStreamBeginCapture_v2(gpu.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
            "cuStreamBeginCapture");
  for (int node = 0; node < kNodes; ++node) submit();
  gpu.check(driver.cuStreamEndCapture(gpu.stream(), &graph), "cuStreamEndCapture");
  CUgraphExec executable = nullptr;
  gpu.check(driver.cuGraphInstantiateWithFlags(&executable, graph, 0), "cuGraphInstantiate");
  return [&gpu, executable] {
    gpu.check(gpu.driver().cuGraphLaunch(executable, gpu.stream()), "cuGraphLaunch");
  };
}

/// Returns a stream-ordered allocation, a kernel that uses it, and the free.
std::function<void()> stream_memory(Gpu& gpu) {
  const CUfunction kernel = gpu.load(fatbin_of("example"), "add_one");
  const CUdeviceptr source = gpu.allocate(kElements * kIntBytes);
  return [&gpu, kernel, source] {
    CUdeviceptr target = 0;
    gpu.check(gpu.driver().cuMemAllocAsync(&target, kElements * kIntBytes, gpu.stream()),
              "cuMemAllocAsync");
    launches(gpu, kernel, kSmall, Parameters(source, target))();
    gpu.check(gpu.driver().cuMemFreeAsync(target, gpu.stream()), "cuMemFreeAsync");
  };
}

}  // namespace

std::vector<Workload> workloads() {
  if (fatbin_of("example").empty()) return {};
  return {
      {"alltoallv/reduce", reduce},    {"argpack/walk_packs", walk_packs},
      {"driver/graph", graph},         {"driver/stream_memory", stream_memory},
      {"example/add_one", example},    {"graph_argument/block_sum", block_sum},
      {"graph_argument/chase", chase}, {"managed_dict/autocast_step", autocast_step},
  };
}

}  // namespace harness::entries
