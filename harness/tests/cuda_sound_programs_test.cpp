// No false alarms: programs that keep what the documentation asks of them are never at fault,
// however late the work is and whatever storage they are given. What it asks is written down here
// once more, in the plainest way, and apart from the oracles: memory has a *home*, the stream that
// used it last; another stream may use it only once it was handed over. Dropping one precondition
// gives its fault.
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "harness/tests/graph_stage.h"

namespace harness::testing {
namespace {

constexpr std::size_t kBytes = 64;
constexpr std::size_t kStreamCount = 3;

/// Picks at random, but mostly plainly.
class Whim : public Strategy {
 public:
  explicit Whim(std::uint64_t seed) : random_(seed) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site == Site::failure || random_() % 3 != 0) return 0;
    return static_cast<std::uint32_t>(random_() % question.option_count);
  }

 private:
  std::mt19937_64 random_;
};

/// What a program does wrong, if anything.
enum class Drop {
  nothing,
  hand_over,
  use_before_free,
  free_once,
  live_stream,
  live_event,
  within_bounds,
  right_function,
  wait_before_sync_free,
  silent_host_function,
  somebody_writes,
};

struct Buffer {
  CUdeviceptr address = 0;
  std::size_t home = 0;
  bool pooled = false;
};

class Program {
 public:
  Program(std::uint64_t seed, std::map<std::string, int>& seen) : random_(seed), seen_(seen) {}

  void run(int op_count, Drop drop) {
    for (CUstream& stream : streams_) stream = make_stream();
    kernel_ = get_kernel(&afterlife_kernels_conformance, "add_one");
    for (int i = 0; i < 2; ++i) allocate_buffer();
    for (int i = 0; i < op_count; ++i) {
      do_op();
      if (drop != Drop::nothing && i == op_count / 2) violate(drop);
    }
    CUDA_OK(cuCtxSynchronize());
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  void note(const char* what) { ++seen_[what]; }

  void do_op() {
    switch (below(14)) {
      case 0:
        return allocate_buffer();
      case 1:
        return free_buffer();
      case 2:
        return set();
      case 3:
        return copy();
      case 4:
        return launch_kernel();
      case 5:
        note("host function");
        EXPECT_EQ(cuLaunchHostFunc(
                      stream(), [](void*) {}, nullptr),
                  CUDA_SUCCESS);
        return;
      case 6:
        return wait_on_host();
      case 7:
        return read_back();
      case 8:
        return write_value();
      case 9:
        return signal();
      case 10:
        return capture();
      case 11:
        return replace_stream();
      case 12:
        note("trim");
        return trim();
      default:
        note("callback");
        EXPECT_EQ(cuStreamAddCallback(
                      stream(), [](CUstream, CUresult, void*) {}, nullptr, 0),
                  CUDA_SUCCESS);
    }
  }

  // ---- memory ----

  CUstream stream() const { return streams_[at_]; }

  void allocate_buffer() {
    if (buffers_.size() == 6) return;
    at_ = below(kStreamCount);
    Buffer made{0, at_, below(2) == 0};
    note(made.pooled ? "pooled: born" : "plain: born");
    made.address = made.pooled ? allocate_async(kBytes, stream()) : allocate(kBytes);
    buffers_.push_back(made);
  }

  void free_buffer() {
    if (buffers_.size() < 3) return;
    const std::size_t index = below(buffers_.size());
    const Buffer dying = buffers_[index];
    buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(index));
    note(dying.pooled ? "pooled: freed" : "plain: freed");
    if (dying.pooled)
      EXPECT_EQ(cuMemFreeAsync(dying.address, streams_[dying.home]), CUDA_SUCCESS);
    else
      EXPECT_EQ(cuMemFree_v2(dying.address), CUDA_SUCCESS);
  }

  /// Chooses a stream and a buffer, and makes it that stream's.
  CUdeviceptr use() {
    at_ = below(kStreamCount);
    return use_in(at_, below(buffers_.size()));
  }

  CUdeviceptr use_in(std::size_t stream_index, std::size_t index) {
    Buffer& buffer = buffers_[index];
    if (buffer.home != stream_index) hand_over(buffer.home, stream_index);
    buffer.home = stream_index;
    return buffer.address;
  }

