// SPDX-License-Identifier: Apache-2.0
// How it works. A switch is jump_fcontext plus bookkeeping: the exception state of the C++ runtime
// is swapped, ASan is informed of the next stack, and TSan of the next "thread". The side that is
// entered stores where the other side can be resumed. An abandoned fiber is cleaned up lazily, when
// its stack is released or started again: its shadow is unpoisoned, its fake stack and TSan fiber
// are destroyed.
#include "harness/base/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>

#include "harness/base/memory.h"
#include "harness/base/sanitizers/sanitizers.h"

namespace harness {

namespace ctx = boost::context::detail;

/// A switch draws no happens-before edge, so that TSan sees tasks as threads.
[[maybe_unused]] static constexpr unsigned kTsanNoSync = 1;

// ---- stacks -----------------------------------------------------------------------------------

static constexpr std::size_t kStacksPerSlab = 16;
/// Inaccessible memory below each stack. No frame is larger, so that none reaches beyond it.
static constexpr std::size_t kGuardBytes = std::size_t{64} << 10;

static std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

StackPool::StackPool(std::size_t bytes)
    : stack_bytes_((bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {}

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) {
    unpoison(slab.memory, slab.bytes);
    munmap(slab.memory, slab.bytes);
  }
}

void StackPool::grow() {
  const std::size_t stride = kGuardBytes + stack_bytes_;
  const std::size_t bytes = stride * kStacksPerSlab;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) out_of_memory();
  auto* base = static_cast<std::byte*>(memory);
  slabs_.push_back({base, bytes});
  free_.reserve(slabs_.size() * kStacksPerSlab);
  for (std::size_t i = kStacksPerSlab; i-- > 0;) {
    std::byte* guard = base + i * stride;
    if (mprotect(guard, kGuardBytes, PROT_NONE) != 0) out_of_memory();
    free_.push_back(guard + kGuardBytes);
  }
}

// ---- switching --------------------------------------------------------------------------------

static ExceptionState* thread_exceptions() {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

struct FiberEntry {
  static void run(ctx::transfer_t transfer) {
    auto* from = static_cast<Fiber*>(transfer.data);
    from->context_ = transfer.fctx;
    Fiber* self = from->target_;
    self->after_switch(*from);
    self->body_(self->argument_);
    HARNESS_CHECK(false, "a fiber's body leaves by finish()");
  }
};

void Fiber::start(StackPool& pool, Body body, void* argument) {
  if (pool_ != &pool) {
    release();
    pool_ = &pool;
    stack_ = pool.take();
    stack_bytes_ = pool.stack_bytes();
    stack_bottom_ = stack_;
  } else {
    forget_abandoned();
  }
  body_ = body;
  argument_ = argument;
  exceptions_ = {};
  thread_exceptions_ = thread_exceptions();
  context_ = ctx::make_fcontext(stack_ + stack_bytes_, stack_bytes_, FiberEntry::run);
#if HARNESS_TSAN
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
  live_ = true;
}

void Fiber::release() {
  if (stack_ == nullptr) return;
  forget_abandoned();
  pool_->give(stack_);
  stack_ = nullptr;
  pool_ = nullptr;
}

void Fiber::adopt_thread() {
  thread_exceptions_ = thread_exceptions();
#if HARNESS_TSAN
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

void Fiber::forget_abandoned() {
#if HARNESS_ASAN
  if (live_) {
    if (fake_stack_ != nullptr) {  // Enter the fake stack and leave it for good.
      void* mine = nullptr;
      const void* bottom = nullptr;
      std::size_t bytes = 0;
      __sanitizer_start_switch_fiber(&mine, stack_bottom_, stack_bytes_);
      __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &bytes);
      __sanitizer_start_switch_fiber(nullptr, bottom, bytes);
      __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
      fake_stack_ = nullptr;
    }
    unpoison(stack_, stack_bytes_);
  }
#endif
#if HARNESS_TSAN
  if (tsan_fiber_ !=
      nullptr) {  // All that it did on the stack happened before whatever comes next there.
    void* mine = __tsan_get_current_fiber();
    constexpr unsigned kSync = 0;
    __tsan_switch_to_fiber(tsan_fiber_, kTsanNoSync);
    __tsan_switch_to_fiber(mine, kSync);
    __tsan_destroy_fiber(tsan_fiber_);
  }
  tsan_fiber_ = nullptr;
#endif
  live_ = false;
}

inline void Fiber::before_switch(Fiber& target, [[maybe_unused]] bool last) {
  target_ = &target;
  exceptions_ = *thread_exceptions_;
  *thread_exceptions_ = target.exceptions_;
#if HARNESS_ASAN
  __sanitizer_start_switch_fiber(last ? nullptr : &fake_stack_, target.stack_bottom_,
                                 target.stack_bytes_);
#endif
#if HARNESS_TSAN
  __tsan_switch_to_fiber(target.tsan_fiber_, kTsanNoSync);
#endif
}

inline void Fiber::after_switch([[maybe_unused]] Fiber& from) {
#if HARNESS_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, &from.stack_bottom_, &from.stack_bytes_);
  fake_stack_ = nullptr;
#endif
}

void Fiber::switch_to(Fiber& target) {
  before_switch(target, false);
  const ctx::transfer_t transfer = ctx::jump_fcontext(target.context_, this);
  auto* from = static_cast<Fiber*>(transfer.data);
  from->context_ = transfer.fctx;
  after_switch(*from);
}

void Fiber::finish(Fiber& target) {
  live_ = false;
  // Frames that an exception left, or whose callers are not instrumented, do not unpoison their
  // memory.
  unpoison(stack_, stack_bytes_);
  before_switch(target, true);
  ctx::jump_fcontext(target.context_, this);
  HARNESS_CHECK(false, "a finished fiber is not entered again");
  __builtin_unreachable();
}

}  // namespace harness
