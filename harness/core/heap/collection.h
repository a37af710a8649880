// SPDX-License-Identifier: Apache-2.0
// HeapCollection: one run of the cyclic collector.
//
// It finds the objects of a generation, and of all younger ones, to which only these objects
// themselves refer. It runs their finalizers, checks which objects were saved by one, and clears
// the rest, so that their counts reach zero. O(objects and references in those generations).
// Source: CPython's gc_collect_main (Modules/gcmodule.c).
#pragma once

#include <cstdint>

#include "harness/core/heap/heap.h"

namespace harness {

/// Threads: turns are offered only within finalizers and destructors. Other tasks may then drop,
/// make and save objects. The lists stay valid, because an object leaves any list that it is in.
class HeapCollection {
 public:
  HeapCollection(Heap& heap, std::uint32_t generation);

  /// Finds garbage. Returns the number of objects that seem to be garbage.
  std::uint32_t find();
  /// Finalizes and frees the garbage. Returns the number of objects that it gave up on.
  std::uint32_t free();

 private:
  static void count_outside_references(HeapLink& candidates);
  static void separate_unreachable(HeapLink& candidates, HeapLink& unreachable);
  static void find_unreachable(HeapLink& candidates, HeapLink& unreachable);
  void finalize_all();
  void keep_saved(HeapLink& doomed);
  void empty_all(HeapLink& doomed);
  void promote(HeapLink& list);

  Heap& heap_;
  std::uint32_t generation_;
  HeapLink unreachable_;
};

}  // namespace harness
