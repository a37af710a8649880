// SPDX-License-Identifier: Apache-2.0
// Object: an object on the managed heap, and the three ways to refer to it: Ref counts, BorrowedRef
// does not, and WeakRef notices its end.
//
// An object behaves like CPython's: it dies when its count reaches zero, or when the collector
// finds that only a cycle refers to it. Its storage is kept until the run ends, or is given to a
// new object of the same type (a choice). A reference that outlived its object finds a recycled one
// (recorded) or none (fatal), and is never undefined behaviour.
//
// Lifetime: references in the arena or on a task's stack are dropped with the run, without being
// counted down. None may be kept for the next run. Threads: as CPython's. Hold the GIL; without
// one, the end of the last reference is announced.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "harness/crash.h"
#include "harness/ledger.h"
#include "harness/sanitizers.h"

namespace harness {

class Heap;
class Object;

/// A type: the data that its objects have in common.
/// Lifetime: static. A type is its address: its storage is reused by it alone.
struct TypeInfo {
  Label name;
  /// __del__: runs at most once for an object, before it dies, and may do anything: make objects,
  /// drop or replace others, keep the object alive. Null if there is none.
  void (*finalize)(Object& self) = nullptr;
  /// tp_dealloc of an extension type: runs last, when nothing can save the object, and its members
  /// are gone. The payload's destructor follows.
  void (*dealloc)(Object& self) = nullptr;
  /// Whether the collector sees it. Only what can hold other objects needs to be seen.
  bool tracked = true;
};

/// The name of a member, or the place of an item.
class Key {
 public:
  constexpr Key(Label name) : value_(name.hash() | kNamed) {}  // Implicit: it reads like a dict.
  consteval Key(const char* name) : Key(Label(name)) {}
  template <std::integral Index>
  constexpr Key(Index index) : value_(static_cast<std::uint32_t>(index)) {}
  constexpr bool operator==(const Key&) const = default;

 private:
  static constexpr std::uint64_t kNamed = std::uint64_t{1} << 63;
  std::uint64_t value_;
};

/// A counted reference: the object stays alive at least as long. Counting down the last one runs
/// finalizers, so every assignment, and every end of a scope, may run arbitrary code.
class Ref {
 public:
  Ref() = default;
  Ref(const Ref& other) : object_(other.object_), birth_(other.birth_) { count_up(); }
  Ref(Ref&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), birth_(other.birth_) {}
  /// Assigns as Py_SETREF does: the new one is in place before the old one is counted down.
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    std::swap(birth_, other.birth_);
    return *this;
  }
  ~Ref() { count_down(); }

  Object* operator->() const { return &object(); }
  Object& operator*() const { return object(); }
  /// Checked: stale where someone counted down what was not theirs.
  Object& object() const;
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const = default;
  BirthId birth() const { return birth_; }

  void reset() { *this = Ref(); }  ///< Counts down, and refers to nothing from now on.
  /// Gives up the reference without counting down: a leak, until steal() takes it over.
  Object* leak() { return std::exchange(object_, nullptr); }
  /// Takes over a count that the caller owned. Unchecked, as in C: if the caller owned none, a
  /// count is missing, and the object dies while it is in use.
  static Ref steal(Object* object);

 private:
  friend class Heap;
  friend class HeapCollection;
  friend class Object;
  friend class BorrowedRef;
  friend class WeakRef;
  Ref(Object* object, BirthId birth) : object_(object), birth_(birth) {}
  static Ref counted(Object& object);
  inline void count_up() const;
  inline void count_down();

  Object* object_ = nullptr;
  BirthId birth_ = BirthId::none;
};

/// An uncounted PyObject*, with the birth id of its object.
class BorrowedRef {
 public:
  BorrowedRef() = default;
  BorrowedRef(const Ref& ref) : object_(ref.object_), birth_(ref.birth_) {}  // Implicit, as in C.
  BorrowedRef(Object& object);

  Object* operator->() const { return &object(); }
  Object& operator*() const { return object(); }
  /// Checked: a stale one is a fault, which is fatal if no object is alive there now.
  Object& object() const;
  /// Py_INCREF: returns a counted reference to the object that is alive there. Checked.
  Ref own() const;
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const BorrowedRef&) const = default;
  /// The raw address: id() of two objects, one after the other in the same storage, is equal.
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(object_); }
  BirthId birth() const { return birth_; }

 private:
  Object* object_ = nullptr;
  BirthId birth_ = BirthId::none;
};

/// Reaches the object while it is alive; cleared before the finalizers of a cycle run, and after
/// the finalizer of an object whose count reached zero.
class WeakRef {
 public:
  WeakRef() = default;
  explicit WeakRef(const Ref& ref);
  /// A counted reference, or an empty one where the object is gone.
  Ref lock() const;

 private:
  Object* object_ = nullptr;
  BirthId birth_ = BirthId::none;
  std::uint32_t epoch_ = 0;
};

