// SPDX-License-Identifier: Apache-2.0
// How it works. An object's storage is made at most once per run and belongs to its type from then
// on. Dead objects wait in a list per type, and a new object gets fresh storage or, by a choice,
// that of a dead object. When a count reaches zero, the object is destroyed at once, on the same
// task: __del__, members, dealloc, payload, end of the lifetime. Destructors nest up to
// kDeathDepth; deeper ones are queued until the outermost is done, like in CPython's trashcan. The
// cyclic collector is in collection.cpp.
#include "harness/core/heap/heap.h"

#include <array>
#include <optional>

#include "harness/core/fault/kinds.h"
#include "harness/core/heap/interpreter.h"

namespace harness {

void Heap::begin() {
  config_ = {};
  interpreter_ = nullptr;
  for (HeapLink& generation : generations_) generation.clear();
  types_.clear();
  for (const auto& trash : trash_) {
    trash->depth = 0;
    trash->waiting.clear();
  }
  live_count_ = 0;
  tracked_count_ = 0;
  collecting_ = false;
  allocated_ = false;
}

// ---- storage ----------------------------------------------------------------------------------

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
  return scheduler().arena().resource()->allocate(bytes, alignment);
}

Heap::Type& Heap::type_entry(const TypeInfo& info) {
  for (Type& type : types_)
    if (type.info == &info) return type;
  return types_.emplace_back(Type{&info, nullptr, 0});
}

std::size_t Heap::live_count(const TypeInfo& info) const {
  for (const Type& type : types_)
    if (type.info == &info) return type.live_count;
  return 0;
}

// Like Host::take_dead: each option is named after the last object in the storage, which is a
// stable name.
Object* Heap::take_dead(Type& type) {
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<Object*, kOfferLimit + 1> objects{nullptr};
  std::uint32_t count = 1;
  for (Object* dead = type.dead; dead != nullptr && count <= kOfferLimit; dead = next_dead(*dead)) {
    names[count] = static_cast<std::uint32_t>(dead->name_) | 1;
    objects[count++] = dead;
  }
  const std::uint32_t choice = scheduler().picker().pick_value(Site::reuse, {names.data(), count});
  if (choice == 0) return nullptr;
  Object* taken = objects[choice];
  if (choice == 1)
    type.dead = next_dead(*taken);
  else
    objects[choice - 1]->next = taken->next;
  taken->HeapLink::clear();
  return taken;
}

Object& Heap::prepare(const TypeInfo& info) {
  check_attached(info.name);
  if (info.tracked) allocation_point();
  if (Object* reused = take_dead(type_entry(info)); reused != nullptr) return *reused;
  Arena& arena = scheduler().arena();
  return *arena.make<Object>(*this, info, arena.resource());
}

// Drops the last reference, which the repair held.
static void drop_last(void* thing) {
  auto* object = static_cast<Object*>(thing);
  std::optional<AttachScope> attached;
  if (Interpreter* interpreter = object->heap().interpreter(); interpreter != nullptr)
    attached.emplace(*interpreter);
  Ref::steal(object).reset();
}

[[gnu::noinline, gnu::cold]] static bool is_kept(const Ledger& ledger, Object& object) {
  return ledger.keeps(object.birth(), &object, drop_last);
}

Ref Heap::adopt(Object& object) {
  const TypeInfo& info = object.type();
  object.birth_ = ledger_.born(info.name, reinterpret_cast<std::uintptr_t>(&object), sizeof(Object),
                               object.birth_);
  object.name_ = ledger_.life(object.birth_).name;
  object.living_ = true;
  object.dying_ = false;
  object.finalized_ = false;
  object.ref_count_ = 1;
  object.generation_ = 0;
  ++live_count_;
  ++type_entry(info).live_count;
  track(object);
  if (Intervention::current() != nullptr) [[unlikely]]
    ledger_.note_birth(object.birth_, &object, [](void* thing) {
      static_cast<Object*>(thing)->ref_count_ = 1;
      drop_last(thing);
    });
  return {&object, object.birth_};
}

void Heap::track(Object& object) {
  if (!object.type().tracked) return;
  object.append_to(generations_[object.generation_]);
  ++tracked_count_;
}

void Heap::untrack(Object& object) {
  if (object.HeapLink::empty()) return;
  object.unlink();
  --tracked_count_;
}

// ---- death ------------------------------------------------------------------------------------

Heap::Trash& Heap::trash() {
  const std::uint16_t index = static_cast<std::uint16_t>(raw(scheduler().current()) + 1);
  while (trash_.size() <= index) trash_.push_back(std::make_unique<Trash>());
  return *trash_[index];
}

void Heap::count_reached_zero(Object& object) {
  check_attached(object.type().name);
  Trash& trash = this->trash();
  if (trash.depth >= kDeathDepth) {
    untrack(object);
    object.append_to(trash.waiting);
    return;
  }
  ++trash.depth;
  dispose(object);
  while (trash.depth == 1 && !trash.waiting.empty()) {
    Object& next = object_at(*trash.waiting.next);
    next.unlink();
    track(next);
    dispose(next);
  }
  --trash.depth;
}

// A repair keeps the object by an additional reference, which it drops when the use is over.
void Heap::dispose(Object& object) {
  if (Intervention::current() != nullptr) [[unlikely]]
    if (is_kept(ledger_, object)) {
      object.ref_count_ = 1;
      return;
    }
  if (!saved_by_finalizer(object)) end_life(object);
}

// PEP 442: the object is alive, with one reference, while its finalizer runs. If there are others
// afterwards, it stays alive, and is never finalized again.
bool Heap::saved_by_finalizer(Object& object) {
  if (object.finalized_ || object.type().finalize == nullptr) return false;
  const BirthId birth = object.birth_;
  object.ref_count_ = 1;
  finalize(object);
  if (!object.houses(birth)) return true;  // A count was missing, so that it has died already.
  return --object.ref_count_ > 0;
}

void Heap::finalize(Object& object) {
  object.finalized_ = true;
  const ActivationScope activation(scheduler(), object.name_, "finalize", 0);
  const SiteScope site(scheduler(), "__del__");
  object.type().finalize(object);
}

void Heap::end_life(Object& object) {
  object.dying_ = true;
  ++object.weak_epoch_;
  untrack(object);
  object.drop_members();
  if (object.type().dealloc != nullptr) object.type().dealloc(object);
  if (object.destroy_payload_ != nullptr) object.destroy_payload_(object.payload_);
  object.living_ = false;
  ledger_.died(object.birth_);
  --live_count_;
  Type& type = type_entry(object.type());
  --type.live_count;
  object.next = type.dead;
  type.dead = &object;
}

bool Heap::is_attached() { return !scheduler().in_task() || interpreter_->attached(); }

void Heap::report_detached(Label kind) {
  Fault fault;
  fault.kind = FaultKind::api_misuse;
  fault.object_kind = kind;
  fault.use_site = scheduler().site();
  fault.activation = scheduler().picker().current().name;
  fault.tick = scheduler().now();
  fault.detail = "a managed object was touched without the GIL";
  scheduler().history().add(std::move(fault));
}

}  // namespace harness