  void hand_over(std::size_t from, std::size_t to) {
    CUevent event = make_event(CU_EVENT_DISABLE_TIMING);
    EXPECT_EQ(cuEventRecord(event, streams_[from]), CUDA_SUCCESS);
    switch (below(4)) {
      case 0:
        note("handed over: stream synchronised");
        EXPECT_EQ(cuStreamSynchronize(streams_[from]), CUDA_SUCCESS);
        break;
      case 1:
        note("handed over: event synchronised");
        EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
        break;
      case 2:
        note("handed over: by a query, or an event");
        if (cuEventQuery(event) == CUDA_SUCCESS) break;
        [[fallthrough]];
      default:
        note("handed over: event waited for");
        EXPECT_EQ(cuStreamWaitEvent(streams_[to], event, 0), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
  }

  // ---- work ----

  void copy() {
    note("copy");
    at_ = below(kStreamCount);
    const CUdeviceptr target = use_in(at_, 0);
    const CUdeviceptr source = use_in(at_, 1);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(target, source, kBytes, stream()), CUDA_SUCCESS);
  }

  void set() {
    note("set");
    const CUdeviceptr address = use();
    EXPECT_EQ(cuMemsetD32Async(address, 1, 4, stream()), CUDA_SUCCESS);
  }

  void write_value() {
    note("write value");
    const CUdeviceptr address = use();
    EXPECT_EQ(cuStreamWriteValue32_v2(stream(), address, 1, 0), CUDA_SUCCESS);
  }

  void launch_kernel() {
    note("kernel");
    CUdeviceptr address = use();
    int count = 16;
    EXPECT_EQ(launch(kernel_, 2, 8, stream(), {&address, &count}), CUDA_SUCCESS);
  }

  void read_back() {
    note("read back");
    std::array<int, 16> values{};
    const CUdeviceptr address = use();
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(values.data(), address, kBytes, stream()), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(address, values.data(), kBytes, stream()), CUDA_SUCCESS);
  }

  void wait_on_host() {
    at_ = below(kStreamCount);
    switch (below(3)) {
      case 0:
        note("context synchronised");
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
        return;
      case 1:
        note("stream synchronised");
        EXPECT_EQ(cuStreamSynchronize(stream()), CUDA_SUCCESS);
        return;
      default:
        note("stream queried");
        cuStreamQuery(stream());
    }
  }

  /// One stream waits for a value that another writes.
  void signal() {
    note("wait for a value");
    CUdeviceptr flag = allocate(4);
    write_int(flag, 0);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);  // The copy may be late.
    EXPECT_EQ(cuStreamWaitValue32_v2(streams_[0], flag, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWriteValue32_v2(streams_[1], flag, 1, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(flag), CUDA_SUCCESS);
  }

  void capture() {
    note("captured and launched");
    CUdeviceptr address = use();
    EXPECT_EQ(cuStreamBeginCapture_v2(stream(), CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32Async(address, 3, 4, stream()), CUDA_SUCCESS);
    int count = 4;
    EXPECT_EQ(launch(kernel_, 1, 4, stream(), {&address, &count}), CUDA_SUCCESS);
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuStreamEndCapture(stream(), &graph), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, stream()), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  }

  /// What has its home there is handed on first.
  void replace_stream() {
    note("stream replaced");
    const std::size_t old = below(kStreamCount);
    for (Buffer& buffer : buffers_)
      if (buffer.home == old) {
        hand_over(old, (old + 1) % kStreamCount);
        buffer.home = (old + 1) % kStreamCount;
      }
    EXPECT_EQ(cuStreamDestroy_v2(streams_[old]), CUDA_SUCCESS);
    streams_[old] = make_stream();
  }

  static void trim() {
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemPoolTrimTo(pool, 0), CUDA_SUCCESS);
  }

  // ---- one thing wrong ----

