// SPDX-License-Identifier: Apache-2.0
// No exception leaves an entry point for any arguments: huge sizes, null, invalid handles, within a
// run and through libcuda.so.1.
//
// Pointers given are a null and a small buffer of zeros; no driver can check what else the caller
// says of its own memory. So a count never goes with an array that is shorter.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "harness/core/fault/kinds.h"
#include "harness/devices/tests/cuda_stage.h"
#include "harness/driver/cuda/cuda.h"

extern "C" {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult name parameters;
#include "harness/driver/cuda/cuda.def"
#define CUDA_PTSZ(name, since, stream, parameters, arguments) CUresult name##_ptsz parameters;
#include "harness/driver/cuda/cuda.def"
}

namespace harness::testing {
namespace {

constexpr std::size_t kRounds = 40;
constexpr std::uint64_t kHuge[] = {~std::uint64_t{0}, std::uint64_t{1} << 63,
                                   (std::uint64_t{1} << 63) - 1, std::uint64_t{1} << 48,
                                   std::uint64_t{1} << 40};

/// Real objects of the run, so that calls get beyond their first check.
struct Real {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
  CUgraph graph = nullptr;
  CUmemoryPool pool = nullptr;
  CUfunction function = nullptr;
};

/// Makes up arguments: round 0 is the largest of everything, the others are mixed.
class Hostile {
 public:
  explicit Hostile(const Real& real) : real_(real) {}

  void begin(std::size_t round, std::size_t row) {
    round_ = round;
    state_ = mix(row + 1, round);
    next_buffer_ = 0;
    for (auto& buffer : buffers_) buffer.fill(std::byte{0});
  }

  template <class T>
  T make() {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_same_v<T, CUhostFn>)
      return choice(2) == 0 ? nullptr : &called;
    else if constexpr (std::is_same_v<T, CUstreamCallback>)
      return nullptr;
    else if constexpr (std::is_pointer_v<T> && std::is_function_v<Pointee>)
      return nullptr;
    else if constexpr (std::is_pointer_v<T> && std::is_void_v<Pointee>)
      return static_cast<T>(buffer());
    else if constexpr (std::is_pointer_v<T> && requires { sizeof(Pointee); })
      return reinterpret_cast<T>(buffer());
    else if constexpr (std::is_pointer_v<T>)
      return handle<T>();
    else if constexpr (std::is_same_v<T, CUdeviceptr>)
      return address();
    else if constexpr (std::is_enum_v<T>)
      return static_cast<T>(number<std::uint32_t>());
    else if constexpr (std::is_integral_v<T>)
      return number<T>();
    else
      return T{};
  }

 private:
  static void called(void*) {}

  std::uint64_t choice(std::uint64_t count) {
    state_ = mix(state_, 1);
    return round_ == 0 ? 0 : (state_ >> 8) % count;
  }

  void* buffer() {
    if (round_ == 0 || choice(3) != 0) return buffers_[next_buffer_++ % buffers_.size()].data();
    return nullptr;
  }

  template <class T>
  T handle() {
    constexpr std::uintptr_t kGarbage[] = {~std::uintptr_t{0}, 0xdead'beef'0000, 8, 1, 2, 0};
    if (choice(3) != 1) {
      if constexpr (std::is_same_v<T, CUcontext>) return real_.context;
      if constexpr (std::is_same_v<T, CUstream>) return real_.stream;
      if constexpr (std::is_same_v<T, CUevent>) return real_.event;
      if constexpr (std::is_same_v<T, CUgraph>) return real_.graph;
      if constexpr (std::is_same_v<T, CUmemoryPool>) return real_.pool;
      if constexpr (std::is_same_v<T, CUfunction>) return real_.function;
    }
    return reinterpret_cast<T>(kGarbage[choice(std::size(kGarbage))]);
  }

  /// Device memory, its end, host memory, null, and an impossible address.
  CUdeviceptr address() {
    const CUdeviceptr addresses[] = {real_.memory, real_.memory + 60,
                                     reinterpret_cast<CUdeviceptr>(buffer()), 0, ~CUdeviceptr{0}};
    return addresses[choice(std::size(addresses))];
  }

