// SPDX-License-Identifier: Apache-2.0
// Heap: managed objects as CPython keeps them, with reference counts, a cyclic collector of three
// generations, and finalizers that run arbitrary code in the middle of a collection.
//
// Whether the collector runs is a choice (Site::collect: 0 = no, 1..3 = generation 0..2), made
// where CPython can run it: at allocations (<= 3.11) or at the eval breaker (>= 3.12). Source:
// CPython's Modules/gcmodule.c and Objects/typeobject.c (subtype_dealloc), PEP 442. Departures:
// thresholds are choices, and callbacks of weak references and of the collector are left out.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/core/heap/object.h"

namespace harness {

class Interpreter;

enum class CollectAt : std::uint8_t { allocation, eval_breaker };

struct HeapConfig {
  bool gil = true;
  CollectAt collect_at = CollectAt::allocation;
};

inline constexpr std::uint32_t kGenerationCount = 3;

/// Ownership: owns the objects; their storage is in the arena of the run. Borrows the ledger.
/// Threads: confined to the run's thread; see heap_object.h for tasks.
class Heap {
 public:
  explicit Heap(Ledger& ledger) : ledger_(ledger) {}
  Heap(const Heap&) = delete;  // Objects and their lists point at it.
  Heap& operator=(const Heap&) = delete;

  /// Forgets every object and goes back to the default configuration.
  void begin();
  /// Sets the configuration. Call it before the first object is made.
  void configure(const HeapConfig& config) { config_ = config; }
  const HeapConfig& config() const { return config_; }

  // ---- objects ----

  /// Makes an object that wraps nothing. An allocation point, if its type is tracked.
  Ref make(const TypeInfo& type) { return adopt(prepare(type)); }

  /// Makes an object that wraps a T, which is destroyed with it. All objects of a type wrap the
  /// same T.
  template <class T, class... Args>
  Ref make(const TypeInfo& type, Args&&... args) {
    Object& object = prepare(type);
    if (object.payload_ == nullptr) object.payload_ = allocate(sizeof(T), alignof(T));
    new (object.payload_) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>)
      object.destroy_payload_ = [](void* payload) { static_cast<T*>(payload)->~T(); };
    return adopt(object);
  }

  // ---- the collector ----

  /// Runs gc.collect(generation) for an op. Returns the number of objects in unreachable cycles, or
  /// 0 while another collection runs.
  std::uint32_t collect(std::uint32_t generation = kGenerationCount - 1);

  /// Waits for the end of a collection that another task runs, if there is one.
  void finish_collection();

  /// Called before a tracked object is allocated: the collector may run now (<= 3.11).
  void allocation_point() {
    allocated_ = true;
    if (config_.collect_at == CollectAt::allocation) maybe_collect();
  }
  /// Called between two steps of the interpreter: the collector may run now (>= 3.12).
  void eval_breaker() {
    if (config_.collect_at == CollectAt::eval_breaker) maybe_collect();
  }
  bool collecting() const { return collecting_; }

  // ---- queries ----

  std::size_t live_count() const { return live_count_; }
  /// Returns how many objects of `type` are alive.
  std::size_t live_count(const TypeInfo& type) const;
  std::size_t tracked_count() const { return tracked_count_; }

  Ledger& ledger() { return ledger_; }
  Scheduler& scheduler() { return ledger_.scheduler(); }  ///< Returns the scheduler of the run.
  /// Returns the interpreter of this run, or null before one is made.
  Interpreter* interpreter() const { return interpreter_; }

 private:
  friend class HeapCollection;
  friend class Interpreter;
  friend class Object;
  friend class BorrowedRef;

  /// The storage of dead objects of one type, most recently freed first.
  struct Type {
    const TypeInfo* info;
    Object* dead;  ///< Linked by HeapLink::next; null-terminated.
    std::size_t live_count;
  };
  /// Objects whose destruction is postponed, because destructors are nested too deeply in a task.
  struct Trash {
    std::uint32_t depth = 0;
    HeapLink waiting;
  };

  /// Number of dead objects of a type among which a choice is made: the most recent ones.
  static constexpr std::uint32_t kOfferLimit = 4;
  /// Nesting depth from which destructors are queued, because a task's stack is small.
  static constexpr std::uint32_t kDeathDepth = 16;

  static Object& object_at(HeapLink& link) { return static_cast<Object&>(link); }
  static Object* next_dead(Object& dead) { return static_cast<Object*>(dead.next); }
  static void move_to(HeapLink& list, Object& object) {
    object.unlink();
    object.append_to(list);
  }
  void* allocate(std::size_t bytes, std::size_t alignment);
  /// Storage for a new object: allocation point, fresh or reused.
  Object& prepare(const TypeInfo& type);
  /// Begins the object's lifetime, with one reference.
  Ref adopt(Object& object);
  Type& type_entry(const TypeInfo& info);
  Object* take_dead(Type& type);

  void count_reached_zero(Object& object);
  void put_off(Trash& trash, Object& object);
  void dispose(Object& object);
  /// Runs __del__ if it has not run yet.
  void finalize(Object& object);
  bool saved_by_finalizer(Object& object);
  void end_life(Object& object);
  void track(Object& object);
  void untrack(Object& object);
  Trash& trash();

  void maybe_collect() {
    if (tracked_count_ > 0 && allocated_ && !collecting_) ask_to_collect();
  }
  void ask_to_collect();
  std::uint32_t run_collector(std::uint32_t generation, bool asked_by_op);

  /// Records a fault if the calling task uses managed objects without the GIL.
  void check_attached(Label kind) {
    if (interpreter_ != nullptr && !is_attached()) [[unlikely]]
      report_detached(kind);
  }
  bool is_attached();
  void report_detached(Label kind);

  Ledger& ledger_;
  HeapConfig config_;
  Interpreter* interpreter_ = nullptr;
  HeapLink generations_[kGenerationCount];
  std::vector<Type> types_;
  std::vector<std::unique_ptr<Trash>> trash_;  ///< One for each task; [0] is for code outside of
                                               ///< tasks.
  std::size_t live_count_ = 0;
  std::size_t tracked_count_ = 0;
  bool collecting_ = false;
  bool allocated_ = false;  ///< Whether something was allocated since the last collection.
};

}  // namespace harness