  void violate(Drop drop) {
    CUstream mine = make_stream();
    CUdeviceptr address = allocate(kBytes);
    switch (drop) {
      case Drop::nothing:
        return;
      case Drop::hand_over:
        cuMemsetD32Async(address, 1, 4, mine);
        cuMemsetD32Async(address, 2, 4, make_stream());
        return;
      case Drop::use_before_free:
        cuMemFree_v2(address);
        cuMemsetD32Async(address, 1, 4, mine);
        return;
      case Drop::free_once:
        address = allocate_async(kBytes, mine);
        cuMemFreeAsync(address, mine);
        cuMemFreeAsync(address, mine);
        return;
      case Drop::live_stream:
        cuStreamDestroy_v2(mine);
        cuMemsetD32Async(address, 1, 4, mine);
        return;
      case Drop::live_event: {
        CUevent event = make_event();
        cuEventDestroy_v2(event);
        cuEventRecord(event, mine);
        return;
      }
      case Drop::within_bounds:
        cuMemsetD8Async(address, 1, kBytes + 1, mine);
        return;
      case Drop::right_function:
        cuMemFreeHost(reinterpret_cast<void*>(address));
        return;
      case Drop::wait_before_sync_free:
        address = allocate_async(kBytes, mine);
        cuMemsetD8Async(address, 1, kBytes, mine);
        cuMemFree_v2(address);
        return;
      case Drop::silent_host_function:
        cuLaunchHostFunc(
            mine, [](void*) { cuCtxSynchronize(); }, nullptr);
        return;
      case Drop::somebody_writes:
        write_int(address, 0);
        cuStreamWaitValue32_v2(mine, address, 1, CU_STREAM_WAIT_VALUE_EQ);
        return;
    }
  }

  std::mt19937_64 random_;
  std::map<std::string, int>& seen_;
  std::array<CUstream, kStreamCount> streams_{};
  std::size_t at_ = 0;
  std::vector<Buffer> buffers_;
  CUfunction kernel_ = nullptr;
};

class SoundPrograms : public OnSim {
 protected:
  SoundPrograms() { stage.judge_order(); }

  Ending run(std::uint64_t seed, int op_count, Drop drop) {
    Whim whim(seed);
    Program program(seed, seen_);  // Out here: a task that meets a fatal fault is left, and never unwinds.
    return stage.run(whim, [&] { program.run(op_count, drop); });
  }
  bool has(FaultKind kind) const {
    return std::any_of(stage.faults.begin(), stage.faults.end(),
                       [kind](const Fault& fault) { return fault.kind == kind; });
  }

  std::map<std::string, int> seen_;
};

TEST_F(SoundPrograms, TenThousandThatKeepEveryPreconditionAreNeverAtFault) {
  constexpr std::uint64_t kProgramCount = 10'000;
  for (std::uint64_t seed = 1; seed <= kProgramCount; ++seed) {
    ASSERT_EQ(run(seed, 12, Drop::nothing), Ending::finished)
        << "seed " << seed << ": " << stage.fault();
    ASSERT_TRUE(stage.faults.empty()) << "seed " << seed << ": " << stage.faults.front().signature()
                                      << " " << stage.faults.front().detail;
  }
  EXPECT_EQ(seen_.size(), 22u);
  for (const auto& [what, count] : seen_) EXPECT_GE(count, 100) << what;
}

TEST_F(SoundPrograms, EachPreconditionThatIsDroppedGivesItsFault) {
  struct Dropped {
    Drop drop;
    FaultKind fault;
  };
  constexpr std::array kDropped{
      Dropped{Drop::hand_over, FaultKind::order},
      Dropped{Drop::use_before_free, FaultKind::use_after_death},
      Dropped{Drop::free_once, FaultKind::double_free},
      Dropped{Drop::live_stream, FaultKind::use_after_death},
      Dropped{Drop::live_event, FaultKind::use_after_death},
      Dropped{Drop::within_bounds, FaultKind::api_misuse},
      Dropped{Drop::right_function, FaultKind::api_misuse},
      Dropped{Drop::wait_before_sync_free, FaultKind::order},
      Dropped{Drop::silent_host_function, FaultKind::api_misuse},
      Dropped{Drop::somebody_writes, FaultKind::deadlock},
  };
  for (const Dropped& dropped : kDropped)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      run(seed, 8, dropped.drop);
      EXPECT_TRUE(has(dropped.fault))
          << static_cast<int>(dropped.drop) << ", seed " << seed << ": " << stage.fault();
    }
}

}  // namespace
}  // namespace harness::testing
