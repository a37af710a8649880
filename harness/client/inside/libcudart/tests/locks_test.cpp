// SPDX-License-Identifier: Apache-2.0
// Locks of the runtime are no steps of a program: it calls no lock of the C library, which
// `afterlife run` intercepts.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

namespace harness::testing {
namespace {

std::atomic<int> lock_count{0};

/// Counts a call by the runtime.
void count_lock(const void* returns_to) {
  Dl_info info{};
  if (dladdr(returns_to, &info) != 0 && std::strstr(info.dli_fname, "libcudart") != nullptr)
    ++lock_count;
}

}  // namespace
}  // namespace harness::testing

// In front of those of the C library.
#define COUNTED_LOCK(name, Lock)                                                        \
  extern "C" __attribute__((visibility("default"))) int name(Lock* lock) noexcept {     \
    static const auto next = reinterpret_cast<int (*)(Lock*)>(dlsym(RTLD_NEXT, #name)); \
    harness::testing::count_lock(__builtin_return_address(0));                          \
    return next(lock);                                                                  \
  }
COUNTED_LOCK(pthread_mutex_lock, pthread_mutex_t)
COUNTED_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNTED_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)

namespace harness::testing {
namespace {

class RuntimeLocks : public Runtime {};

TEST_F(RuntimeLocks, AreNotThoseOfTheCLibrary) {
  lock_count = 0;
  std::thread([] {
    int* memory = on_device();
    cudaFuncAttributes attributes{};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, &host.add), cudaSuccess);
    void* symbol = nullptr;
    EXPECT_EQ(cudaGetSymbolAddress(&symbol, &host.counter), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
  }).join();
  EXPECT_EQ(lock_count, 0);
}

}  // namespace
}  // namespace harness::testing
