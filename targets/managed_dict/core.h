// SPDX-License-Identifier: Apache-2.0
// Core: the parts of one interpreter process. Each part can reach the others through it.
#pragma once

#include "targets/managed_dict/allocator.h"
#include "targets/managed_dict/attributes.h"
#include "targets/managed_dict/caches.h"
#include "targets/managed_dict/collector.h"
#include "targets/managed_dict/dicts.h"
#include "targets/managed_dict/heap_view.h"
#include "targets/managed_dict/jit.h"
#include "targets/managed_dict/objects.h"
#include "targets/managed_dict/release_code.h"
#include "targets/managed_dict/types.h"
#include "targets/managed_dict/writer.h"

namespace targets::managed_dict {

/// Ownership: owns its parts. Lifetime: one run.
struct Core {
  Core(harness::Runtime& the_runtime, const Setup& the_setup)
      : runtime(the_runtime),
        setup(the_setup),
        memory(the_runtime, the_setup.placement, *the_setup.observers.heap,
               the_setup.observers.memory),
        allocator(memory),
        types(memory, the_setup),
        objects(*this),
        dicts(*this, memory),
        attributes(*this, memory),
        collector(*this, memory),
        caches(*this),
        jit(*this),
        view(memory, types, caches) {
    if (MemoryObserver* observer = memory.memory_observer()) observer->began(setup.version);
  }
  Core(const Core&) = delete;  // The parts point at it.
  Core& operator=(const Core&) = delete;

  ProgramObserver& program_observer() { return *setup.observers.program; }
  CodeObserver& code_observer() { return *setup.observers.code; }
  harness::Scheduler& scheduler() { return runtime.scheduler; }

  harness::Runtime& runtime;
  Setup setup;
  Memory memory;
  Allocator allocator;
  Types types;
  Objects objects;
  Dicts dicts;
  Attributes attributes;
  Collector collector;
  Caches caches;
  Jit jit;
  HeapView view;
  ReleaseCode* release_code = nullptr;  ///< Script code that runs at a release; null if there is
                                        ///< none.
  Writer* writer = nullptr;             ///< Not null once the variant is made.
};

}  // namespace targets::managed_dict