/// A place in one of the heap's lists, which are circular.
struct HeapLink {
  HeapLink* previous = this;
  HeapLink* next = this;

  HeapLink() = default;
  HeapLink(const HeapLink&) = delete;  // Neighbours point at it.
  HeapLink& operator=(const HeapLink&) = delete;

  /// Returns whether the list holds nothing, or the element is in no list.
  bool empty() const { return next == this; }
  /// Makes the list empty; its elements keep their links.
  void clear() { previous = next = this; }
  /// Takes the element out of its list.
  void unlink();
  /// Becomes the last of `list`; must be unlinked.
  void append_to(HeapLink& list);
  /// Moves everything in `list` to the end of this one.
  void take_all(HeapLink& list);
};

/// Ownership: the heap owns the storage; references keep the object alive.
class Object : private HeapLink {
 public:
  explicit Object(Heap& heap, const TypeInfo& type, std::pmr::memory_resource* memory)
      : heap_(&heap), type_(&type), members_(memory) {}

  const TypeInfo& type() const { return *type_; }
  Heap& heap() const { return *heap_; }
  BirthId birth() const { return birth_; }
  Name name() const { return name_; }
  std::uint32_t ref_count() const { return ref_count_; }
  std::uint32_t generation() const { return generation_; }
  bool finalized() const { return finalized_; }

  /// The C++ value that it wraps. T is what it was made with.
  template <class T>
  T& payload() {
    return *static_cast<T*>(payload_);
  }

  // ---- members: what it refers to, in the order they were first set ----

  /// A new reference, or an empty one.
  Ref get(Key key) const;
  /// Returns the value uncounted, as PyDict_GetItem does.
  BorrowedRef get_borrowed(Key key) const;
  /// An empty value erases. What was there is counted down after the new value is in place.
  void set(Key key, Ref value);
  /// The same, but returns the former object, so that the caller can report the change before that
  /// dies.
  [[nodiscard]] Ref exchange(Key key, Ref value);
  /// Takes the member out, if there is one, and counts its value down.
  void erase(Key key) { set(key, Ref()); }
  std::size_t member_count() const { return members_.size(); }  ///< Counts keys that have a value.
  /// The member at `position`, in the order they were first set.
  Ref at(std::size_t position) const;
  /// Empties it first, and counts down then, as dict.clear() does: finalizers see it empty.
  void clear();

 private:
  friend class Heap;
  friend class HeapCollection;
  friend class Ref;
  friend class BorrowedRef;
  friend class WeakRef;

  struct Member {
    Key key;
    Ref value;
  };

  /// Without a GIL each access is a separate step, and the object may be gone afterwards.
  void announce(AccessKind kind) const;
  /// Counts down what may be the last reference, or a stale one.
  void last_count_down(BirthId meant);
  void drop_members();
  /// Reports a use of `meant` after its storage was reused (returns) or freed (does not return).
  void meet(BirthId meant) const;
  bool houses(BirthId meant) const { return birth_ == meant && living_; }

  Heap* heap_;
  const TypeInfo* type_;
  Name name_ = 0;
  void* payload_ = nullptr;
  void (*destroy_payload_)(void*) = nullptr;
  BirthId birth_ = BirthId::none;  ///< The object that has this storage, or had it last.
  std::uint32_t ref_count_ = 0;
  /// While collecting: references from outside what is collected.
  std::uint32_t outside_count_ = 0;
  std::uint32_t weak_epoch_ = 0;  ///< Weak references of older epochs have been cleared.
  std::uint8_t generation_ = 0;
  bool living_ = false;
  bool dying_ = false;  ///< Whether its end can no longer be prevented.
  bool finalized_ = false;
  bool collecting_ = false;   ///< The collection in progress has yet to decide about it.
  bool unreachable_ = false;  ///< The collection in progress found no way to it so far.
  std::pmr::vector<Member> members_;
};

/// Returns the object, after a look whether it is still the one that was meant.
inline Object& Ref::object() const {
  if (object_ == nullptr) [[unlikely]]
    follow_null();
  if (!object_->houses(birth_)) [[unlikely]]
    object_->meet(birth_);
  return *object_;
}

/// Counts one more reference to the object, if there is one.
inline void Ref::count_up() const {
  if (object_ != nullptr) ++object().ref_count_;
}

/// Counts one reference less; the last one ends the object.
inline void Ref::count_down() {
  if (object_ == nullptr) return;
  if (object_->houses(birth_) && object_->ref_count_ > 1) [[likely]] {
    edge_release(object_);
    --object_->ref_count_;
  } else {
    object_->last_count_down(birth_);
  }
}

/// Makes a new reference to `object`, counted up.
inline Ref Ref::counted(Object& object) {
  ++object.ref_count_;
  return {&object, object.birth_};
}

}  // namespace harness
