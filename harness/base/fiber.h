// SPDX-License-Identifier: Apache-2.0
// Fiber: a stack that can be left and entered again. The only code that switches stacks, and that
// informs ASan, TSan and the C++ exception machinery of it.
//
// A fiber is started, entered and left. It may be *abandoned* by a fatal fault; its stack is then
// reused, and nothing on it is ever unwound. Threads: a fiber and everything that enters it are
// confined to one OS thread. Source: Boost.Context's fcontext; the sanitizers' fiber interfaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/base.h"

namespace harness {

/// Stacks of one size, reused last-in first-out; each has inaccessible memory below it.
/// Ownership: owns the memory; grows by slabs, shrinks only when destroyed.
class StackPool {
 public:
  /// `bytes` is rounded up to whole pages.
  explicit StackPool(std::size_t bytes);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Returns the lowest address of a stack of stack_bytes().
  std::byte* take() {
    if (free_.empty()) grow();
    std::byte* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  /// Takes a stack back, to be handed out next.
  void give(std::byte* stack) { free_.push_back(stack); }
  std::size_t stack_bytes() const { return stack_bytes_; }

 private:
  void grow();

  struct Slab {
    std::byte* memory;
    std::size_t bytes;
  };
  std::size_t stack_bytes_;
  std::vector<Slab> slabs_;
  std::vector<std::byte*> free_;
};

/// The C++ runtime's per-thread state of exceptions in flight. It belongs to a stack, so a switch
/// swaps it. Layout: Itanium C++ ABI, section 2.2.2.
struct ExceptionState {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// Lifetime: start() may be called again once the body has returned or the fiber was abandoned.
/// A Fiber must not move while started: the switch keeps pointers to it.
class Fiber {
 public:
  using Body = void (*)(void* argument);

  Fiber() = default;
  ~Fiber() { release(); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Prepares `body(argument)` on a stack of `pool`; nothing runs until the first switch to it.
  /// An abandoned body of this fiber is forgotten. `body` must leave by finish(), not by returning.
  void start(StackPool& pool, Body body, void* argument);

  /// Gives the stack back. The fiber must not be current.
  void release();

  /// Leaves `this`, which must be current, and enters `target`; returns when `this` is entered
  /// again.
  void switch_to(Fiber& target);

  /// Leaves `this`, whose body has ended; it is not entered again.
  [[noreturn]] void finish(Fiber& target);

  /// Makes this fiber stand for the stack of the calling thread, to which others can switch back.
  void adopt_thread();

  /// Remembers which exceptions are in flight in this, the current fiber; restore_exceptions() puts
  /// them back when the frames since then were jumped over.
  void keep_exceptions() { exceptions_ = *thread_exceptions_; }
  /// Puts back the exceptions that keep_exceptions() remembered.
  void restore_exceptions() { *thread_exceptions_ = exceptions_; }

  /// Returns whether the fiber was given a stack and a body.
  bool started() const { return stack_ != nullptr; }

  /// Declares that the fiber is not entered again: the sanitizers treat all its work as done.
  void forget_abandoned();

 private:
  void before_switch(Fiber& target, bool last);
  void after_switch(Fiber& from);

  void* context_ = nullptr;     ///< fcontext_t of a fiber that is not running.
  Fiber* target_ = nullptr;     ///< The fiber that this one entered when it was last left.
  std::byte* stack_ = nullptr;  ///< Lowest address; null for an adopted thread.
  StackPool* pool_ = nullptr;
  Body body_ = nullptr;
  void* argument_ = nullptr;
  ExceptionState exceptions_;
  /// The C++ runtime's state for the thread we run on. The next fields are for the sanitizers.
  ExceptionState* thread_exceptions_ = nullptr;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
  bool live_ = false;  ///< Started, and its body has not ended.
  friend struct FiberEntry;
};

}  // namespace harness
