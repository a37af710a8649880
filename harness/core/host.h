// SPDX-License-Identifier: Apache-2.0
// Host: host objects with a ledger entry, in storage that only ever holds one type.
//
// Owned<T> ends the lifetime. Borrowed<T> stands for a raw pointer of a real system: the pointer
// together with its birth id, checked by `->`. Freed storage is kept until the run ends, or is
// given to a new T (a choice), so addresses are reused on purpose (ABA). A stale `->` is never
// undefined behaviour: it reaches another T (recorded, and the program continues with the wrong
// object as the real one would) or dead storage (fatal).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <new>
#include <utility>
#include <vector>

#include "harness/base/crash/crash.h"
#include "harness/core/ledger/ledger.h"

namespace harness {

class Host;

/// The resource that a task announces when it accesses a host object.
inline Resource life_resource(const Ledger& ledger, BirthId id) { return ledger.life(id).name; }

/// Storage for one T. It exists until the run ends.
template <class T>
struct HostSlot {
  Host* host;
  BirthId resident = BirthId::none;  ///< The object that has this storage, or had it last.
  alignas(T) std::byte storage[sizeof(T)];

  /// Returns the storage as the T that is alive in it.
  T* object() { return std::launder(reinterpret_cast<T*>(storage)); }
};

/// A raw pointer to a T that another object owns, as the real system keeps it, with the birth id of
/// that T. Copyable and comparable. Invalid once the T has died.
template <class T>
class Borrowed {
 public:
  Borrowed() = default;

  /// Announces the read, then checks identity. A stale pointer is a fault, which is fatal if the
  /// storage is dead.
  T* operator->() const;
  T& operator*() const { return *operator->(); }

  explicit operator bool() const { return slot_ != nullptr; }
  /// Returns the raw address, which is equal for two objects in the same storage. A key of the real
  /// system's maps.
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(slot_); }
  /// Returns the object that the pointer was taken from. The real system does not know it.
  BirthId birth() const { return birth_; }
  bool operator==(const Borrowed&) const = default;

 private:
  friend class Host;
  template <class U>
  friend class Owned;
  Borrowed(HostSlot<T>* slot, BirthId birth) : slot_(slot), birth_(birth) {}

  HostSlot<T>* slot_ = nullptr;
  BirthId birth_ = BirthId::none;
};

/// The owner of one T: like unique_ptr, but its end is announced and entered in the ledger.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept
      : slot_(std::exchange(other.slot_, nullptr)), birth_(other.birth_) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      slot_ = std::exchange(other.slot_, nullptr);
      birth_ = other.birth_;
    }
    return *this;
  }
  ~Owned() { reset(); }

  T* operator->() const {
    if (slot_ == nullptr) [[unlikely]]
      follow_null();
    return slot_->object();
  }
  T& operator*() const { return *operator->(); }
  explicit operator bool() const { return slot_ != nullptr; }
  /// Returns a non-owning pointer to the object, which checks each use.
  Borrowed<T> borrow() const { return {slot_, birth_}; }
  BirthId birth() const { return birth_; }

  /// Runs the destructor and ends the lifetime.
  void reset();

 private:
  friend class Host;
  Owned(HostSlot<T>* slot, BirthId birth) : slot_(slot), birth_(birth) {}

  HostSlot<T>* slot_ = nullptr;
  BirthId birth_ = BirthId::none;
};

/// Makes host objects. Ownership: storage comes from the run's arena. Threads: the run's thread.
class Host {
 public:
  explicit Host(Ledger& ledger) : ledger_(ledger) {}
  /// Forgets the dead objects of the last run, whose storage is gone.
  void begin() { dead_.clear(); }

  /// Makes a T, by default in fresh storage, else in that of a dead T (a choice, most recently
  /// freed first).
  template <class T, class... Args>
  Owned<T> make(Label kind, Args&&... args) {
    HostSlot<T>* slot = static_cast<HostSlot<T>*>(take_dead(kind));
    const BirthId last = slot != nullptr ? slot->resident : BirthId::none;
    if (slot == nullptr) {
      slot = ledger_.scheduler().arena().template make<HostSlot<T>>();
      slot->host = this;
    }
    slot->resident = ledger_.born(kind, reinterpret_cast<std::uintptr_t>(slot), sizeof(T), last);
    new (slot->storage) T(std::forward<Args>(args)...);
    ledger_.note_birth(slot->resident, slot, [](void* thing) {
      auto* storage = static_cast<HostSlot<T>*>(thing);
      storage->host->ledger().died(storage->resident);
      end_object<T>(storage);
    });
    return {slot, slot->resident};
  }

  Ledger& ledger() { return ledger_; }

 private:
  template <class T>
  friend class Owned;
  template <class T>
  friend class Borrowed;

  struct Dead {
    Label kind;
    void* slot;
    BirthId last;
  };

  /// Number of dead slots of a kind among which a choice is made: the most recent ones.
  static constexpr std::uint32_t kOfferLimit = 4;

  /// Runs the destructor of the object in a HostSlot<T>. For the ledger its lifetime has ended.
  template <class T>
  static void end_object(void* thing) {
    auto* slot = static_cast<HostSlot<T>*>(thing);
    slot->object()->~T();
    slot->host->note_death(slot->host->ledger().life(slot->resident).kind, slot, slot->resident);
  }

  void* take_dead(Label kind);
  void note_death(Label kind, void* slot, BirthId last) { dead_.push_back({kind, slot, last}); }

  Ledger& ledger_;
  std::vector<Dead> dead_;
};

template <class T>
T* Borrowed<T>::operator->() const {
  if (slot_ == nullptr) [[unlikely]]
    follow_null();
  Ledger& ledger = slot_->host->ledger();
  ledger.scheduler().turn({life_resource(ledger, birth_), AccessKind::read});
  if (!ledger.used(birth_, slot_->resident)) ledger.scheduler().die();
  return slot_->object();
}

/// Ends the object, if there is one, in a turn that writes it.
template <class T>
void Owned<T>::reset() {
  HostSlot<T>* slot = std::exchange(slot_, nullptr);
  if (slot == nullptr) return;
  Ledger& ledger = slot->host->ledger();
  ledger.scheduler().turn({life_resource(ledger, birth_), AccessKind::write});
  ledger.died(birth_);
  if (!ledger.keeps(birth_, slot, Host::end_object<T>)) [[likely]]
    Host::end_object<T>(slot);
}

}  // namespace harness
