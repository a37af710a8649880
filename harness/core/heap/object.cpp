// SPDX-License-Identifier: Apache-2.0
#include "harness/core/heap/object.h"

#include <algorithm>

#include "harness/core/heap/heap.h"

namespace harness {

// ---- lists ------------------------------------------------------------------------------------

void HeapLink::unlink() {
  previous->next = next;
  next->previous = previous;
  clear();
}

void HeapLink::append_to(HeapLink& list) {
  previous = list.previous;
  next = &list;
  previous->next = this;
  list.previous = this;
}

void HeapLink::take_all(HeapLink& list) {
  if (list.empty()) return;
  list.next->previous = previous;
  previous->next = list.next;
  list.previous->next = this;
  previous = list.previous;
  list.clear();
}

// ---- references -------------------------------------------------------------------------------

Ref Ref::steal(Object* object) { return {object, object->birth_}; }

BorrowedRef::BorrowedRef(Object& object) : object_(&object), birth_(object.birth_) {}

Object& BorrowedRef::object() const {
  if (object_ == nullptr) [[unlikely]]
    follow_null();
  if (!object_->heap().config().gil) {
    Ledger& ledger = object_->heap().ledger();
    ledger.scheduler().turn({ledger.life(birth_).name, AccessKind::read});
  }
  if (!object_->houses(birth_)) object_->meet(birth_);
  return *object_;
}

Ref BorrowedRef::own() const { return Ref::counted(object()); }

WeakRef::WeakRef(const Ref& ref)
    : object_(&*ref), birth_(ref.birth_), epoch_(object_->weak_epoch_) {}

Ref WeakRef::lock() const {
  if (object_ == nullptr) return {};
  const auto reaches = [this] {
    return object_->houses(birth_) && object_->weak_epoch_ == epoch_ && object_->ref_count_ > 0;
  };
  Heap& heap = object_->heap();
  if (reaches() && !heap.config().gil) heap.scheduler().turn({object_->name(), AccessKind::read});
  return reaches() ? Ref::counted(*object_) : Ref();
}

// ---- objects ----------------------------------------------------------------------------------

void Object::announce(AccessKind kind) const {
  if (heap_->config().gil) return;
  const BirthId meant = birth_;
  heap_->scheduler().turn({name_, kind});
  if (!houses(meant)) meet(meant);
}

void Object::meet(BirthId meant) const {
  if (heap_->ledger().used(meant, birth_)) return;
  heap_->scheduler().die();
}

// A stale reference counts down the object that is in the storage now, as in CPython.
void Object::last_count_down(BirthId meant) {
  if (houses(meant))
    announce(AccessKind::write);
  else
    meet(meant);
  if (ref_count_ == 0) {
    heap_->ledger().double_free(birth_);
    return;
  }
  edge_release(this);
  if (--ref_count_ > 0 || dying_) return;
  edge_acquire(this);
  heap_->count_reached_zero(*this);
}

Ref Object::get(Key key) const {
  announce(AccessKind::read);
  for (const Member& member : members_)
    if (member.key == key) return member.value;
  return {};
}

BorrowedRef Object::get_borrowed(Key key) const {
  announce(AccessKind::read);
  for (const Member& member : members_)
    if (member.key == key) return member.value;
  return {};
}

Ref Object::at(std::size_t position) const {
  announce(AccessKind::read);
  return position < members_.size() ? members_[position].value : Ref();
}

// The old value is dropped last, when the members are consistent again, because its destructor may
// access this object.
void Object::set(Key key, Ref value) { const Ref old = exchange(key, std::move(value)); }

Ref Object::exchange(Key key, Ref value) {
  announce(AccessKind::write);
  Ref old;
  const auto at = std::find_if(members_.begin(), members_.end(),
                               [&](const Member& member) { return member.key == key; });
  if (at == members_.end()) {
    if (!value) return old;
    if (members_.capacity() == 0) members_.reserve(4);
    members_.push_back({key, std::move(value)});
  } else {
    std::swap(old, at->value);
    if (value)
      at->value = std::move(value);
    else
      members_.erase(at);
  }
  return old;
}

void Object::clear() {
  announce(AccessKind::write);
  drop_members();
}

void Object::drop_members() {
  if (members_.empty()) return;
  std::pmr::vector<Member> dropped(std::move(members_));
  for (Member& member : dropped) member.value.reset();
  dropped.clear();
  if (members_.capacity() == 0)
    members_ = std::move(dropped);  // Keeps the storage for the next object.
}

}  // namespace harness
