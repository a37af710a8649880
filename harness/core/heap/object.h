// SPDX-License-Identifier: Apache-2.0
// Object: an object on the managed heap, and the three kinds of references to it. A Ref is counted,
// a BorrowedRef is not, and a WeakRef notices its end.
//
// An object behaves like CPython's: it dies when its count reaches zero, or when the collector
// finds that only a cycle refers to it. Its storage is kept until the run ends, or is given to a
// new object of the same type (a choice). A reference that outlived its object reaches a new object
// (recorded) or dead storage (fatal), and is never undefined behaviour.
//
// Lifetime: references in the arena or on a task's stack are dropped with the run, without being
// counted down. None may be kept for the next run. Threads: as in CPython: hold the GIL. Without a
// GIL, the end of the last reference is announced.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "harness/base/crash/crash.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/ledger/ledger.h"

namespace harness {

class Heap;
class Object;

/// A type: the data that its objects have in common. Lifetime: static. A type is identified by its
/// address. Only new objects of the type reuse its storage.
struct TypeInfo {
  Label name;
  /// __del__: runs at most once for an object, before it dies, and may do anything: make objects,
  /// drop or replace others, keep the object alive. Null if there is none.
  void (*finalize)(Object& self) = nullptr;
  /// tp_dealloc of an extension type: runs last, when the object cannot be saved any more and its
  /// members are gone. The payload's destructor follows.
  void (*dealloc)(Object& self) = nullptr;
  /// Whether the collector sees its objects. Necessary only if they can refer to other objects.
  bool tracked = true;
};

/// The name of a member, or the index of an item.
class Key {
 public:
  // Implicit, so that it reads like a dict.
  constexpr Key(Label name) : value_(name.hash() | kNamed) {}
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
  /// Assigns like Py_SETREF: the new reference is in place before the old one is counted down.
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    std::swap(birth_, other.birth_);
    return *this;
  }
  ~Ref() { count_down(); }

  Object* operator->() const { return &object(); }
  Object& operator*() const { return object(); }
  /// Checked: stale if a reference was counted down that its holder did not own.
  Object& object() const;
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const = default;
  BirthId birth() const { return birth_; }

  void reset() { *this = Ref(); }  ///< Drops the reference.
  /// Releases the reference without counting down: a leak, until steal() takes it over.
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
  /// Checked: a stale reference is a fault, which is fatal if the storage is dead.
  Object& object() const;
  /// Py_INCREF: returns a counted reference to the live object in the storage. Checked.
  Ref own() const;
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const BorrowedRef&) const = default;
  /// Returns the raw address. Like id(), it is equal for two successive objects in one storage.
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(object_); }
  BirthId birth() const { return birth_; }

 private:
  Object* object_ = nullptr;
  BirthId birth_ = BirthId::none;
};

/// Refers to an object while it is alive. Cleared before the finalizers of a cycle run, but after
/// the finalizer of an object whose count reached zero.
class WeakRef {
 public:
  WeakRef() = default;
  explicit WeakRef(const Ref& ref);
  /// Returns a counted reference, or an empty one if the object is gone.
  Ref lock() const;

 private:
  Object* object_ = nullptr;
  BirthId birth_ = BirthId::none;
  std::uint32_t epoch_ = 0;
};

/// An element of one of the heap's lists, which are circular.
struct HeapLink {
  HeapLink* previous = this;
  HeapLink* next = this;

  HeapLink() = default;
  HeapLink(const HeapLink&) = delete;  // Neighbours point at it.
  HeapLink& operator=(const HeapLink&) = delete;

  /// Returns whether the list is empty, or the element is in no list.
  bool empty() const { return next == this; }
  /// Makes the list empty; its elements keep their links.
  void clear() { previous = next = this; }
  /// Takes the element out of its list.
  void unlink();
  /// Becomes the last element of `list`; must be unlinked.
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

  /// Returns the C++ value that it wraps. T must be the type that it was made with.
  template <class T>
  T& payload() {
    return *static_cast<T*>(payload_);
  }

  // ---- members: its references, in the order in which they were first set ----

  /// Returns a new reference, or an empty one.
  Ref get(Key key) const;
  /// Returns the value uncounted, as PyDict_GetItem does.
  BorrowedRef get_borrowed(Key key) const;
  /// Sets a member; an empty value erases it. The old value is counted down after the new one is in
  /// place.
  void set(Key key, Ref value);
  /// Sets a member and returns the old value, so that the caller can report the change before the
  /// old object dies.
  [[nodiscard]] Ref exchange(Key key, Ref value);
  /// Removes the member, if there is one, and counts its value down.
  void erase(Key key) { set(key, Ref()); }
  std::size_t member_count() const { return members_.size(); }  ///< Counts keys with a value.
  /// Returns the member at `position`, in the order in which they were first set.
  Ref at(std::size_t position) const;
  /// Removes all members, then counts them down, like dict.clear(): finalizers see it empty.
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
  /// Counts down a reference that may be the last, or stale.
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
  /// During a collection: number of references from outside of the collected objects.
  std::uint32_t outside_count_ = 0;
  std::uint32_t weak_epoch_ = 0;  ///< Weak references of older epochs have been cleared.
  std::uint8_t generation_ = 0;
  bool living_ = false;
  bool dying_ = false;  ///< Its end cannot be prevented any more.
  bool finalized_ = false;
  bool collecting_ = false;   ///< The current collection has not decided about it yet.
  bool unreachable_ = false;  ///< The current collection has not reached it so far.
  std::pmr::vector<Member> members_;
};

/// Returns the object, after checking that it is still the one that was referred to.
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
