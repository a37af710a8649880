// SPDX-License-Identifier: Apache-2.0
// Entries: the driver's entry points under their own names, each counted where it is called.
//
// A program that is in here and says cuMemAlloc_v2 means an object of this file, which calls the
// entry point and counts it, if it answered as a sound program expects: with success, or with the
// error that the program said it would. Anything else is remembered. Code that names a stream also
// calls the function's `_ptsz` twin at times, which by the documentation is the same, but for
// stream 0.
//
// Lifetime: a Calls is current from begin() on. Threads: the run's thread.
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "harness/devices/tests/graphs/graph_stage.h"

extern "C" {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult CUDAAPI name parameters;
#define CUDA_PTSZ(name, since, stream, parameters, arguments) \
  CUresult CUDAAPI name##_ptsz parameters;
#include "harness/driver/cuda/cuda.def"
}

namespace harness::testing::sound {

/// Every row of cuda.def, every twin, and the one function that is not in it.
enum class Entry : std::uint16_t {
#define CUDA_ROW(name, ...) name,
#define CUDA_PTSZ(name, ...) name##_ptsz,
#include "harness/driver/cuda/cuda.def"
  cuGetProcAddress_v2,
  count
};
inline constexpr std::size_t kEntryCount = raw(Entry::count);

const char* name_of(Entry entry);

class Calls {
 public:
  /// Begins a program. The counts continue.
  void begin(std::uint64_t seed) {
    current_ = this;
    coin_.seed(seed);
    expected_ = CUDA_SUCCESS;
    wrong_ = Entry::count;
  }
  static Calls& current() { return *current_; }

  /// The next call must return this documented error.
  void expect(CUresult error) { expected_ = error; }

  CUresult note(Entry entry, CUresult status);
  /// Whether to call the twin, and with which stream: the per-thread one is its stream 0.
  bool takes_twin(CUstream& on);

  int count_of(Entry entry) const { return counts_[raw(entry)]; }
  /// The first call of the program that answered differently than expected, or Entry::count.
  Entry wrong() const { return wrong_; }
  CUresult wrong_status() const { return wrong_status_; }

 private:
  static inline Calls* current_ = nullptr;
  std::array<int, kEntryCount> counts_{};
  std::minstd_rand coin_;
  CUresult expected_ = CUDA_SUCCESS;
  Entry wrong_ = Entry::count;
  CUresult wrong_status_ = CUDA_SUCCESS;
};

}  // namespace harness::testing::sound

/// The rows are in the outer namespace, so that what has a twin hides its row.
namespace harness::testing {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  struct name##_call {                                                                    \
    CUresult operator() parameters const {                                                \
      return sound::Calls::current().note(sound::Entry::name, ::name arguments);          \
    }                                                                                     \
  };                                                                                      \
  inline constexpr name##_call name{};
#include "harness/driver/cuda/cuda.def"

}  // namespace harness::testing

namespace harness::testing::sound {
#define CUDA_PTSZ(name, since, stream, parameters, arguments)           \
  struct name##_twins {                                                 \
    CUresult operator() parameters const {                              \
      Calls& calls = Calls::current();                                  \
      if (calls.takes_twin(stream))                                     \
        return calls.note(Entry::name##_ptsz, ::name##_ptsz arguments); \
      return calls.note(Entry::name, ::name arguments);                 \
    }                                                                   \
  };                                                                    \
  inline constexpr name##_twins name{};
#include "harness/driver/cuda/cuda.def"

struct cuGetProcAddress_v2_call {
  CUresult operator()(const char* symbol, void** function, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult* found) const {
    return Calls::current().note(Entry::cuGetProcAddress_v2,
                                 ::cuGetProcAddress_v2(symbol, function, version, flags, found));
  }
};
inline constexpr cuGetProcAddress_v2_call cuGetProcAddress_v2{};

}  // namespace harness::testing::sound
