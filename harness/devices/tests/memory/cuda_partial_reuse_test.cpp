// SPDX-License-Identifier: Apache-2.0
// Reuse of parts of freed storage: the possible addresses of new memory, and stale pointers into
// it.
#include <gmock/gmock.h>

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

using ::testing::HasSubstr;

/// Answers the questions about reuse one after another; the rest, and other questions, by default.
class Answers : public Strategy {
 public:
  explicit Answers(std::vector<std::uint32_t> answers) : answers_(std::move(answers)) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site != Site::reuse || next_ == answers_.size()) return 0;
    option_counts_.push_back(question.option_count);
    return std::min(answers_[next_++], question.option_count - 1);
  }
  const std::vector<std::uint32_t>& option_counts() const { return option_counts_; }

 private:
  std::vector<std::uint32_t> answers_;
  std::size_t next_ = 0;
  std::vector<std::uint32_t> option_counts_;
};

class CudaPartialReuse : public OnSim {
 protected:
  template <class Body>
  void run(std::vector<std::uint32_t> answers, Body body) {
    Answers strategy(std::move(answers));
    ending = stage.run(strategy, body);
    option_counts = strategy.option_counts();
  }
  /// Returns the lifetime that a fault names.
  const Life& life(Name name) const {
    for (std::size_t i = 1; i < stage.world.ledger.lives().size(); ++i)
      if (stage.world.ledger.lives()[i].name == name) return stage.world.ledger.lives()[i];
    ADD_FAILURE() << "no life of this name";
    return stage.world.ledger.lives()[0];
  }
  Ending ending = Ending::finished;
  std::vector<std::uint32_t> option_counts;
};

/// Two blocks of a granule each, side by side, freed.
struct TwoFreed {
  CUdeviceptr first = allocate(512);
  CUdeviceptr second = allocate(512);
  void free() const {
    EXPECT_EQ(second, first + 512);
    CUDA_OK(cuMemFree_v2(first));
    CUDA_OK(cuMemFree_v2(second));
  }
};

/// A graph that sets a word of the memory, whenever it is launched.
CUgraphExec make_setter(CUdeviceptr address, std::size_t words = 1) {
  CUgraph graph = make_graph();
  CUgraphNode node = nullptr;
  CUDA_MEMSET_NODE_PARAMS params{};
  params.dst = address;
  params.elementSize = 4;
  params.width = words;
  params.height = 1;
  params.value = 7;
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, context), CUDA_SUCCESS);
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
  return executable;
}

// ---- addresses of new memory ------------------------------------------------------------------

