// SPDX-License-Identifier: Apache-2.0
// Observer: receives facts about the interpreter as it runs, whatever happens to its bytes.
//
// A fact is what the program did or ran into, by its own rules. Nothing is expected, compared or
// decided here. Each interface has one subject. Lifetime: outlives the run. Threads: called by the
// acting task; must not offer a preemption point.
#pragma once

#include <cstdint>
#include <span>

#include "targets/managed_dict/memory_observer.h"
#include "targets/managed_dict/vocabulary.h"

namespace targets::managed_dict {

/// An instance was made, with one reference.
struct Birth {
  Address object;
  harness::BirthId instance;
  Address values;          ///< Address of values[0]; 0 if there was no memory for them.
  harness::BirthId chunk;  ///< Block with the values: a chunk, or the instance itself.
};

/// An attribute was set.
struct Assignment {
  Address object;
  Attribute attribute;
  Address value;
  std::int64_t number;  ///< Value of an int or bool; 0 for other objects.
};

/// Receives the program's actions on its objects.
class ProgramObserver {
 public:
  virtual ~ProgramObserver() = default;

  // ---- references, by the program's own rules ----
  /// An object was made; its maker has the only reference.
  virtual void object_made(harness::BirthId object) = 0;
  virtual void reference_taken(Address object) = 0;
  virtual void reference_dropped(Address object) = 0;

  // ---- instances ----
  virtual void instance_born(const Birth& birth) = 0;
  /// The instance got a dict, which from now on also has its values.
  virtual void dict_published(Address object, Address dict) = 0;
  /// The instance has this dict instead of its former one; 0 is none.
  virtual void dict_replaced(Address object, Address dict) = 0;
  /// The instance has released its values and its dict.
  virtual void instance_emptied(Address object) = 0;
  virtual void instance_died(Address object) = 0;

  // ---- attributes ----
  virtual void attribute_set(const Assignment& assignment) = 0;
  virtual void attribute_erased(Address object, Attribute attribute) = 0;
  virtual void attributes_cleared(Address object) = 0;
};

/// Receives events of the program's code.
class CodeObserver {
 public:
  virtual ~CodeObserver() = default;

  // ---- attributes ----
  /// An attribute of the object is about to be stored, by compiled code if `compiled`.
  virtual void storing(Address object, bool compiled) = 0;
  virtual void compiled_store() = 0;
  virtual void compiled_load() = 0;
  /// The word of the object is about to be used without a check.
  virtual void believing(Address object) = 0;
  /// Compiled code decoded the values' address from a word.
  virtual void values_decoded() = 0;
  /// Compiled code counts a reference at an odd address.
  virtual void odd_counted(Address word) = 0;
  virtual void attribute_read(Address object, Attribute attribute, Address value) = 0;
  virtual void class_attribute_read(Class of, Address value) = 0;
  virtual void order_appended() = 0;
  /// Code that runs during the release of `dying` read the attribute that held it, and got `found`.
  virtual void read_under_release(Address found, Address dying) = 0;
  /// A type was modified that was in a cache of the JIT.
  virtual void type_modified() = 0;

  // ---- statements ----
  /// A statement made an instance. `recycled`: how often an instance has reused another's storage.
  virtual void instance_made(std::uint32_t recycled) = 0;
  /// Code other than a statement requests an instance's dict.
  virtual void asked_for_dict() = 0;
  /// A kernel is about to run with the attributes just read of the object, which is of that class.
  virtual void launching(Address object, Class of) = 0;
  /// Result of the kernel that the same task launched.
  virtual void launched(std::span<const std::int32_t> out) = 0;
  /// The program has dropped all its variables, and collected.
  virtual void dropped_all() = 0;
};

/// Receives events of the allocator and the address space.
class HeapObserver {
 public:
  virtual ~HeapObserver() = default;

  /// The heap had no memory for a block, so the caller may return memory_error.
  virtual void starved() = 0;
  /// A new instance of the type with this number got room for `room` values; `named` of them are in
  /// the type's keys.
  virtual void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) = 0;
  /// A chunk of values is about to be freed, at the begin computed from its own prefix.
  virtual void freeing_values() = 0;
  /// free() was called, and has not changed the block yet.
  virtual void released(const Release& release) = 0;
  /// malloc() took a live block from the free list. The process ends.
  virtual void handed_out_twice(harness::BirthId block) = 0;
  /// SIGSEGV. The process ends.
  virtual void crashed(const Crash& crash) = 0;
};

/// All listeners of one interpreter.
struct Observers {
  ProgramObserver* program = nullptr;
  CodeObserver* code = nullptr;
  HeapObserver* heap = nullptr;
  MemoryObserver* memory = nullptr;  ///< Null if no instrument observes.
};

}  // namespace targets::managed_dict
