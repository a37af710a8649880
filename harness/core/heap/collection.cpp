// SPDX-License-Identifier: Apache-2.0
#include "harness/core/heap/collection.h"

#include <algorithm>

namespace harness {
namespace {

std::uint32_t length(const HeapLink& list) {
  std::uint32_t count = 0;
  for (const HeapLink* link = list.next; link != &list; link = link->next) ++count;
  return count;
}

}  // namespace

/// The resource of tasks that wait for the end of a collection.
static constexpr Resource kCollector = hash_name("collector");

// ---- the part of Heap -------------------------------------------------------------------------

void Heap::ask_to_collect() {
  const std::uint32_t choice = scheduler().picker().pick(Site::collect, kGenerationCount + 1);
  if (choice > 0) run_collector(choice - 1, false);
}

std::uint32_t Heap::collect(std::uint32_t generation) {
  HARNESS_CHECK(generation < kGenerationCount, "gc.collect() raises for other generations");
  check_attached("gc");
  return collecting_ ? 0 : run_collector(generation, true);
}

std::uint32_t Heap::run_collector(std::uint32_t generation, bool asked_by_op) {
  static constexpr Label kLabels[kGenerationCount] = {"gc.collect(0)", "gc.collect(1)",
                                                      "gc.collect(2)"};
  const SiteScope site(scheduler(), "gc.collect");
  collecting_ = true;
  allocated_ = false;
  HeapCollection collection(*this, generation);
  std::uint32_t freed = 0;
  const std::uint32_t found = collection.find();
  if (found > 0 || asked_by_op) {
    const std::size_t event = scheduler().history().events().size();
    scheduler().note(EventKind::collect, kLabels[generation]);
    freed = collection.free();
    scheduler().history().set_value(event, freed);
  }
  collecting_ = false;
  scheduler().touch(kCollector);
  return freed;
}

void Heap::finish_collection() {
  if (!collecting_) return;
  scheduler().wait_until({kCollector, AccessKind::read}, "the collector",
                         [this] { return !collecting_; });
}

// ---- finding ----------------------------------------------------------------------------------

HeapCollection::HeapCollection(Heap& heap, std::uint32_t generation)
    : heap_(heap), generation_(generation) {}

std::uint32_t HeapCollection::find() {
  HeapLink candidates;
  for (std::uint32_t i = generation_ + 1; i-- > 0;) candidates.take_all(heap_.generations_[i]);
  find_unreachable(candidates, unreachable_);
  promote(candidates);
  return length(unreachable_);
}

/// Counts the references to each candidate that do not come from within `candidates`.
void HeapCollection::count_outside_references(HeapLink& candidates) {
  for (HeapLink* link = candidates.next; link != &candidates; link = link->next) {
    Object& object = Heap::object_at(*link);
    object.outside_count_ = object.ref_count_;
    object.collecting_ = true;
  }
  for (HeapLink* link = candidates.next; link != &candidates; link = link->next)
    for (const Object::Member& member : Heap::object_at(*link).members_) {
      Object& target = *member.value;
      if (target.collecting_ && target.outside_count_ > 0) --target.outside_count_;
    }
}

/// Goes through the candidates once. An object without outside references is moved to
/// `unreachable`, and moved back to the end if a reachable object turns out to refer to it.
void HeapCollection::separate_unreachable(HeapLink& candidates, HeapLink& unreachable) {
  for (HeapLink* link = candidates.next; link != &candidates;) {
    Object& object = Heap::object_at(*link);
    if (object.outside_count_ == 0) {
      link = link->next;
      object.unreachable_ = true;
      Heap::move_to(unreachable, object);
      continue;
    }
    for (const Object::Member& member : object.members_) {
      Object& target = *member.value;
      if (!target.collecting_) continue;
      target.outside_count_ = std::max(target.outside_count_, 1u);
      if (std::exchange(target.unreachable_, false)) Heap::move_to(candidates, target);
    }
    object.collecting_ = false;
    link = link->next;
  }
}

void HeapCollection::find_unreachable(HeapLink& candidates, HeapLink& unreachable) {
  count_outside_references(candidates);
  separate_unreachable(candidates, unreachable);
  for (HeapLink* link = unreachable.next; link != &unreachable; link = link->next) {
    Heap::object_at(*link).collecting_ = false;
    Heap::object_at(*link).unreachable_ = false;
  }
}

void HeapCollection::promote(HeapLink& list) {
  const std::uint32_t older = std::min(generation_ + 1, kGenerationCount - 1);
  for (HeapLink* link = list.next; link != &list; link = link->next)
    Heap::object_at(*link).generation_ = static_cast<std::uint8_t>(older);
  heap_.generations_[older].take_all(list);
}

// ---- freeing ----------------------------------------------------------------------------------

std::uint32_t HeapCollection::free() {
  for (HeapLink* link = unreachable_.next; link != &unreachable_; link = link->next)
    ++Heap::object_at(*link).weak_epoch_;
  finalize_all();
  HeapLink doomed;
  keep_saved(doomed);
  const std::uint32_t count = length(doomed);
  empty_all(doomed);
  return count;
}

/// A finalizer may free other objects, so each object is taken from the front of the remaining
/// list.
void HeapCollection::finalize_all() {
  HeapLink done;
  while (!unreachable_.empty()) {
    Object& object = Heap::object_at(*unreachable_.next);
    Heap::move_to(done, object);
    if (object.finalized_ || object.type().finalize == nullptr) continue;
    const Ref keep = Ref::counted(object);
    heap_.finalize(object);
  }
  unreachable_.take_all(done);
}

/// Keeps the objects that a finalizer made reachable again, with everything that they refer to.
void HeapCollection::keep_saved(HeapLink& doomed) {
  find_unreachable(unreachable_, doomed);
  promote(unreachable_);
}

/// Removes the members (tp_clear), so that the counts reach zero. Objects that survive this are
/// kept.
void HeapCollection::empty_all(HeapLink& doomed) {
  HeapLink survivors;
  while (!doomed.empty()) {
    Object& object = Heap::object_at(*doomed.next);
    Heap::move_to(survivors, object);
    const Ref keep = Ref::counted(object);
    object.drop_members();
  }
  promote(survivors);
}

}  // namespace harness