  template <class T>
  T number() {
    if constexpr (sizeof(T) == 8)
      return static_cast<T>(choice(2) == 0 ? kHuge[choice(std::size(kHuge))] : choice(9));
    constexpr std::uint64_t kNumbers[] = {0xffff'ffff, 0x8000'0000, 0x7fff'ffff, 0, 1, 2, 4, 16};
    return static_cast<T>(kNumbers[choice(std::size(kNumbers))]);
  }

  const Real& real_;
  std::size_t round_ = 0;
  std::uint64_t state_ = 0;
  std::size_t next_buffer_ = 0;
  std::array<std::array<std::byte, 4096>, 12> buffers_;
};

template <class... Arguments>
CUresult call(CUresult (*function)(Arguments...), Hostile& hostile) {
  return function(hostile.make<Arguments>()...);
}

struct Row {
  const char* name;
  CUresult (*call)(Hostile&);
};

const Row kRows[] = {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  {#name, [](Hostile& hostile) { return call(&name, hostile); }},
#include "harness/driver/cuda/cuda.def"
#define CUDA_PTSZ(name, since, stream, parameters, arguments) \
  {#name "_ptsz", [](Hostile& hostile) { return call(&name##_ptsz, hostile); }},
#include "harness/driver/cuda/cuda.def"
};

/// Runs `body` in a child process, and returns its exit status: 0 if nothing failed. So a crash
/// fails only its own row.
template <class Body>
int status_of(Body body) {
  std::fflush(nullptr);  // Or the child would print it as well.
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class CudaHostile : public OnEveryDevice {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
    OnEveryDevice::SetUp();
  }

  /// Runs `body` with the real objects. An exception that leaves a call is a failure.
  template <class Body>
  void attempt(const char* name, Body body) {
    stage->run([&] {
      Real real;
      cuCtxGetCurrent(&real.context);
      cuStreamCreate(&real.stream, CU_STREAM_NON_BLOCKING);
      cuEventCreate(&real.event, CU_EVENT_DEFAULT);
      cuMemAlloc_v2(&real.memory, 64);
      cuGraphCreate(&real.graph, 0);
      cuDeviceGetDefaultMemPool(&real.pool, 0);
      // An earlier round's wild access may have ended the context, as it does for the whole
      // process.
      if (CUmodule loaded = nullptr; cuModuleLoadData(&loaded, image()) == CUDA_SUCCESS)
        cuModuleGetFunction(&real.function, loaded, "add_one");
      try {
        body(real);
      } catch (const std::exception& exception) {
        ADD_FAILURE() << name << " threw " << exception.what();
      } catch (...) {
        ADD_FAILURE() << name << " threw";
      }
    });
    for (const Fault& fault : stage->faults)
      EXPECT_NE(fault.kind, FaultKind::uncaught) << name << ": " << fault.detail;
  }

  void call_in_all_rounds(const Row& row, std::size_t number) {
    for (std::size_t round = 0; round < kRounds; ++round)
      attempt(row.name, [&](const Real& real) {
        Hostile hostile(real);
        hostile.begin(round, number);
        row.call(hostile);
      });
  }

  /// Returns 0 if no row failed; those that did are named on stderr.
  int call_every_row() {
    int result = 0;
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
      if (status_of([&] { call_in_all_rounds(kRows[i], i + 1); }) == 0) continue;
      std::fprintf(stderr, "%s: a signal, or an exception\n", kRows[i].name);
      result = 1;
    }
    return result;
  }
};

// In a separate process with little memory, because each child copies it.
TEST_P(CudaHostile, NoExceptionLeavesAnyEntryPoint) {
  static_assert(std::size(kRows) > 200);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(call_every_row()), ::testing::ExitedWithCode(0), "");
}

TEST_P(CudaHostile, AnImpossibleSizeIsInvalid) {
  std::array<std::byte, 64> here{};
  const auto address = reinterpret_cast<CUdeviceptr>(here.data());
  for (const std::uint64_t bytes : kHuge)
    attempt("copies", [&](const Real& real) {
      constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;
      EXPECT_EQ(cuMemcpyAsync(address, address, bytes, real.stream), kInvalid) << bytes;
      EXPECT_EQ(cuMemcpyAsync(0, 0, bytes, real.stream), kInvalid) << bytes;
      EXPECT_NE(cuMemAlloc_v2(&const_cast<Real&>(real).memory, bytes), CUDA_SUCCESS) << bytes;
    });
}

TEST_P(CudaHostile, NullHostMemoryIsInvalid) {
  attempt("copies", [&](const Real& real) {
    EXPECT_EQ(cuMemcpyHtoD_v2(real.memory, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH_v2(nullptr, real.memory, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyAsync(real.memory, 0, 4, real.stream), CUDA_ERROR_INVALID_VALUE);
  });
}

// The size of a node's copy or set is a product of five numbers, each of which may be near 2^64.
TEST_P(CudaHostile, ExtentsOfNodesDoNotWrapAround) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  std::array<std::byte, 64> here{};
  const auto refused = [&](auto change) {
    attempt("cuGraphAddMemcpyNode", [&](const Real& real) {
      CUDA_MEMCPY3D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = here.data();
      copy.srcPitch = copy.dstPitch = 8;
      copy.srcHeight = copy.dstHeight = 2;
      copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.dstDevice = real.memory;
      copy.WidthInBytes = 8;
      copy.Height = copy.Depth = 1;
      change(copy);
      CUgraphNode node = nullptr;
      EXPECT_EQ(cuGraphAddMemcpyNode(&node, real.graph, nullptr, 0, &copy, real.context),
                CUDA_ERROR_INVALID_VALUE);
    });
  };
  refused([&](CUDA_MEMCPY3D& copy) { copy.dstZ = kHalf, copy.dstHeight = 2; });
  refused([&](CUDA_MEMCPY3D& copy) { copy.srcY = kHalf, copy.srcPitch = 2; });
  refused([&](CUDA_MEMCPY3D& copy) {
    copy.Height = 3;
    copy.srcPitch = copy.dstPitch = kHalf;
  });
  refused([&](CUDA_MEMCPY3D& copy) {
    copy.Depth = 3;
    copy.srcHeight = copy.dstHeight = kHalf;
  });
  refused([&](CUDA_MEMCPY3D& copy) {
    copy.WidthInBytes = ~std::uint64_t{0};
    copy.dstXInBytes = copy.srcXInBytes = 2;
  });
  attempt("cuGraphAddMemsetNode", [&](const Real& real) {
    CUDA_MEMSET_NODE_PARAMS set{};
    set.dst = real.memory;
    set.elementSize = 4;
    set.width = 1;
    set.height = 3;
    set.pitch = kHalf;
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemsetNode(&node, real.graph, nullptr, 0, &set, real.context),
              CUDA_ERROR_INVALID_VALUE);
  });
}

INSTANTIATE_ON_EVERY_DEVICE(CudaHostile);

}  // namespace
}  // namespace harness::testing
