// SPDX-License-Identifier: Apache-2.0
// Atomics: the functions that make the atomic operations of instrumented code.
//
// How it works. Under `afterlife run`, the driver may let another thread run before the operation,
// and learns after it what it did. The operation itself is always sequentially consistent, which
// is stronger than any order that the program asks for.
#include "harness/client/inside/instrumented/instrumented.h"

namespace {

using harness::entries::AtomicKind;
using harness::entries::AtomicOperation;
using harness::entries::instruments;
using harness::entries::path;

/// An operation on the value at an address.
template <class Value>
class Operation {
 public:
  Operation(const volatile Value* at, AtomicKind kind, int order, const void* returns_to)
      : told_{{reinterpret_cast<std::uintptr_t>(at), sizeof(Value), kind != AtomicKind::load, true,
               returns_to, nullptr},
              kind,
              order} {
    if (instruments == nullptr) return;
    told_.access.path = &path();
    instruments->comes(told_);
  }
  /// It read or stored the value.
  void made(Value value, bool changed) const {
    if (instruments != nullptr)
      instruments->made(told_, static_cast<std::uint64_t>(value), changed);
  }
  /// A comparison failed: the operation was a load of this order.
  void failed(Value value, int order) {
    told_.access.writes = false;
    told_.order = order;
    made(value, false);
  }

 private:
  AtomicOperation told_;
};

template <class Value>
Value load(const volatile Value* at, int order, const void* caller) {
  const Operation<Value> operation(at, AtomicKind::load, order, caller);
  const Value value = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  operation.made(value, false);
  return value;
}

template <class Value>
void store(volatile Value* at, Value value, int order, const void* caller) {
  const Operation<Value> operation(at, AtomicKind::store, order, caller);
  const Value before = __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
  operation.made(value, before != value);
}

/// `change` returns the value before it.
template <class Value, class Change>
Value exchange(volatile Value* at, int order, const void* caller, Change change) {
  const Operation<Value> operation(at, AtomicKind::exchange, order, caller);
  const Value before = change();
  operation.made(before, __atomic_load_n(at, __ATOMIC_RELAXED) != before);
  return before;
}

/// Returns whether it stored the value; `expected` becomes the value that was there.
template <class Value>
bool compare(volatile Value* at, Value& expected, Value value, int order, int failure_order,
             const void* caller) {
  Operation<Value> operation(at, AtomicKind::compare, order, caller);
  const Value wanted = expected;
  const bool is_stored =
      __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (is_stored)
    operation.made(wanted, wanted != value);
  else
    operation.failed(expected, failure_order);
  return is_stored;
}

}  // namespace

#define AFTERLIFE_FETCH(bits, type, name)                                              \
  AFTERLIFE_EXPORT type __tsan_atomic##bits##_fetch_##name(volatile type* at, type by, \
                                                           int order) {                \
    return exchange(at, order, AFTERLIFE_CALLER,                                       \
                    [&] { return __atomic_fetch_##name(at, by, __ATOMIC_SEQ_CST); });  \
  }

#define AFTERLIFE_ATOMIC(bits, type)                                                               \
  AFTERLIFE_EXPORT type __tsan_atomic##bits##_load(const volatile type* at, int order) {           \
    return load(at, order, AFTERLIFE_CALLER);                                                      \
  }                                                                                                \
  AFTERLIFE_EXPORT void __tsan_atomic##bits##_store(volatile type* at, type value, int order) {    \
    store(at, value, order, AFTERLIFE_CALLER);                                                     \
  }                                                                                                \
  AFTERLIFE_EXPORT type __tsan_atomic##bits##_exchange(volatile type* at, type value, int order) { \
    return exchange(at, order, AFTERLIFE_CALLER,                                                   \
                    [&] { return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); });             \
  }                                                                                                \
  AFTERLIFE_FETCH(bits, type, add)                                                                 \
  AFTERLIFE_FETCH(bits, type, sub)                                                                 \
  AFTERLIFE_FETCH(bits, type, and)                                                                 \
  AFTERLIFE_FETCH(bits, type, or)                                                                  \
  AFTERLIFE_FETCH(bits, type, xor)                                                                 \
  AFTERLIFE_FETCH(bits, type, nand)                                                                \
  AFTERLIFE_EXPORT type __tsan_atomic##bits##_compare_exchange_val(                                \
      volatile type* at, type expected, type value, int order, int failure_order) {                \
    compare(at, expected, value, order, failure_order, AFTERLIFE_CALLER);                          \
    return expected;                                                                               \
  }                                                                                                \
  AFTERLIFE_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                              \
      volatile type* at, type* expected, type value, int order, int failure_order) {               \
    return compare(at, *expected, value, order, failure_order, AFTERLIFE_CALLER) ? 1 : 0;          \
  }                                                                                                \
  AFTERLIFE_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                                \
      volatile type* at, type* expected, type value, int order, int failure_order) {               \
    return compare(at, *expected, value, order, failure_order, AFTERLIFE_CALLER) ? 1 : 0;          \
  }

AFTERLIFE_ATOMIC(8, unsigned char)
AFTERLIFE_ATOMIC(16, unsigned short)
AFTERLIFE_ATOMIC(32, unsigned)
AFTERLIFE_ATOMIC(64, unsigned long)
AFTERLIFE_ATOMIC(128, unsigned __int128)

AFTERLIFE_EXPORT void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (instruments != nullptr) instruments->fence(order);
}
AFTERLIFE_EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
