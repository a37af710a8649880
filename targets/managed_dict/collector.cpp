// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/collector.h"

#include <algorithm>

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

using harness::SiteScope;

// The list head is two words, like an object's header; its "object" is 16 bytes behind it.
void Collector::track(Address object) {
  const Address head = core_.types.gc_head() + kGcHeadBytes;
  const Address last = load(prev_field(head)) + kGcHeadBytes;
  store(next_field(last), object - kGcHeadBytes);
  store(prev_field(object), last - kGcHeadBytes);
  store(next_field(object), head - kGcHeadBytes);
  store(prev_field(head), object - kGcHeadBytes);
}

void Collector::untrack(Address object) {
  const Address next = load(next_field(object));
  if (next == 0) return;
  const Address previous = load(prev_field(object)) & ~kFlags;
  store(previous, next);
  store(next + kWord, previous | (load(next + kWord) & kFlags));
  store(next_field(object), 0);
  store(prev_field(object), 0);
}

template <class Visit>
void Collector::traverse(Address object, Visit visit) {
  if (load(object + kTypeOffset) == core_.types.dict_type())
    core_.dicts.traverse(object, visit);
  else
    core_.attributes.traverse(object, visit);
}

// Types and ints are not tracked; in all others a flag in the second word is set meanwhile.
bool Collector::is_collecting(Address object) {
  const Block* block = memory_.find(object);
  if (block == nullptr || object != object_in(*block)) return false;
  if (block->kind != BlockKind::instance && block->kind != BlockKind::dict) return false;
  return (load(prev_field(object)) & kCollecting) != 0;
}

std::uint32_t Collector::collect() {
  if (running_) return 0;
  running_ = true;
  const SiteScope site(core_.scheduler(), "gc_collect_main");
  const ModuleScope module(memory_, Module::collector);
  ++memory_.counters().collections;
  gather();
  subtract_references();
  mark_reachable();
  restore_links();
  for (const Address object : reachable_) core_.writer->on_collect(object);
  const std::uint32_t count = clear_unreachable();
  core_.scheduler().note(harness::EventKind::collect, "gc_collect_main", 0, count);
  running_ = false;
  return count;
}

void Collector::gather() {
  objects_.clear();
  reachable_.clear();
  const Address head = core_.types.gc_head();
  for (Address node = load(head); node != head; node = load(node)) {
    const Address object = node + kGcHeadBytes;
    if (objects_.size() == kObjectLimit) memory_.crash(0);
    objects_.push_back(object);
    store(prev_field(object), load(object) << kReferenceShift | kCollecting);
  }
}

void Collector::subtract_references() {
  for (const Address object : objects_)
    traverse(object, [&](Address child) {
      if (is_collecting(child))
        store(prev_field(child), load(prev_field(child)) - (1u << kReferenceShift));
    });
}

void Collector::mark_reachable() {
  const auto reach = [&](Address object) {
    if (reachable_.size() == objects_.size()) memory_.crash(0);  // The list is circular.
    store(prev_field(object), 0);
    reachable_.push_back(object);
  };
  for (const Address object : objects_)
    if (load(prev_field(object)) >> kReferenceShift != 0) reach(object);
  for (std::size_t i = 0; i < reachable_.size(); ++i)
    traverse(reachable_[i], [&](Address child) {
      if (is_collecting(child)) reach(child);
    });
}

void Collector::restore_links() {
  Address previous = core_.types.gc_head();
  std::erase_if(objects_, [&](Address object) {
    const bool unreachable = (load(prev_field(object)) & kCollecting) != 0;
    store(prev_field(object), previous);
    previous = object - kGcHeadBytes;
    return !unreachable;
  });
}

std::uint32_t Collector::clear_unreachable() {
  const auto count = static_cast<std::uint32_t>(objects_.size());
  for (const Address object : objects_) core_.objects.incref(object);
  for (const Address object : objects_)
    if (load(object + kTypeOffset) == core_.types.dict_type())
      core_.dicts.clear(object);
    else
      core_.attributes.clear(object);
  for (const Address object : objects_) core_.objects.decref(object);
  return count;
}

}  // namespace targets::managed_dict