TEST_F(CudaPartialReuse, NewMemoryMaySpanAdjacentFreedBlocks) {
  run({1}, [] {
    const TwoFreed blocks;
    blocks.free();
    EXPECT_EQ(allocate(1024), blocks.first);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaPartialReuse, NewMemoryMayBeginInsideAFreedBlock) {
  for (const std::uint32_t option : {1U, 2U})
    run({0, option}, [option] {
      CUdeviceptr freed = allocate(4096);
      CUDA_OK(cuMemFree_v2(freed));
      EXPECT_EQ(allocate(512), freed + (option == 1 ? 512 : 2048));
    });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaPartialReuse, TheRestOfABlockIsReused) {
  run({0, 1, 1, 1}, [] {
    CUdeviceptr freed = allocate(1536);
    CUDA_OK(cuMemFree_v2(freed));
    EXPECT_EQ(allocate(512), freed + 512);
    EXPECT_EQ(allocate(512), freed) << "the whole block is not free any more";
    EXPECT_EQ(allocate(512), freed + 1024);
    EXPECT_GE(allocate(512), freed + 1536) << "nothing is left";
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaPartialReuse, TheDefaultIsFreshStorage) {
  run({}, [] {
    const TwoFreed blocks;
    blocks.free();
    EXPECT_NE(allocate(1024), blocks.first);
  });
  EXPECT_TRUE(stage.tape.empty());
}

TEST_F(CudaPartialReuse, TheQuestionAboutWholeBlocksKeepsItsKeyAndOptions) {
  const auto body = [] {
    const TwoFreed blocks;
    blocks.free();
    allocate(1024);  // In parts alone.
    EXPECT_EQ(allocate(512), blocks.second);
  };
  run({0, 1}, body);
  EXPECT_EQ(option_counts, (std::vector<std::uint32_t>{2, 3}));
  ASSERT_EQ(stage.tape.size(), 1U);
  EXPECT_EQ(stage.tape[0].nth, 3) << "each allocation before it was asked about whole blocks";
}

TEST_F(CudaPartialReuse, LargeAllocationsArePageAligned) {
  for (const std::uint32_t option : {1U, 2U, 3U})
    run({0, option}, [] {
      CUdeviceptr freed = allocate(256 << 10);
      CUDA_OK(cuMemFree_v2(freed));
      EXPECT_EQ(allocate(64 << 10) % 4096, 0U);
    });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

CUdeviceptr allocate_from(CUmemoryPool pool, std::size_t bytes) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, bytes, pool, nullptr), CUDA_SUCCESS);
  return address;
}

TEST_F(CudaPartialReuse, BlocksOfTwoPoolsAreNotJoined) {
  run({1}, [] {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemoryPool pools[2];
    CUdeviceptr blocks[2];
    for (CUmemoryPool& pool : pools) CUDA_OK(cuMemPoolCreate(&pool, &props));
    for (int i = 0; i < 2; ++i) blocks[i] = allocate_from(pools[i], 512);
    EXPECT_EQ(blocks[1], blocks[0] + 512);
    for (CUdeviceptr block : blocks) CUDA_OK(cuMemFreeAsync(block, nullptr));
    EXPECT_GT(allocate_from(pools[0], 1024), blocks[1]);
    CUDA_OK(cuCtxSynchronize());
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
  EXPECT_TRUE(option_counts.empty());
}

/// Work stays queued, and parts of freed blocks are given out.
class LagAndParts : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::lag || question.site == Site::reuse ? 1 : 0;
  }
};

TEST_F(CudaPartialReuse, AnotherStreamWaitsForTheFreesOfAllParts) {
  LagAndParts strategy;
  ending = stage.run(strategy, [] {
    CUstream streams[2] = {make_stream(), make_stream()};
    CUstream other = make_stream();
    CUdeviceptr blocks[2];
    for (int i = 0; i < 2; ++i) {
      blocks[i] = allocate_async(512, streams[i]);
      keep_busy(streams[i], blocks[i]);
    }
    for (int i = 0; i < 2; ++i) CUDA_OK(cuMemFreeAsync(blocks[i], streams[i]));
    EXPECT_EQ(allocate_async(1024, other), blocks[0]);
    CUDA_OK(cuStreamSynchronize(other));
    for (CUstream stream : streams) EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

// ---- stale pointers ---------------------------------------------------------------------------

TEST_F(CudaPartialReuse, AStalePointerIntoTheMiddleOfNewMemoryNamesBoth) {
  run({1}, [] {
    const TwoFreed blocks;
    CUgraphExec setter = make_setter(blocks.second);
    blocks.free();
    allocate(1024);
    CUDA_OK(cuGraphLaunch(setter, nullptr));
    CUDA_OK(cuCtxSynchronize());
  });
  ASSERT_EQ(stage.fault(), "recycled_use");
  const Fault& fault = stage.faults.front();
  EXPECT_EQ(life(fault.object).bytes, 512U);
  EXPECT_EQ(life(fault.recycler).bytes, 1024U);
  EXPECT_EQ(life(fault.object).address, life(fault.recycler).address + 512);
  EXPECT_THAT(fault.detail, HasSubstr("offset 512 of what it meets"));
}

TEST_F(CudaPartialReuse, AKernelsStalePointerNamesBoth) {
  run({1}, [] {
    CUdeviceptr table = allocate(64);
    CUdeviceptr out = allocate(64);
    const TwoFreed blocks;
    CUDA_OK(cuMemcpyHtoD_v2(table, &blocks.second, sizeof blocks.second));
    blocks.free();
    allocate(1024);
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    CUDA_OK(launch(function, 1, 1, nullptr, {&table, &out}));
    CUDA_OK(cuCtxSynchronize());
  });
  ASSERT_EQ(stage.fault(), "recycled_use");
  EXPECT_EQ(life(stage.faults.front().object).bytes, 512U);
  EXPECT_EQ(life(stage.faults.front().recycler).bytes, 1024U);
  EXPECT_THAT(stage.faults.front().detail, HasSubstr("offset 512 of what it meets"));
}

TEST_F(CudaPartialReuse, StaleUsesOfTwoFreedBlocksNameEach) {
  run({1}, [] {
    const TwoFreed blocks;
    CUgraphExec setters[] = {make_setter(blocks.first), make_setter(blocks.second)};
    blocks.free();
    allocate(1024);
    for (CUgraphExec setter : setters) CUDA_OK(cuGraphLaunch(setter, nullptr));
    CUDA_OK(cuCtxSynchronize());
  });
  ASSERT_EQ(stage.faults.size(), 2U) << stage.fault();
  for (const Fault& fault : stage.faults) EXPECT_EQ(fault.kind, FaultKind::recycled_use);
  EXPECT_EQ(stage.faults[0].recycler, stage.faults[1].recycler);
  EXPECT_EQ(life(stage.faults[0].object).address + 512, life(stage.faults[1].object).address);
}

TEST_F(CudaPartialReuse, AStaleUseOfAPartlyReusedBlockNamesTheNewOwner) {
  run({0, 1}, [] {
    CUdeviceptr freed = allocate(1024);
    CUgraphExec setter = make_setter(freed, 256);
    CUDA_OK(cuMemFree_v2(freed));
    EXPECT_EQ(allocate(512), freed + 512);
    cuGraphLaunch(setter, nullptr);
    cuCtxSynchronize();
  });
  ASSERT_EQ(stage.fault(), "use_after_free") << "of its first half no one has the storage";
  const Fault& fault = stage.faults.front();
  EXPECT_EQ(life(fault.object).bytes, 1024U);
  EXPECT_EQ(life(fault.recycler).bytes, 512U);
  EXPECT_THAT(fault.detail, HasSubstr("byte 512 of 1024 is offset 0 of what it meets"));
}

TEST_F(CudaPartialReuse, QueuedAllocationsDoNotCount) {
  LagAndParts strategy;
  ending = stage.run(strategy, [] {
    CUstream stream = make_stream();
    CUdeviceptr blocks[2] = {allocate_async(512, stream), allocate_async(512, stream)};
    for (CUdeviceptr block : blocks) CUDA_OK(cuMemsetD32Async(block, 1, 1, stream));
    for (CUdeviceptr block : blocks) CUDA_OK(cuMemFreeAsync(block, stream));
    CUdeviceptr joined = allocate_async(1024, stream);
    EXPECT_EQ(joined, blocks[0]);
    CUDA_OK(cuMemsetD32Async(joined, 2, 256, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(joined + 1020), 2);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
